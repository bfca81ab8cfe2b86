"""Write the public names of tf_keras: migrate/rewriters/legacy_keras/names.txt.

    python scripts/dump_tf_keras.py            write
    python scripts/dump_tf_keras.py --check    exit with 1 where the file says something else

`pip install tf_keras==2.21.0 --no-deps` first: the tool itself never imports it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

NAMES = Path(__file__).resolve().parent.parent / "migrate/rewriters/legacy_keras/names.txt"
APART = ("src", "api", "estimator", "legacy_tf_layers", "protobuf")


def public() -> list[str]:
    """Every public name below tf_keras, in order."""
    import tf_keras

    found: set[str] = set()
    stack: list[tuple[ModuleType, str]] = [(tf_keras, "")]
    while stack:
        module, prefix = stack.pop()
        for name in dir(module):
            whole = prefix + name
            if name.startswith("_") or whole in APART:
                continue
            value = getattr(module, name)
            if not isinstance(value, ModuleType):
                found.add(whole)
            elif (
                value.__name__.startswith("tf_keras.")
                and ".src." not in value.__name__
                and whole not in found
            ):
                found.add(whole)
                stack.append((value, f"{whole}."))
    return sorted(found)


def main() -> int:
    """Write or check."""
    text = "".join(f"{name}\n" for name in public())
    if "--check" in sys.argv[1:]:
        return int(NAMES.read_text(encoding="ascii") != text)
    NAMES.write_text(text, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
