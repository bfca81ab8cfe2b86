"""The gpu column: TensorFlow's own GPU where it sees one, else exported steps that JAX ran on one.

``export`` writes a folder with both sides' steps and their data; ``run_steps.py``, which lies in it
too, needs JAX and NumPy. Its result file joins the matrix by ``add``.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrate.parity.devices import judge
from migrate.parity.devices.run_steps import RESULT_SCHEMA
from migrate.parity.devices.steps import MIGRATED, Steps
from migrate.parity.errors import ParityError
from migrate.parity.isolation import Limits, environment, kill_group
from migrate.parity.tolerances import Tolerances
from migrate.parity.verdict import COMPILES, DIFFER, NOT_RUN, Result, Rung, decide_device

MANIFEST = "export.json"
SCRIPT = Path(__file__).with_name("run_steps.py")
SCHEMA = 1
#: Ten times what TF32 rounds a factor of a matrix product by, 2**-11.
TF32 = 10 * 2.0**-11
ABSENT = (
    "Elsewhere: `migrate parity export --for cuda`, then on a machine with a GPU and JAX "
    "`migrate parity run-export FOLDER`, and give its result by --results"
)


def export(every: Mapping[str, Sequence[Steps]], folder: Path, target: str) -> list[str]:
    """Write the steps of programs into a folder; returns a line for each program left out."""
    folder.mkdir(parents=True, exist_ok=True)
    programs, left_out = [], []
    for number, (name, sides) in enumerate(sorted(every.items())):
        kept = {}
        for steps in sides:
            obstacle = steps.obstacle()
            if obstacle:
                left_out.append(f"{name} ({steps.side}): {obstacle}")
                continue
            place = folder / f"{number:03d}-{steps.side}"
            shutil.copytree(steps.folder, place, dirs_exist_ok=True)
            kept[steps.side] = place.name
        if kept:
            programs.append({"name": name, "sides": kept})
    if not programs:
        raise ParityError("Nothing can be exported. " + " ".join(left_out))
    manifest = {"schema": SCHEMA, "for": target, "programs": programs, "left out": left_out}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    shutil.copy2(SCRIPT, folder / SCRIPT.name)
    return left_out


def results(path: Path) -> dict[str, Any]:
    """What ``run_steps.py`` wrote.

    Raises:
        ParityError: it is something else.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if found["schema"] != RESULT_SCHEMA or not isinstance(found["programs"], dict):
            raise KeyError(f"schema {found['schema']!r}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParityError(f"{path} is no result of run-export: {error!r}") from error
    return found


def add(
    result: Result, sides: Sequence[Steps], found: Mapping[str, Any], tolerances: Tolerances
) -> None:
    """Rungs and verdict of a program that JAX ran elsewhere."""
    device = found["device"]
    result.runtimes["device"] = device
    program = found["programs"].get(result.name)
    where = f"{device['device']} ({device['platform']}), JAX {device['jax']}"
    note = f"{where}, TF32 {'on' if found['tf32'] else 'off'}"
    if program is None:
        if result.verdict != COMPILES:
            obstacles = [steps.obstacle() for steps in sides if steps.side == MIGRATED]
            absent = f"the result of {where} does not hold it"
            result.verdict, result.reason = NOT_RUN, next(filter(None, obstacles), absent)
        return
    rung_of = f"on {device['platform']}"
    if found["tf32"]:
        rung_of += " with TF32"
        tolerances = replace(tolerances, free=max(tolerances.free, TF32))
    for steps in sides:
        got = program.get(steps.side)
        name = f"{steps.side} {rung_of}"
        if got is None:
            result.rungs.append(Rung(name, NOT_RUN, steps.obstacle() or "it was not exported"))
        elif "error" in got:
            result.rungs.append(Rung(name, "failed", f"{where}: {got['error']}"))
        else:
            rung = judge.rung(name, steps, judge.of_calls(steps, got["calls"]), tolerances)
            rung.notes.append(note)
            result.rungs.append(rung)
    decide_device(result)
    if result.verdict != DIFFER:
        result.reason += f"; {note}"


def run_here(
    every: Mapping[str, Sequence[Steps]], folder: Path, limits: Limits,
    progress: Callable[[str], object],
) -> tuple[dict[str, Any] | None, str]:  # fmt: skip
    """Export, and run the export with JAX on this CPU: the result, or None and the reason."""
    if importlib.util.find_spec("jax") is None:
        return None, "jax is not installed: pip install tf1-migrate[tpu]"
    try:
        export(every, folder, "cpu")
    except ParityError as error:
        return None, str(error)
    progress("running the exported steps with JAX")
    return run_export(folder, folder / "result.json", limits, "cpu")


def run_export(
    folder: Path, output: Path, limits: Limits, platform: str | None = None, tf32: bool = False
) -> tuple[dict[str, Any] | None, str]:
    """Run ``run_steps.py`` in a process of its own; the result, or None and the reason."""
    command = [sys.executable, str(SCRIPT), str(folder), "-o", str(output)]
    command += ["--platform", platform] if platform else []
    command += ["--tf32"] if tf32 else []
    programs = len(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["programs"])
    variables = environment(device="gpu")
    variables.pop("NVIDIA_TF32_OVERRIDE", None)
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
            start_new_session=True, env=variables,
        )  # fmt: skip
        try:
            code = child.wait(timeout=limits.seconds * max(1, programs))
        except subprocess.TimeoutExpired:
            kill_group(child.pid)
            child.wait()
            return None, f"JAX did not run {programs} programs in time"
        said.seek(0)
        errors = said.read().strip().splitlines()
    if code:
        return None, f"JAX failed: {errors[-1] if errors else f'exit code {code}'}"
    return results(output), ""
