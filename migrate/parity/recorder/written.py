# -*- coding: utf-8 -*-
"""``record.json`` and ``arrays.npz`` (see ``bundle.py``)."""

from __future__ import absolute_import, division, print_function

import io
import json
import os
import platform
import sys
import time
import zipfile

import numpy as np

from .observed import Series
from .values import as_array, total

SCHEMA = 1


def write(recorder, graphs, tf, ending, redirected):
    job = recorder.job
    arrays = {}
    series = []
    for key, item in recorder.series.items():
        place = len(series)
        values = [total(value) for value in item.values]
        arrays["series/%d/values" % place] = np.array(values)
        arrays["series/%d/steps" % place] = np.array(item.steps, dtype=np.int64)
        series.append(
            {
                "key": key,
                "kind": item.kind,
                "label": str(item.label),
                "dtype": str(arrays["series/%d/values" % place].dtype),
            }
        )
    for label, values in recorder.snapshots.items():
        for name, value in values.items():
            arrays["v/%s/%s" % (label, name)] = as_array(value)
    gradients = []
    for site, values in recorder.gradients.items():
        for name, value in values.items():
            arrays["gradient/%d/%s" % (site, name)] = as_array(value)
            gradients.append([site, name])
    for key, value in recorder.arrays.items():
        arrays[key] = as_array(value)
    for optimizers in graphs.graphs.values():
        for optimizer, variables in optimizers.optimizers:
            graphs.slots_of(optimizer, variables)
    original = None
    if job["trace_steps"]:
        recorder.local.busy = True
        original = graphs.trace.export(arrays)
    record = {
        "schema": SCHEMA,
        "program": {"script": job["script"], "module": job["module"], "args": job["args"]},
        "runtime": runtime(tf),
        "randomness": job["randomness"],
        "redirected": len(redirected),
        "seed": job["seed"],
        "perturb": job["perturb"],
        "restore": None
        if not job["restore"]
        else {"every": job["restore"]["every"], "restored": recorder.restored},
        "exit": ending,
        "steps": recorder.step,
        "calls": recorder.calls,
        "seconds": round(time.time() - recorder.start_time, 3),
        "variables": list(recorder.variables.values()),
        "slots": {name: list(owner) for name, owner in recorder.slots.items()},
        "snapshots": list(recorder.snapshots),
        "series": series,
        "gradients": gradients,
        "array_steps": {key[len("array/") :]: step for key, step in recorder.array_steps.items()},
        "notes": recorder.notes,
        "original": original,
    }
    dump(job["out"], record, arrays)


def put(series, kind, label, step, value):
    key = "%s/%s" % (kind, label)
    if key not in series:
        series[key] = Series(kind, label)
    series[key].append(step, value)


def write_series(series, arrays):
    described = []
    for place, (key, item) in enumerate(series.items()):
        arrays["series/%d/values" % place] = np.array([total(value) for value in item.values])
        arrays["series/%d/steps" % place] = np.array(item.steps, dtype=np.int64)
        described.append(
            {
                "key": key,
                "kind": item.kind,
                "label": str(item.label),
                "dtype": str(arrays["series/%d/values" % place].dtype),
            }
        )
    return described


def runtime(tf):
    keras = sys.modules.get("keras")
    flags = {
        name: os.environ[name]
        for name in sorted(os.environ)
        if name.startswith(("TF_", "XLA_", "OMP_", "CUDA_VISIBLE", "KERAS_", "PYTHONHASHSEED"))
    }
    return {
        "python": platform.python_version(),
        "tensorflow": tensorflow_version(tf),
        "numpy": np.__version__,
        "keras": getattr(keras, "__version__", None),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "environment": flags,
    }


def tensorflow_version(tf):
    return getattr(tf, "__version__", None) or tf.VERSION


def dump(folder, record, arrays):
    """Write record.json and arrays.npz: no pickle, and the same bytes for the same values."""
    if not os.path.isdir(folder):
        os.makedirs(folder)
    path = os.path.join(folder, "arrays.npz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for key in sorted(arrays):
            stream = io.BytesIO()
            value = np.asarray(arrays[key])
            if value.ndim and not value.flags.c_contiguous:
                value = np.ascontiguousarray(value)
            np.lib.format.write_array(stream, value, allow_pickle=False)
            info = zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, stream.getvalue())
    text = json.dumps(record, indent=1, sort_keys=True, default=str)
    with io.open(os.path.join(folder, "record.json"), "w", encoding="utf-8") as stream:
        stream.write(text if not isinstance(text, bytes) else text.decode("utf-8"))
