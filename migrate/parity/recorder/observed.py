# -*- coding: utf-8 -*-
"""What is observed in one process, until it is written."""

from __future__ import absolute_import, division, print_function

import collections
import threading
import time

import numpy as np

ARRAY_CALLS = 3  # ... for the first calls that yield it


class StepLimit(SystemExit):
    """Ends the program under test; no ``except Exception`` of its own gets in the way."""


class Series(object):
    """Values of one scalar in the order of their appearance, with the step of each."""

    def __init__(self, kind, label):
        self.kind = kind
        self.label = label
        self.values = []
        self.steps = []

    def append(self, step, value):
        self.steps.append(step)
        self.values.append(value)


class GradientSite(object):
    """One place where a program takes gradients with respect to variables."""

    def __init__(self, index, losses, names, gradients, shapes):
        self.index = index
        self.losses = losses
        self.names = names
        self.gradients = gradients
        self.shapes = shapes


class Local(threading.local):
    busy = False
    inside = False
    depth = 0


class Recorder(object):
    """Everything that is observed in one process."""

    def __init__(self, job):
        self.job = job
        self.local = Local()
        self.step = 0
        self.calls = 0
        self.series = collections.OrderedDict()
        self.snapshots = collections.OrderedDict()
        self.wanted = set(job["snapshots"])
        self.arrays = {}
        self.array_counts = collections.Counter()
        self.array_steps = {}
        self.notes = []
        self.gradients = collections.OrderedDict()
        self.variables = collections.OrderedDict()
        self.slots = {}
        self.sites = 0
        self.start_time = time.time()
        self.restored = []
        self.stopped = False
        self.restore = None
        if job["restore"]:
            self.restore = Restore(job["restore"])

    def note(self, kind, **details):
        details["kind"] = kind
        if len(self.notes) < 1000:
            self.notes.append(details)

    def add(self, kind, label, value):
        self.series_of(kind, label).append(self.step, value)

    def series_of(self, kind, label):
        key = "%s/%s" % (kind, label)
        series = self.series.get(key)
        if series is None:
            series = self.series[key] = Series(kind, label)
        return series

    def add_array(self, kind, label, value):
        key = "%s/%s" % (kind, label)
        count = self.array_counts[key]
        if count < ARRAY_CALLS:
            self.array_counts[key] += 1
            self.arrays["array/%s/%d" % (key, count)] = value
            self.array_steps["array/%s/%d" % (key, count)] = self.step

    def declare(self, name, shape, dtype, trainable, container):
        if name not in self.variables:
            self.variables[name] = {
                "name": name,
                "shape": shape,
                "dtype": dtype,
                "trainable": bool(trainable),
                "container": container,
                "order": len(self.variables),
            }

    def keep_gradient(self, site, name, value):
        self.gradients.setdefault(site, collections.OrderedDict()).setdefault(name, value)

    def check_limit(self):
        """Raise StepLimit once the program has made as many training steps as were asked for."""
        if self.job["steps"] and self.step >= self.job["steps"]:
            self.stopped = True
            raise StepLimit(0)

    def keep_snapshot(self, label, values):
        self.snapshots.setdefault(label, collections.OrderedDict()).update(values)


class Restore(object):
    """The values that the other side had at the start of each window of steps."""

    def __init__(self, spec):
        self.every = int(spec["every"])
        self.map = spec["map"]
        self.scale = spec.get("scale", {})
        with np.load(spec["arrays"], allow_pickle=False) as arrays:
            self.values = {key: arrays[key] for key in arrays.files if key.startswith("v/")}

    def at(self, step):
        """Values by this side's names for a window that starts at ``step``, or None."""
        if step % self.every:
            return None
        found = {}
        for mine, other in self.map.items():
            value = self.values.get("v/%d/%s" % (step, other))
            if value is not None:
                factor = self.scale.get(mine)
                found[mine] = value if factor is None else (value * factor).astype(value.dtype)
        return found or None
