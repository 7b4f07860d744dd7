"""The only loops over blocks of rows."""
