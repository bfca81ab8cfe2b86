"""``fixtures/parity/record.py`` as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "parity"


def load_matrix() -> ModuleType:
    """``fixtures/parity/record.py`` as a module."""
    name = "parity_record"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, FIXTURES / "record.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
