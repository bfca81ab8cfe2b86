"""Compare what two runs of the case table wrote down."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

RUNNER = Path(__file__).with_name("runner.py")

#: Of the larger of one and the largest magnitude in the array.
TOLERANCE = 2e-6

#: Where TF 2.21 itself computes otherwise: more room, and why.
WIDER: dict[str, tuple[float, str]] = {
    "slim_nets/inception_1_base": (1e-5, "gradients through normalizations by the batch"),
    "slim_nets/resnet_1": (5e-5, "gradients through ten normalizations by the batch"),
    "slim_nets/resnet_2": (5e-5, "gradients through ten normalizations by the batch"),
    "slim_nets/resnet_without_root": (5e-5, "gradients through normalizations by the batch"),
    "contrib_rnn/attention_cell": (1e-5, "gradients through five softmaxes, sums in other order"),
}

#: How far a golden's numbers may be from what TF 1.15.5 gives on a machine whose kernels add up in
#: another order than those of the machine that recorded them; the shim gives that machine's then.
ELSEWHERE = 2e-3
#: Of these nothing but the shapes holds there.
UNSTABLE = {
    "contrib_opt/ggt": "roots of a matrix that has next to no inverse",
    "contrib_opt/shampoo_intervals": "roots of a matrix that has next to no inverse",
    "contrib_opt/shampoo_sparse": "roots of a matrix that has next to no inverse",
    "slim_nets/inception_2": "gradients that overflow",
    "slim_nets/inception_3": "gradients that overflow",
}


def elsewhere(name: str) -> float:
    """The tolerance of a case's golden on another machine."""
    return float("inf") if name in UNSTABLE else ELSEWHERE


def run(
    python: str, folder: Path, families: list[str]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Run families of the case table in one process: what was seen, and the arrays."""
    npz, out = folder / "arrays.npz", folder / "seen.json"
    subprocess.run(
        [python, "-W", "ignore", str(RUNNER), str(npz), str(out), *families],
        check=True,
        capture_output=True,
        text=True,
        timeout=1800,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
    )
    with np.load(npz, allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    return json.loads(out.read_text(encoding="utf-8")), arrays


def split(arrays: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """The arrays by case."""
    cases: dict[str, dict[str, np.ndarray]] = {}
    for key, value in arrays.items():
        name, _, field = key.partition("|")
        cases.setdefault(name, {})[field] = value
    return cases


def difference(want: np.ndarray, got: np.ndarray) -> float:
    """The largest difference, relative to the larger of one and the largest magnitude."""
    if want.shape != got.shape:
        return float("inf")
    if not want.size:
        return 0.0
    if want.dtype.kind not in "fc":
        return 0.0 if np.array_equal(want, got) else float("inf")
    want, got = want.astype(np.float64), got.astype(np.float64)
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    if np.any(~np.isfinite(want[~same])) or np.any(~np.isfinite(got[~same])):
        return float("inf")
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(want - got))
    finite = np.abs(want[np.isfinite(want)])
    return float(gap.max() / max(1.0, finite.max() if finite.size else 1.0))


def problems(
    name: str,
    want: dict[str, Any],
    got: dict[str, Any],
    want_arrays: dict[str, np.ndarray],
    got_arrays: dict[str, np.ndarray],
    tolerance: float | None = None,
) -> tuple[list[str], float]:
    """What differs in a case, in words, and the worst numeric difference."""
    found: list[str] = []
    if "error" in want or "error" in got:
        return [f"golden: {want.get('error', 'ran')}\nhere: {got.get('error', 'ran')}"], 0.0
    fields = ("variables", "collections", "facts", "shapes")
    found += [f"{f}: TF 1.15.5 {want[f]}\n  here {got[f]}" for f in fields if want[f] != got[f]]
    if tolerance is None:
        tolerance = WIDER.get(name, (TOLERANCE, ""))[0]
    worst = 0.0
    for key in sorted(set(want_arrays) | set(got_arrays)):
        if key not in want_arrays or key not in got_arrays:
            found.append(f"{key}: only {'in TF 1.15.5' if key in want_arrays else 'here'}")
            continue
        if want_arrays[key].shape != got_arrays[key].shape:
            found.append(f"{key}: {want_arrays[key].shape} and {got_arrays[key].shape}")
            continue
        gap = difference(want_arrays[key], got_arrays[key])
        worst = max(worst, gap)
        if gap > tolerance:
            found.append(
                f"{key}: {gap:.3g} apart (allowed {tolerance:.3g})\n"
                f"  TF 1.15.5 {want_arrays[key].ravel()[:6]}\n  here {got_arrays[key].ravel()[:6]}"
            )
    return found, worst
