"""One file for each kind of data that can be read here."""
