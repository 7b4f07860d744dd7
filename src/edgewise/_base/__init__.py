"""What every room uses: checks, words, warnings, atomic files, types."""
