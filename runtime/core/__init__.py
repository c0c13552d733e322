"""The engine: simulated time, events, decisions, the record and its endings. It knows no word of any domain."""
