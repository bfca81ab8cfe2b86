"""Recurrent cells of a model_fn, what runs them over time, and taggers."""
