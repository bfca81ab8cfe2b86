"""Savers, checkpoints and SavedModels: what is saved, and which graph is read from there."""
