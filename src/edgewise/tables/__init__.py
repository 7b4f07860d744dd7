"""Anything that holds rows, opened as a table."""
