"""Help for people who write cards: minimal new ones, sealing, explanations, pictures, and folders of cards."""
