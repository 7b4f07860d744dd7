"""Anything that holds rows → batches of numbers with column names."""
