"""Writes the card schemas, the card registry and the B1 field census, at build time only: `python -m schemas_gen`."""
