"""TF 1 SavedModels and GraphDefs: what is in them, and their functions in TF 2."""
