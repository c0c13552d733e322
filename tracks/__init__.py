"""Binds runtime, files and identity into runs and reports; one folder for each track."""
