"""Is it still the same model? The original on TensorFlow 1.15 against the migrated program on 2.21.

``recorder`` (with ``randomness``) runs inside either interpreter and records a *bundle*; everything
else runs in the tool's process, which imports NumPy late and TensorFlow never.
"""
