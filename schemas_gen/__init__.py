"""Writes the schemas of cards and evidence, card registry and B1 census, at build time: `python -m schemas_gen`."""
