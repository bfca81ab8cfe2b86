"""The best native home of each contrib endpoint, in words, for findings and the docs.

From running both TensorFlows on the same input where it says a difference; else by reading.
"""

from __future__ import annotations

from migrate.symbols.curated.contrib_native import (
    distributions,
    eager,
    framework,
    keras,
    layers,
    learn,
    metrics,
    others,
    rnn,
    slim,
    training,
)

_PACKAGES = (
    distributions,
    eager,
    framework,
    keras,
    layers,
    learn,
    metrics,
    others,
    rnn,
    slim,
    training,
)
NATIVE = {name: home for package in _PACKAGES for name, home in package.NATIVE.items()}
