"""One file for each test of edges."""
