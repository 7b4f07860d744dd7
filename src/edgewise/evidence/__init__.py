"""What a method may ask for: sums of the rows, wherever they come from."""
