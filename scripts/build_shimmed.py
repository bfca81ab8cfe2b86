"""Read from the shims, without importing them, which endpoints of TF 1.15.5 they give back.

    python scripts/build_shimmed.py [--check]

Writes migrate/symbols/shimmed.txt: one endpoint a line. Every public module of a shim has a literal
`__all__`; what stands there is what the rewriters point at.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from migrate import symbols  # noqa: E402
from migrate.symbols.shims import MODULES, NAMES  # noqa: E402

TARGET = ROOT / "migrate" / "symbols" / "shimmed.txt"
SHIMS = {"tf1_shim": "tensorflow", "estimator_shim": "tensorflow.estimator"}


def exported(path: Path) -> list[str]:
    """A module's literal `__all__`; none where it has none."""
    for stmt in ast.parse(path.read_text(encoding="utf-8")).body:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id == "__all__":
            assert isinstance(stmt, ast.Assign)
            names = ast.literal_eval(stmt.value)
            return [str(name) for name in names]
    return []


def shimmed() -> list[str]:
    """Every endpoint that a shim has, with its modules."""
    found: set[str] = set()
    for package, space in SHIMS.items():
        folder = ROOT / "migrate" / package
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            if any(part.startswith("_") for part in parts):
                continue
            if package == "estimator_shim" and parts[:1] == ("contrib",):
                module = ".".join(("tensorflow", *parts))
            elif package == "estimator_shim" and parts[:1] == ("keras",):
                module = ".".join(("tensorflow.keras.estimator", *parts[1:]))
            else:
                module = ".".join((space, *parts))
            names = exported(path)
            if names:
                found.add(module)
            found.update(f"{module}.{name}" for name in names)
    found.update(NAMES)
    for module, home in MODULES.items():
        path = (ROOT / home.replace(".", "/")).with_suffix(".py")
        names = exported(path) if path.exists() else []
        found.update(f"{module}.{name}" for name in names)
        if names:
            found.add(module)
    # A shim's own modules and what it adds beside TF1's names are none of TF1's endpoints.
    return sorted(
        name
        for name in found
        if name != "tensorflow"
        and (
            symbols.is_endpoint(name)
            or name.startswith(("tensorflow.models.", *(f"{module}." for module in MODULES)))
            or name in MODULES
        )
    )


def main() -> int:
    """Write the list, or compare it with what stands there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    text = "".join(f"{name}\n" for name in shimmed())
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is not what {Path(__file__).name} writes: run it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
