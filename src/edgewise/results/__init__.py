"""What a test found, as a frozen value and as files."""
