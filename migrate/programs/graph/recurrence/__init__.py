"""Recurrent cells, what runs them over time, decoders and attention."""
