"""Mergeable sums of rows, their files, and how rows get into them."""
