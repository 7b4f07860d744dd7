"""Pictures and files of a result."""
