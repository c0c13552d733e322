"""The normative JSON Schemas and registries as packaged data; the loaders stand in ``operatebench.identity``."""
