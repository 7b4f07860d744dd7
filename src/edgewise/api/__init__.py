"""One file for each question that a user can ask."""
