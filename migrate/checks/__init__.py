"""Rules that only report, one family a file."""
