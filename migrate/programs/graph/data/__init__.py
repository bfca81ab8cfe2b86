"""Datasets, iterators, queues and tables: what a run draws from, and when that ends."""
