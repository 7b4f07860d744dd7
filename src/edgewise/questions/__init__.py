"""One file for each thing that a user can ask."""
