"""Migrate TensorFlow 1 code to TensorFlow 2.21 and Keras 3.

Nothing heavy is imported here: ``migrate check`` has to start in a few hundredths of a second.
"""

from __future__ import annotations

__version__ = "0.1.0"
