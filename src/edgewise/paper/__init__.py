"""Numbers in, numbers out: radii and what they say of the precision matrix."""
