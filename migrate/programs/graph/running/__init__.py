"""Sessions and graphs: who opens them, who is given them, and in which order they run."""
