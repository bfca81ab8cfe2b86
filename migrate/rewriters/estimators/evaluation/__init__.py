"""Metrics, and what is shown of them."""
