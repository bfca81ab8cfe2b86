"""The fixture programs on every device: `migrate parity matrix` over all of them.

    python scripts/device_matrix.py [NAME ...] --work DIR --report FILE.json [--shard 1/2] ...

Programs of fixtures/native (what `migrate upgrade` makes of them) and the pairs of fixtures/parity
that have to agree. What TensorFlow 1.15.5 printed and computed comes from the recorded bundles; the
original's graph from a run on it, so a Python with 1.15.5 is needed. Options are those of `migrate
parity matrix`.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from migrate.parity import bundle, report
from migrate.parity.config import Comparison
from migrate.parity.devices import matrix
from migrate.parity.devices.command import compare
from migrate.parity.environment import find_tf1, find_tf2
from migrate.parity.harness import Harness, Program

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def comparisons(work: Path, devices: tuple[str, ...], names: list[str]) -> list[Comparison]:
    """One for each program, with its recorded bundle."""
    native = load(ROOT / "scripts" / "record_native_goldens.py")
    parity = load(ROOT / "fixtures" / "parity" / "record.py")
    cases = [case for case in native.cases() if not names or case.name in names]
    found = []
    for done in native.upgrade(cases, work / "upgraded").values():
        case, folder = done.case, work / "originals" / done.case.name
        native.copy_program(case, folder)
        before = Program(str(native.script(folder, case.entry)))
        after = Program(str(native.script(done.folder, case.entry)))
        found.append(Comparison(case.name, before, after, case.options(), devices, case.golden))
    for pair in parity.pairs():
        if pair.expect == "agree" and (not names or pair.name in names):
            options = found[0].options if found else native.cases()[0].options()
            found.append(
                Comparison(pair.name, pair.before, pair.after, options, devices, pair.golden)
            )
    return found


def main(argv: list[str] | None = None) -> int:
    """Run, print the table, write reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--devices", default="cpu,xla,gpu,tpu,export,jax")
    parser.add_argument("--tpu", dest="topologies", action="append")
    parser.add_argument("--cpu-settings", dest="settings", default="two")
    parser.add_argument("--no-whole", action="store_true")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--report", action="append", type=Path, default=[])
    parser.add_argument("--results", dest="device_results", action="append", type=Path)
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--time-limit", type=float)
    given = parser.parse_args(argv)
    place, _, count = given.shard.partition("/")
    devices = tuple(given.devices.split(","))
    items = comparisons(given.work, devices, given.names)[int(place) - 1 :: int(count)]

    def golden_of(item: Comparison, harness: Harness) -> bundle.Bundle:
        assert item.golden is not None
        return bundle.read(item.golden)

    results = compare(items, vars(given), golden_of, find_tf1(), find_tf2())
    for path in given.report:
        report.write(results, path)
    print(matrix.text(results))
    return max(matrix.exit_code(result) for result in results)


if __name__ == "__main__":
    sys.exit(main())
