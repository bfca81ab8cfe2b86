"""Variables: how they are made, found again, started, bound to other names and assigned."""
