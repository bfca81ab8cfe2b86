# -*- coding: utf-8 -*-
"""Jobs: their keys, their limits, which part runs them."""

from __future__ import absolute_import, division, print_function

import collections
import io
import json
import os
import sys

from . import checkpoints, program, witness
from .written import SCHEMA, dump, runtime

DEFAULT_JOB = {
    "mode": "record",  # record, witness, restore, read, devices or replay
    "script": None,  # path of the program ...
    "module": None,  # ... or the name of a module, as for `python -m`
    "args": [],
    "cwd": None,
    "out": None,  # folder for record.json and arrays.npz
    "stdout": None,
    "stderr": None,
    "randomness": "shape",  # shape: shape-keyed; seed: the generators are seeded, no more
    "seed": 0,
    "snapshots": [0, 1, 10, 20, 30, 40, 50],  # steps after which every variable is recorded
    "trace_steps": 60,  # training steps whose feeds are kept, for the witness
    "trace_calls": 2000,
    "trace_bytes": 64 * 2**20,
    "for_xla": False,  # gradients of loops and branches as XLA has them
    "for_devices": False,  # resource variables; the trace holds what iterators, queues, Python gave
    "steps": None,  # end the program after so many training steps
    "perturb": None,  # seed of 1-ulp changes of the initial weights
    "restore": None,  # {"arrays": npz, "every": k, "map": {name here: name there}}
    "recording": True,  # False: run the program with the same randomness and record nothing
    "limits": {},  # memory_bytes, file_bytes, cpu_seconds
    "meta_graph": None,  # mode restore: file with the graph
    "checkpoint": None,  # modes restore and read
    "bundle": None,  # modes witness and replay
    "device_steps": None,  # {"out": folder, ...}: keep the functions of a step: devices/capture.py
    "env": {},
}


def load_job(path):
    with io.open(path, encoding="utf-8") as stream:
        given = json.load(stream)
    unknown = sorted(set(given) - set(DEFAULT_JOB))
    if unknown:
        raise SystemExit("recorder: unknown keys in %s: %s" % (path, ", ".join(unknown)))
    job = dict(DEFAULT_JOB)
    job.update(given)
    return job


def apply_limits(limits):
    try:
        import resource
    except ImportError:
        return
    kinds = {
        "memory_bytes": getattr(resource, "RLIMIT_DATA", None),
        "file_bytes": getattr(resource, "RLIMIT_FSIZE", None),
        "cpu_seconds": getattr(resource, "RLIMIT_CPU", None),
    }
    if limits:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for key, value in limits.items():
        kind = kinds.get(key)
        if kind is not None and value:
            resource.setrlimit(kind, (int(value), int(value)))


def redirect(job):
    sys.stdout.flush()
    sys.stderr.flush()
    for key, descriptor in (("stdout", 1), ("stderr", 2)):
        if job[key]:
            handle = os.open(job[key], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(handle, descriptor)
            os.close(handle)


def run_job(job):
    """Run one job in this process; returns the exit code."""
    os.environ.update(job["env"])
    apply_limits(job["limits"])
    if job["mode"] == "witness":
        return witness.run_witness(job)
    if job["mode"] == "restore":
        return checkpoints.run_restore(job)
    if job["mode"] == "read":
        return checkpoints.run_read(job)
    if job["mode"] == "devices":
        return run_devices(job)
    if job["mode"] == "replay":
        return program.devices().replay.replay(job)
    return program.run_program(job)


def run_devices(job):
    """Write how many devices of each kind this TensorFlow sees."""
    import tensorflow as tf

    counts = collections.Counter()
    if hasattr(tf, "config") and hasattr(tf.config, "list_physical_devices"):
        counts.update(device.device_type for device in tf.config.list_physical_devices())
    else:
        from tensorflow.python.client import device_lib

        counts.update(device.device_type for device in device_lib.list_local_devices())
    record = {
        "schema": SCHEMA,
        "runtime": runtime(tf),
        "exit": {"code": 0},
        "devices": dict(counts),
    }
    dump(job["out"], record, {})
    return 0
