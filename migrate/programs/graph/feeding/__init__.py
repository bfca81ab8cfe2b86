"""Placeholders and what they are fed: parameters of the functions that runs become."""
