"""Exports and exporters: SavedModels with TF 1's signatures."""
