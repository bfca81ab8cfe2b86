"""Rules that change code, one family a file."""
