"""One HTML page to look at, explore and send."""
