"""Summaries: what is written to event files, under which tag, and when."""
