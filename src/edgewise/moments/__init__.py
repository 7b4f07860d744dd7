"""Mergeable sums of rows; knows nothing of tests."""
