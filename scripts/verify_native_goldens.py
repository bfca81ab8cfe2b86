"""Run what the session programs of fixtures/native became, and keep that their numbers agree.

    python scripts/verify_native_goldens.py            those that changed since they agreed
    python scripts/verify_native_goldens.py NAME ...   these
    python scripts/verify_native_goldens.py --all      every one
    python scripts/verify_native_goldens.py --keras legacy [NAME ...]

A program that agrees with its golden bundle gets a line in after.verified: a digest of what came
out of `migrate upgrade` and of what TF 1.15.5 did. The tests upgrade every program and compare its
text each time; on TensorFlow they run those whose digest is another, and a sample of the others
(MIGRATE_ALL_GOLDENS=1: all). Exits with 1 where one disagrees or isn't what its after.py says.

With --keras legacy the programs are upgraded for tf_keras (which must be installed) and compared
with the same bundles, but neither with after.py nor kept: those that use Keras, or these.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import record_native_goldens as native

from migrate.parity import bundle, compare
from migrate.parity.environment import find_tf1
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.verdict import AGREE


def digest(case: native.Case) -> str:
    """Of a case's programs after, of its golden bundle, and of how they are compared."""
    found = hashlib.sha256()
    after = [*case.folder.glob("after.*"), *sorted((case.folder / "after").rglob("*"))]
    for path in (*after, *sorted(case.golden.rglob("*")), case.folder / "case.toml"):
        if path.is_file() and path != case.verified:
            found.update(path.relative_to(case.folder).as_posix().encode() + b"\0")
            found.update(path.read_bytes())
    return found.hexdigest()


def agreed(case: native.Case) -> bool:
    """Whether the case agreed with TF 1.15.5 as it is now."""
    try:
        return case.verified.read_text(encoding="ascii").strip() == digest(case)
    except FileNotFoundError:
        return False


def uses_keras(case: native.Case) -> bool:
    """Whether what came out of a case takes something of Keras."""
    after = [*case.folder.glob("after.*"), *(case.folder / "after").rglob("*")]
    return any(path.is_file() and b"tf.keras." in path.read_bytes() for path in after)


def as_kept(done: native.Upgraded) -> list[str]:
    """The files that came out otherwise than they are kept."""
    return [
        str(path)
        for path, kept in done.files()
        if not kept.exists() or path.read_text(encoding="utf-8") != kept.read_text(encoding="utf-8")
    ]


def same_ends(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Variables at the end, by name; where several graphs have one, it is that of one of them."""
    compared = 0
    for key in (k for k in before if k.startswith("v/end/") and k in after):
        twins = [k for k in after if re.fullmatch(rf"{re.escape(key)}(?:_\d+)?", k)]
        shaped = [after[k] for k in twins if after[k].shape == before[key].shape]
        apart = [float(abs(value - before[key]).max()) for value in shaped]
        assert apart, f"{key} has another shape"
        # Measured: 3e-6 in saver_var_list, 2e-7 in the others.
        assert min(apart) <= 5e-5, f"{key}: {min(apart)}"
        compared += 1
    assert compared >= 2


def verify(harness: Harness, done: native.Upgraded) -> None:
    """Run an upgraded case under the recorder; AssertionError unless it does what 1.15.5 did."""
    harness.options = done.case.options()
    script = native.script(done.folder, done.case.entry)
    golden = bundle.read(done.case.golden)
    if done.case.printed:  # several graphs with variables of one name, or runs in another order
        after = harness.run_program("tf2", Program(str(script)))
        rtol = harness.options.tolerances.printed
        said = compare.texts("printed text", golden.stdout, after.stdout, rtol)
        assert said.difference is None, f"{said.difference}\n{after.stdout}"
        same_ends(golden.arrays, after.arrays)
        return
    result = harness.verify(golden, Program(str(script)), done.case.name)
    rungs = "\n".join(f"{rung.status:>8}  {rung.name}  {rung.reason}" for rung in result.rungs)
    text = script.read_text(encoding="utf-8")
    assert result.verdict == AGREE, f"{result.reason}\n{rungs}\n--- upgraded ---\n{text}"


def main(argv: list[str] | None = None) -> int:
    """Verify and keep; 1 where a program disagrees."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="also what agreed as it is")
    parser.add_argument("--keras", choices=("3", "legacy"), default="3")
    options = parser.parse_args(argv)
    legacy = options.keras == "legacy"
    known = {c.name: c for c in native.cases() if c.level == "native" and not c.pending}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no native case {', '.join(unknown)}")
    chosen = [known[name] for name in options.names or known]
    if legacy:
        native.TARGET = ("--keras", "legacy")
        if not options.names:
            chosen = [case for case in chosen if uses_keras(case)]
    elif not options.all and not options.names:
        chosen = [case for case in chosen if not agreed(case)]
    if not chosen:
        print("none has changed since it agreed")
        return 0
    tf1 = find_tf1()
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="native-") as work,
        Harness(Options(), tf1=tf1.path if tf1 else None, tf2=sys.executable) as harness,
    ):
        for name, done in native.upgrade(chosen, Path(work)).items():
            other = [] if legacy else as_kept(done)
            if legacy and done.level != "native":
                failed += 1
                print(f"{name}: {done.level}: {done.reasons}")
                continue
            try:
                assert not other, f"not as kept: {other}"
                verify(harness, done)
            except AssertionError as error:
                failed += 1
                print(f"{name}: {error}")
                continue
            if not legacy:
                done.case.verified.write_text(digest(done.case) + "\n", encoding="ascii")
            print(f"{name}: agrees", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
