# -*- coding: utf-8 -*-
# mypy: ignore-errors
# ruff: noqa: B905, C401, PERF203, RUF005, SIM105, SIM905, UP004, UP009, UP010, UP020, UP031, UP036
"""Run a program and record what it computes, in any TensorFlow from 1.4 to 2.21.

    python recorder.py JOB.json       run one job
    python recorder.py --zygote       import TensorFlow once, then fork a child for each job

This one file (with ``randomness.py`` beside it) is run by the interpreter of the program under
test: standard library, NumPy and TensorFlow only, in the syntax of Python 2.7 and 3.5+. The program
is not changed: ``Session.run`` and its relatives, ``tf.gradients``, ``GradientTape.gradient``,
``tf.function`` calls, optimizers' slots, Keras histories and variable creation are observed;
``steps_per_execution`` of a compiled Keras 3 model is 1.

A *training step* is one evaluation of a gradient with respect to variables: in a graph a run that
reaches an update op, in TF 2 a call of ``GradientTape.gradient``, eager or inside ``tf.function``
(there the loss and the gradients leave the function through hidden variables, *probes*).

Values are kept as references and converted at the end, so that a step costs microseconds.

A job is a JSON object; ``DEFAULT_JOB`` names the keys. What it writes is ``record.json`` and
``arrays.npz`` (see ``bundle.py``).
"""

from __future__ import absolute_import, division, print_function

import atexit
import collections
import functools
import io
import json
import os
import platform
import runpy
import sys
import threading
import time
import traceback
import types
import weakref
import zipfile

import numpy as np

SCHEMA = 1
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
WITNESS_SECONDS = 60  # for one call of the replayed session
UPDATE_PREFIXES = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
ASSIGN_TYPES = frozenset(
    "Assign AssignAdd AssignSub AssignVariableOp AssignAddVariableOp AssignSubVariableOp "
    "ScatterAdd ScatterSub ScatterUpdate ResourceScatterAdd ResourceScatterSub "
    "ResourceScatterUpdate".split()
)
VARIABLE_TYPES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
SOURCE_TYPES = frozenset(
    "Placeholder PlaceholderV2 PlaceholderWithDefault IteratorGetNext IteratorGetNextSync "
    "OneShotIterator QueueDequeue QueueDequeueV2 QueueDequeueMany QueueDequeueManyV2 "
    "QueueDequeueUpTo QueueDequeueUpToV2 ReaderRead ReaderReadV2 PyFunc PyFuncStateless "
    "EagerPyFunc".split()
)
SAMPLER_TYPES = frozenset(
    "UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler "
    "ThreadUnsafeUnigramCandidateSampler FixedUnigramCandidateSampler AllCandidateSampler".split()
)
HOST_TYPES = SAMPLER_TYPES | frozenset(
    item
    for item in SOURCE_TYPES
    if not item.startswith("Placeholder") and item != "OneShotIterator"
)
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
HANDLE_DTYPES = frozenset(["resource", "variant"])
ARRAY_LIMIT = 4096  # elements of a fetched or returned array that is kept ...
ARRAY_CALLS = 3  # ... for the first calls that yield it
SPARSE_LIMIT = 10**6  # elements of a variable whose sparse gradient is made dense in a function
PROBE_LIMIT = 16 * 10**6  # elements of a gradient that a function keeps for the record

try:
    STRING_TYPES = (basestring,)
except NameError:
    STRING_TYPES = (str,)


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


class Plan(object):
    """What one set of fetches means: computed once, kept as long as the recorder."""

    def __init__(self):
        self.held = None
        self.names = []
        self.sites = []
        self.updates = []
        self.train = False
        self.losses = []
        self.races = frozenset()
        self.sources = []
        self.flat = False


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


def updates_after(operations):
    """Ops that change variables by what the given operations compute."""
    seen, found = set(), []
    stack = list(operations)
    while stack:
        operation = stack.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type.startswith(UPDATE_PREFIXES) or operation.type in ASSIGN_TYPES:
            found.append(operation)
            continue
        for tensor in operation.outputs:
            stack.extend(tensor.consumers())
    return found


def is_scalar(value):
    return isinstance(value, (np.generic, float, int)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def flatten(structure):
    """Leaves of nested lists, tuples and dicts, the order of ``Session.run``'s fetches."""
    if isinstance(structure, dict):
        return [leaf for key in structure for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "dense_shape"):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pairs(structure, values):
    """Leaves of fetches beside the values that ``Session.run`` returned for them."""
    if isinstance(structure, dict):
        return [pair for key in structure for pair in pairs(structure[key], values[key])]
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "dense_shape"):
        return [pair for item, value in zip(structure, values) for pair in pairs(item, value)]
    return [(structure, values)]


def reads_of(source):
    """The operations that read a variable, and those that read what a reference shows."""
    found = []
    for read in source.outputs[0].consumers():
        if read.type == "ReadVariableOp":
            found.append(read)
        elif read.type == "Identity":
            found.extend([read] + read.outputs[0].consumers())
    return found


def ancestors(operations):
    seen = set()
    stack = list(operations)
    while stack:
        operation = stack.pop()
        if operation in seen:
            continue
        seen.add(operation)
        stack.extend(tensor.op for tensor in operation.inputs)
        stack.extend(operation.control_inputs)
    return seen


def one_ulp(value, generator):
    """``value`` with every element moved to the next number up or down."""
    up = generator.randint(0, 2, size=value.shape).astype(bool)
    dtype = value.dtype
    return np.where(
        up, np.nextafter(value, dtype.type(np.inf)), np.nextafter(value, dtype.type(-np.inf))
    ).astype(dtype)


def as_array(value):
    """A NumPy array that can be saved without pickle."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "values") and hasattr(value, "indices"):
        value = value.values
    array = np.asarray(value)
    if array.dtype == object:
        items = [
            item if isinstance(item, bytes) else str(item).encode("utf-8") for item in array.flat
        ]
        if not items:
            return np.zeros(array.shape, dtype="S1")
        return np.array(items, dtype="S").reshape(array.shape)
    if array.dtype.kind == "V" or str(array.dtype) in ("bfloat16",):
        return array.astype(np.float32)
    return array


# -- graphs and sessions --------


class GraphState(object):
    def __init__(self, index):
        self.index = index
        self.ordered = 0
        self.sites = []
        self.plans = {}
        self.optimizers = []
        self.steps = 0
        self.ancestors = {}


class GraphObserver(object):
    """Observes sessions: TensorFlow 1, and ``tf.compat.v1`` in TensorFlow 2."""

    def __init__(self, recorder, tf):
        self.recorder = recorder
        self.tf = tf
        self.v1 = getattr(getattr(tf, "compat", None), "v1", tf)
        if not hasattr(self.v1, "global_variables"):
            self.v1 = tf
        self.graphs = weakref.WeakKeyDictionary()
        self.sessions = []
        self.trace = []
        self.trace_sets = []
        self.trace_bytes = 0
        self.trace_broken = None
        self.traced_graph = None

    def state(self, graph):
        state = self.graphs.get(graph)
        if state is None:
            state = self.graphs[graph] = GraphState(len(self.graphs))
        return state

    def install(self):
        from tensorflow.python.client import session as session_module
        from tensorflow.python.framework import ops

        self.ops = ops
        self.session_class = session_module.BaseSession
        self.plain_run = self.session_class.run
        observer = self
        local = self.recorder.local

        def run(session, fetches, feed_dict=None, options=None, run_metadata=None):
            if local.busy:
                return observer.plain_run(session, fetches, feed_dict, options, run_metadata)
            return observer.run(session, fetches, feed_dict, options, run_metadata)

        self.session_class.run = run
        self._callables(run)
        self._closing(session_module)
        self._optimizers()

    def _callables(self, run):
        observer = self

        def make_callable(session, fetches, feed_list=None, accept_options=False):
            feeds = list(feed_list or [])

            def call(*args, **kwargs):
                if len(args) != len(feeds):
                    raise ValueError("Expected %d feeds, received %d" % (len(feeds), len(args)))
                return session.run(
                    fetches,
                    dict(zip(feeds, args)) or None,
                    kwargs.get("options"),
                    kwargs.get("run_metadata"),
                )

            return call

        if hasattr(self.session_class, "make_callable"):
            self.session_class.make_callable = make_callable
        plain = getattr(self.session_class, "_make_callable_from_options", None)
        if plain is None:
            return

        def from_options(session, options):
            return observer.options_callable(session, options, plain)

        self.session_class._make_callable_from_options = from_options

    def _closing(self, module):
        observer = self
        plain_close = self.session_class.close
        plain_exit = module.Session.__exit__

        def close(session):
            observer.finish(session)
            return plain_close(session)

        def leave(session, *details):
            observer.finish(session)
            return plain_exit(session, *details)

        self.session_class.close = close
        module.Session.__exit__ = leave

    def _optimizers(self):
        from tensorflow.python.training import optimizer

        observer = self
        plain = optimizer.Optimizer.apply_gradients

        def apply_gradients(this, grads_and_vars, *args, **kwargs):
            grads_and_vars = list(grads_and_vars)
            result = plain(this, grads_and_vars, *args, **kwargs)
            variables = [variable for _, variable in grads_and_vars]
            graph = getattr(result, "graph", None)
            observer.slots_of(this, variables)
            if graph is not None:
                observer.state(graph).optimizers.append((this, variables))
            return result

        optimizer.Optimizer.apply_gradients = apply_gradients
        try:
            from tensorflow.python.keras.optimizer_v2 import optimizer_v2
        except ImportError:
            return
        plain_slot = optimizer_v2.OptimizerV2.add_slot

        def add_slot(this, var, slot_name, initializer="zeros"):
            weight = plain_slot(this, var, slot_name, initializer)
            try:
                observer.recorder.slots[op_name(weight)] = (op_name(var), slot_name)
            except (AttributeError, ValueError):
                pass
            return weight

        optimizer_v2.OptimizerV2.add_slot = add_slot

    def slots_of(self, optimizer, variables):
        try:
            for slot in optimizer.get_slot_names():
                for variable in variables:
                    value = optimizer.get_slot(variable, slot)
                    if value is not None:
                        self.recorder.slots[op_name(value)] = (op_name(variable), slot)
        except Exception as error:  # an optimizer of the user's own
            self.recorder.note("slots", optimizer=type(optimizer).__name__, error=repr(error))

    def on_gradients(self, graph, losses, sources, gradients):
        names, kept, shapes = [], [], []
        for source, gradient in zip(sources, gradients):
            operation = getattr(source, "op", None)
            if operation is None or operation.type not in VARIABLE_TYPES or gradient is None:
                continue
            names.append(operation.name)
            kept.append(gradient)
            shapes.append(static_shape(source, operation))
        if names:
            state = self.state(graph)
            site = GradientSite(self.recorder.sites, losses, names, kept, shapes)
            self.recorder.sites += 1
            state.sites.append(site)

    def order_updates(self, state):
        """Let updates wait for the loss that they lower, so that a fetched loss is that before.

        Where a loss reads a reference variable itself, 1.15 leaves open whether it sees the update.
        This has to happen before a session takes the graph over.
        """
        for site in state.sites[state.ordered :]:
            losses = [loss.op for loss in site.losses]
            known = ancestors(losses)
            for update in updates_after([gradient_op(item) for item in site.gradients]):
                reached = ancestors([update])
                for loss in losses:
                    if update not in known and loss not in reached and self.is_free(loss, reached):
                        update._add_control_inputs([loss])
        state.ordered = len(state.sites)
        if state.sites:
            self.order_global_step(state.sites[0].losses[0].graph)

    def order_global_step(self, graph):
        """Let hooks and schedules see the global step before its update: 1.15 leaves that open."""
        cached = [tensor.op for tensor in graph.get_collection("global_step_read_op_cache")]
        steps = [
            getattr(variable, "handle", variable).op
            for variable in graph.get_collection("global_step")
        ]
        for operation in graph.get_operations():
            if operation.type in ("AssignAdd", "AssignAddVariableOp"):
                source, reads = operation.inputs[0].op, cached
            elif operation.type in ("Assign", "AssignVariableOp"):
                source = operation.inputs[0].op
                reads = reads_of(source) if source in steps else []
            else:
                continue
            if not reads:
                continue
            known = ancestors([operation])
            if reads is not cached and not known.intersection(reads):
                continue  # an initial value, or a restored one
            for read in reads:
                reached = ancestors([read])
                if source in reached and operation not in reached and read not in known:
                    operation._add_control_inputs([read])

    # -- one run --

    def plan(self, graph, state, fetches):
        leaves = [fetches] if not isinstance(fetches, (list, tuple, dict)) else flatten(fetches)
        key = tuple([leaf if isinstance(leaf, STRING_TYPES) else id(leaf) for leaf in leaves])
        plan = state.plans.get(key)
        if plan is not None:
            return plan
        plan = Plan()
        plan.held = leaves
        plan.flat = isinstance(fetches, (list, tuple)) and len(leaves) == len(fetches)
        operations = []
        for leaf in leaves:
            name, operation = self.element(graph, leaf)
            # Hooks fetch what others fetch too: one value a run is one value.
            plan.names.append(None if name in plan.names else name)
            if operation is not None:
                operations.append(operation)
        reached = ancestors(operations)
        kinds = set(operation.type for operation in reached)
        plan.updates = sorted(
            operation.name for operation in reached if operation.type.startswith(UPDATE_PREFIXES)
        )
        assigns = bool(kinds & ASSIGN_TYPES)
        if (plan.updates or assigns) and "RestoreV2" not in kinds and "Restore" not in kinds:
            plan.sites = [
                site
                for site in state.sites
                if any(gradient_op(gradient) in reached for gradient in site.gradients)
            ]
        plan.train = bool(plan.sites) or bool(plan.updates)
        plan.races = self.racing(graph, plan, reached)
        fetched = set(name for name in plan.names if name)
        for site in plan.sites:
            for loss in site.losses:
                if loss.name not in fetched and self.is_free(loss.op, reached):
                    plan.losses.append((site, loss))
                elif loss.name not in fetched:
                    self.recorder.note("loss-not-fetched", tensor=loss.name)
        if self.recorder.job["for_devices"]:
            plan.sources = sources_of(reached)
        state.plans[key] = plan
        return plan

    def racing(self, graph, plan, reached):
        """Fetched counters that the same run changes, like the global step: 1.15 orders neither."""
        changed = set()
        for operation in reached:
            if operation.type in ASSIGN_TYPES and len(operation.inputs):
                changed.add(operation.inputs[0].op)
        found = set()
        for name in plan.names:
            if name is not None and changed:
                tensor = graph.get_tensor_by_name(name)
                if tensor.dtype.is_integer and changed & ancestors([tensor.op]):
                    found.add(name)
        return frozenset(found)

    def is_free(self, operation, reached):
        """Whether fetching takes no input from a source that the run does not read anyway."""
        return operation in reached or all(
            item in reached or item.type not in SOURCE_TYPES for item in ancestors([operation])
        )

    def element(self, graph, leaf):
        """The name of a fetched tensor (None for an operation) and its operation."""
        try:
            item = graph.as_graph_element(leaf, allow_tensor=True, allow_operation=True)
        except (TypeError, ValueError, KeyError):
            return None, None
        if isinstance(item, self.ops.Operation):
            return None, item
        return item.name, item.op

    def read_handles(self, graph, fetches):
        """``w:0`` was a reference variable's value; of a resource variable it is the handle."""
        if isinstance(fetches, dict):
            made = ((key, self.read_handles(graph, item)) for key, item in fetches.items())
            return dict(made) if type(fetches) is dict else fetches
        if type(fetches) in (list, tuple):
            return type(fetches)([self.read_handles(graph, item) for item in fetches])
        name, operation = self.element(graph, fetches)
        if name is None or operation.type != "VarHandleOp":
            return fetches
        read, operation = self.element(graph, operation.name + "/Read/ReadVariableOp:0")
        return fetches if operation is None else read

    def run(self, session, fetches, feed_dict, options, run_metadata):
        recorder = self.recorder
        graph = session.graph
        state = self.state(graph)
        if recorder.job["for_devices"]:
            fetches = self.read_handles(graph, fetches)
        if state.ordered < len(state.sites):
            self.order_updates(state)
        plan = self.plan(graph, state, fetches)
        recorder.calls += 1
        if not plan.train:
            if recorder.step == 0 and session not in self.sessions:
                self.sessions.append(session)
            given = ()
            if plan.sources:
                result, given = self.plain_run(
                    session, [fetches, plan.sources], feed_dict, options, run_metadata
                )
            else:
                result = self.plain_run(session, fetches, feed_dict, options, run_metadata)
            self.results(plan, fetches, result)
            self.remember(session, plan, feed_dict, False, given)
            return result
        self.before_step(session, state)
        extras = [loss for _, loss in plan.losses]
        gradients = self.wanted_gradients(plan, state)
        if extras or gradients or plan.sources:
            values = [gradient for _, _, gradient in gradients]
            result, losses, values, given = self.plain_run(
                session, [fetches, extras, values, plan.sources], feed_dict, options, run_metadata
            )
        else:
            result = self.plain_run(session, fetches, feed_dict, options, run_metadata)
            losses, values, given = (), (), ()
        for (site, _), value in zip(plan.losses, losses):
            recorder.add("loss", site.index, value)
        for (site, name, _), value in zip(gradients, values):
            shape = site.shapes[site.names.index(name)]
            recorder.keep_gradient(site.index, name, dense(value, shape))
        self.results(plan, fetches, result)
        self.remember(session, plan, feed_dict, True, given)
        recorder.step += 1
        state.steps += 1
        if recorder.step in recorder.wanted:
            recorder.keep_snapshot(str(recorder.step), self.read(session))
        recorder.check_limit()
        return result

    def before_step(self, session, state):
        recorder = self.recorder
        if session not in self.sessions:
            self.sessions.append(session)
        if not state.steps:
            self.declare(session)
        values = recorder.restore.at(recorder.step) if recorder.restore else None
        if values is not None:
            recorder.restored.append([recorder.step, self.assign(session, values)])
        if not state.steps:
            if recorder.job["perturb"] is not None:
                self.perturb(session)
            if recorder.step == 0:
                recorder.keep_snapshot("0", self.read(session))
                if recorder.job["for_devices"]:
                    self.keep_local(session)

    def keep_local(self, session):
        """The start values of local variables, which a replay of the steps needs too."""
        with session.graph.as_default():
            variables = list(self.v1.local_variables())
        for variable in variables:
            try:
                value = self.plain_run(session, variable._graph_element)
            except (AttributeError, self.tf.errors.FailedPreconditionError):
                continue
            self.recorder.arrays["original/local/" + op_name(variable)] = value

    def wanted_gradients(self, plan, state):
        wanted = []
        for site in plan.sites:
            if site.index in self.recorder.gradients:
                continue
            for name, gradient in zip(site.names, site.gradients):
                wanted.append((site, name, fetchable(gradient)))
        return wanted

    def results(self, plan, fetches, result):
        recorder = self.recorder
        if plan.flat:
            values = result
        elif len(plan.names) == 1 and not isinstance(fetches, (list, tuple, dict)):
            values = [result]
        else:
            values = [value for _, value in pairs(fetches, result)]
        losses = None
        for name, value in zip(plan.names, values):
            if name is None or value is None:
                continue
            if name in plan.races:
                recorder.add("race", name, value)
            elif is_scalar(value):
                recorder.add("fetch" if plan.train else "look", name, value)
                if plan.sites:
                    if losses is None:
                        losses = {loss.name: site for site in plan.sites for loss in site.losses}
                    if name in losses:
                        recorder.add("loss", losses[name].index, value)
            elif isinstance(value, np.ndarray) and value.size <= ARRAY_LIMIT:
                recorder.add_array("fetch", name, value)

    def remember(self, session, plan, feed_dict, train, given=()):
        """Keep the call for the witness, while it is cheap; ``given`` is what its sources gave."""
        job = self.recorder.job
        if self.trace_broken or self.recorder.step >= job["trace_steps"]:
            return
        if len(self.trace) >= job["trace_calls"]:
            return
        if self.traced_graph is None:
            self.traced_graph = session.graph
        if session.graph is not self.traced_graph:
            return
        feeds = {}
        known = dict(feed_dict or {})
        known.update(zip(plan.sources, given))
        for key, value in expanded(known):
            name = key if isinstance(key, STRING_TYPES) else getattr(key, "name", None)
            if name is None or isinstance(value, dict) or hasattr(value, "dense_shape"):
                self.trace_broken = "a feed that is no plain tensor: %s" % type(key).__name__
                return
            copied = np.array(value)
            self.trace_bytes += copied.nbytes
            feeds[name] = copied
        if self.trace_bytes > job["trace_bytes"]:
            self.trace_broken = "the feeds exceed %d bytes" % job["trace_bytes"]
            return
        self.trace.append((plan, feeds, train))

    # -- variables --

    def all_variables(self, graph):
        with graph.as_default():
            variables = list(self.v1.global_variables())
        found = []
        for variable in variables:
            tensor = getattr(variable, "_graph_element", None)
            if tensor is None:
                tensor = getattr(variable, "_snapshot", None)
            if tensor is not None:
                found.append((op_name(variable), variable, tensor))
        return found

    def declare(self, session):
        graph = session.graph
        with graph.as_default():
            trainable = set(op_name(variable) for variable in self.v1.trainable_variables())
        for name, _, tensor in self.all_variables(graph):
            shape = tensor.get_shape()
            shape = (
                None
                if shape.ndims is None
                else [None if size is None else int(size) for size in shape.as_list()]
            )
            self.recorder.declare(
                name, shape, tensor.dtype.base_dtype.name, name in trainable, "graph"
            )

    def read(self, session):
        """Every variable's value by name; those without a value yet are left out."""
        found = self.all_variables(session.graph)
        names = [name for name, _, _ in found]
        tensors = [tensor for _, _, tensor in found]
        try:
            values = self.plain_run(session, tensors)
        except self.tf.errors.FailedPreconditionError:
            values = []
            for tensor in tensors:
                try:
                    values.append(self.plain_run(session, tensor))
                except self.tf.errors.FailedPreconditionError:
                    values.append(None)
        return collections.OrderedDict(
            (name, value) for name, value in zip(names, values) if value is not None
        )

    def assign(self, session, values):
        """Give variables values by name; returns the names that were given one."""
        done, feeds, targets = [], {}, []
        for name, variable, _ in self.all_variables(session.graph):
            if name not in values:
                continue
            initializer = variable.initializer
            source = initializer.inputs[1]
            if source in feeds or not session.graph.is_feedable(source):
                self.plain_run(session, initializer, {source: values[name]})
            else:
                feeds[source] = values[name]
                targets.append(initializer)
            done.append(name)
        if targets:
            self.plain_run(session, targets, feeds)
        return done

    def perturb(self, session):
        generator = np.random.RandomState(self.recorder.job["perturb"])
        with session.graph.as_default():
            trainable = set(op_name(variable) for variable in self.v1.trainable_variables())
        values = self.read(session)
        changed = {}
        for name in values:
            if name in trainable and values[name].dtype.kind == "f":
                changed[name] = one_ulp(values[name], generator)
        self.assign(session, changed)

    def finish(self, session):
        """Record the final values of a session that is about to close."""
        if self.recorder.local.busy or session not in self.sessions:
            return
        self.sessions.remove(session)
        if getattr(session, "_closed", False):
            return
        self.recorder.local.busy = True
        try:
            self.declare(session)
            values = self.read(session)
            label = "end" if self.recorder.step else "0"
            self.recorder.keep_snapshot(label, values)
            if label == "0":
                self.recorder.keep_snapshot("end", values)
        except Exception as error:
            self.recorder.note("final-values", error=repr(error)[:500])
        finally:
            self.recorder.local.busy = False

    def options_callable(self, session, options, plain):
        """``tf.keras`` of TensorFlow 1 in graph mode, and Keras 2 on it."""
        graph = session.graph
        state = self.state(graph)
        if state.ordered < len(state.sites):
            self.order_updates(state)
        names = list(options.fetch) + list(options.target)
        operations = [graph.get_operation_by_name(name.split(":")[0].lstrip("^")) for name in names]
        reached = ancestors(operations)
        sites = [
            site
            for site in state.sites
            if any(gradient_op(gradient) in reached for gradient in site.gradients)
        ]
        fetched = list(options.fetch)
        losses = []
        for site in sites:
            for loss in site.losses:
                if loss.name in fetched:
                    losses.append((site, fetched.index(loss.name)))
                elif loss.op in reached:
                    options.fetch.append(loss.name)
                    losses.append((site, len(options.fetch) - 1))
        function = plain(session, options)
        feeds = list(options.feed)
        recorder = self.recorder
        observer = self
        gradients = [
            (site, name, fetchable(gradient))
            for site in sites
            for name, gradient in zip(site.names, site.gradients)
        ]

        def call(*args, **kwargs):
            if recorder.local.busy:
                return function(*args, **kwargs)[: len(fetched)]
            if sites:
                observer.before_step(session, state)
                observer.callable_gradients(session, gradients, feeds, args)
            values = function(*args, **kwargs)
            if sites:
                for site, place in losses:
                    recorder.add("loss", site.index, values[place])
                recorder.step += 1
                state.steps += 1
                if recorder.step in recorder.wanted:
                    recorder.keep_snapshot(str(recorder.step), observer.read(session))
                recorder.check_limit()
            recorder.calls += 1
            for name, value in zip(fetched, values):
                if is_scalar(value):
                    recorder.add("fetch" if sites else "look", name, value)
                elif isinstance(value, np.ndarray) and value.size <= ARRAY_LIMIT:
                    recorder.add_array("fetch", name, value)
            observer.trace_broken = observer.trace_broken or "the program runs Keras callables"
            return values[: len(fetched)]

        return call

    def callable_gradients(self, session, gradients, feeds, args):
        wanted = [item for item in gradients if item[0].index not in self.recorder.gradients]
        if not wanted:
            return
        try:
            values = self.plain_run(
                session, [item[2] for item in wanted], dict(zip(feeds, [np.array(a) for a in args]))
            )
        except Exception as error:
            self.recorder.note("gradients", error=repr(error)[:300])
            for site, _, _ in wanted:
                self.recorder.gradients.setdefault(site.index, collections.OrderedDict())
            return
        for (site, name, _), value in zip(wanted, values):
            shape = site.shapes[site.names.index(name)]
            self.recorder.keep_gradient(site.index, name, dense(value, shape))

    # -- what the witness needs --

    def export(self, arrays):
        """Put the graph and the trace into ``arrays``; returns their description."""
        graph = self.traced_graph
        if graph is None or not len(self.trace):
            return None
        try:
            with graph.as_default():
                meta = self.v1.train.export_meta_graph(graph=graph, clear_devices=True)
        except Exception as error:
            return {"broken": "the graph can't be exported: %r" % (error,)}
        arrays["original/meta_graph"] = np.frombuffer(meta.SerializeToString(), dtype=np.uint8)
        sets, index, calls, store = [], {}, [], {}
        for plan, feeds, train in self.trace:
            if id(plan) not in index:
                index[id(plan)] = len(sets)
                sets.append(
                    {
                        "fetches": [name for name in plan.names if name],
                        "targets": [
                            operation.name
                            for tensor, operation in [
                                self.element(graph, leaf) for leaf in plan.held
                            ]
                            if tensor is None and operation is not None
                        ],
                        "losses": [[site.index, loss.name] for site, loss in plan.losses]
                        + [
                            [site.index, loss.name]
                            for site in plan.sites
                            for loss in site.losses
                            if loss.name in plan.names
                        ],
                    }
                )
            keys = {}
            for name, value in feeds.items():
                value = as_array(value)
                content = (value.dtype.str, value.shape, value.tobytes())
                if content not in store:
                    store[content] = "original/feed/%d" % len(store)
                    arrays[store[content]] = value
                keys[name] = store[content]
            calls.append({"set": index[id(plan)], "feeds": keys, "train": train})
        variables = {}
        for name, variable, tensor in self.all_variables(graph):
            initializer = variable.initializer
            variables[name] = {
                "read": tensor.name,
                "initializer": initializer.name,
                "value": initializer.inputs[1].name,
            }
        return {
            "broken": self.trace_broken,
            "given": self.recorder.job["for_devices"],
            "sets": sets,
            "calls": calls,
            "variables": variables,
            "op_types": sorted(set(operation.type for operation in graph.get_operations())),
            "lines": self.lines(graph, sets) if self.recorder.job["for_devices"] else {},
        }

    def lines(self, graph, sets):
        """Where the program made each operation that a recorded call reached: file and line."""
        names = set(item for kinds in sets for item in kinds["fetches"] + kinds["targets"])
        reached = ancestors(
            [graph.get_operation_by_name(name.split(":")[0].lstrip("^")) for name in names]
        )
        found = {}
        for operation in reached:
            place = own_line(operation.traceback or ())  # None: made by the C API
            if place is not None:
                found[operation.name] = place
        return found


def expanded(feeds):
    """Pairs of a feed dict; a structure as key, such as an LSTM's state, is taken apart."""
    found = []
    stack = list(feeds.items())
    while stack:
        key, value = stack.pop()
        if isinstance(key, (tuple, list)) and isinstance(value, (tuple, list)):
            stack.extend(zip(key, value))
        else:
            found.append((key, value))
    return found


def sources_of(reached):
    """Tensors that come from outside of a step: of iterators, queues, samplers, Python functions.

    What depends on a variable is part of the step.
    """
    found = []
    for operation in sorted(reached, key=lambda item: item.name):
        if operation.type not in HOST_TYPES or operation._get_control_flow_context() is not None:
            continue
        if any(item.type in VARIABLE_TYPES for item in ancestors([operation])):
            continue
        found += [item.name for item in operation.outputs if item.dtype.name not in HANDLE_DTYPES]
    return found


def own_line(frames):
    """File and line of the innermost frame of the program itself; None without one."""
    for frame in reversed(list(frames)):
        path = os.path.abspath(frame[0])
        parts = path.split(os.sep)
        outside = "site-packages" in parts or "dist-packages" in parts
        outside = outside or path.startswith(OWN_FOLDER)
        if not outside and os.path.exists(path) and "lib" + os.sep + "python" not in path:
            return [path, frame[1]]
    return None


def op_name(variable):
    operation = getattr(variable, "op", None)
    name = operation.name if operation is not None else variable.name
    return name.split(":")[0]


def static_shape(source, operation):
    try:
        shape = operation.get_attr("shape")
        return [int(dim.size) for dim in shape.dim]
    except Exception:
        shape = source.get_shape()
        return None if shape.ndims is None else shape.as_list()


def fetchable(gradient):
    if hasattr(gradient, "indices") and hasattr(gradient, "values"):
        return [gradient.values, gradient.indices]
    return gradient


def gradient_op(gradient):
    return gradient.values.op if hasattr(gradient, "indices") else gradient.op


def dense(value, shape):
    """A gradient as a dense array of the variable's shape; repeated rows are summed."""
    if not isinstance(value, list):
        return value
    values, indices = value
    total = np.zeros([shape[0]] + list(values.shape[1:]), values.dtype)
    np.add.at(total, indices, values)
    return total


# -- eager execution and tf.function --------


class Probe(object):
    """A hidden variable through which a loss and its gradients leave a function."""

    def __init__(self, site, count, loss, gradients):
        self.site = site
        self.count = count
        self.loss = loss
        self.gradients = gradients
        self.seen = 0


class EagerObserver(object):
    """Observes TensorFlow 2: variables, tapes and functions."""

    def __init__(self, recorder, tf):
        self.recorder = recorder
        self.tf = tf
        self.created = []
        self.names = {}
        self.taken = set()
        self.probes = {}
        self.current = None
        self.start = None
        self.late = set()
        self.dirty = False
        self.lazy = []
        self.kept = []
        self.last_snapshot = max(recorder.wanted) if recorder.wanted else 0
        self.site_keys = {}
        self.restored_at = None

    def install(self):
        from tensorflow.python.eager import backprop, context
        from tensorflow.python.eager.polymorphic_function import polymorphic_function
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import gen_resource_variable_ops, resource_variable_ops

        self.read_op = gen_resource_variable_ops.read_variable_op
        self.context = context
        self.ops = ops
        self.variable_class = resource_variable_ops.ResourceVariable
        self._variables(resource_variable_ops)
        self._tapes(backprop)
        self._functions(polymorphic_function)

    def _variables(self, module):
        observer = self
        plain = module.BaseResourceVariable.__init__

        def create(variable, *args, **kwargs):
            plain(variable, *args, **kwargs)
            if (
                not observer.recorder.local.busy
                and not getattr(variable, "_in_graph_mode", True)
                and type(variable).__name__ != "_UnreadVariable"
            ):
                observer.on_variable(variable)

        module.BaseResourceVariable.__init__ = create

    def _tapes(self, backprop):
        observer = self
        local = self.recorder.local
        plain = backprop.GradientTape.gradient
        plain_enter = backprop.GradientTape.__enter__

        def gradient(tape, target, sources, *args, **kwargs):
            local.depth += 1
            try:
                result = plain(tape, target, sources, *args, **kwargs)
            finally:
                local.depth -= 1
            if not local.depth and not local.busy:
                observer.on_gradient(target, sources, result)
            return result

        def enter(tape):
            if not (local.busy or local.inside or local.depth) and (
                observer.context.executing_eagerly()
            ):
                observer.boundary()
            return plain_enter(tape)

        backprop.GradientTape.gradient = unconverted(self.tf, gradient)
        backprop.GradientTape.__enter__ = enter

    def _functions(self, module):
        observer = self
        local = self.recorder.local
        plain = module.Function.__call__

        def call(function, *args, **kwargs):
            if local.busy or local.inside or not observer.context.executing_eagerly():
                return plain(function, *args, **kwargs)
            observer.boundary()
            local.inside = True
            observer.current = function
            try:
                result = plain(function, *args, **kwargs)
            finally:
                local.inside = False
                observer.current = None
            observer.after_call(function, result)
            return result

        module.Function.__call__ = call
        plain_initialize = getattr(module.Function, "_initialize_uninitialized_variables", None)
        if plain_initialize is None:
            return

        def initialize(function, initializers):
            plain_initialize(function, initializers)
            if local.inside and not observer.recorder.step and observer.context.executing_eagerly():
                # Variables that the first trace made have their start values only now.
                observer.prepare()

        module.Function._initialize_uninitialized_variables = initialize

    # -- variables --

    def on_variable(self, variable):
        name = variable.name.split(":")[0] if variable.name else "Variable"
        self.created.append(weakref.ref(variable))
        self.names[id(variable)] = self.unique(name)
        if self.recorder.local.inside and self.recorder.step == 0:
            self.late.add(id(variable))

    def unique(self, name):
        base, count = name, 0
        while name in self.taken:
            count += 1
            name = "%s_%d" % (base, count)
        self.taken.add(name)
        return name

    def rename(self, variable, name):
        old = self.names.get(id(variable))
        if old is not None and name and old != name:
            self.taken.discard(old)
            self.names[id(variable)] = self.unique(name)

    def alive(self):
        for reference in self.created:
            variable = reference()
            if variable is not None:
                yield self.names[id(variable)], variable

    def declare(self):
        for name, variable in self.alive():
            shape = variable.shape
            shape = (
                None
                if shape.rank is None
                else [None if size is None else int(size) for size in shape.as_list()]
            )
            self.recorder.declare(name, shape, variable.dtype.name, variable.trainable, "eager")

    def read(self):
        values = collections.OrderedDict()
        for name, variable in self.alive():
            try:
                value = variable.read_value()
            except Exception:
                continue
            if variable.shape.is_compatible_with(value.shape):  # else it has no value yet
                values[name] = value
        return values

    def name_of(self, source):
        value = source
        if not isinstance(value, self.variable_class) and hasattr(source, "path"):
            value = source.value
        return self.names.get(id(value))

    # -- steps --

    def boundary(self):
        """No step is under way: finish the last one, prepare the next."""
        recorder = self.recorder
        if self.dirty:
            self.dirty = False
            self.after_step()
            recorder.check_limit()
        self.prepare()

    def prepare(self):
        """Put back the original's variables where a window begins; note the start values."""
        recorder = self.recorder
        local = recorder.local
        was_busy, local.busy = local.busy, True
        try:
            if recorder.restore is not None and self.restored_at != recorder.step:
                values = recorder.restore.at(recorder.step)
                if values is not None:
                    done = self.assign(values)
                    if recorder.step:
                        self.restored_at = recorder.step
                    if done:
                        recorder.restored.append([recorder.step, done])
            if recorder.step == 0:
                if recorder.job["perturb"] is not None:
                    self.perturb()
                self.start = self.read()
        finally:
            local.busy = was_busy

    def assign(self, values):
        done = []
        for name, variable in self.alive():
            if name in values:
                variable.assign(values[name])
                done.append(name)
        return done

    def perturb(self):
        if getattr(self, "perturbed", False):
            return
        generator = np.random.RandomState(self.recorder.job["perturb"])
        for _, variable in self.alive():
            if variable.trainable and variable.dtype.is_floating:
                self.perturbed = True
                variable.assign(one_ulp(variable.numpy(), generator))

    def after_step(self):
        recorder = self.recorder
        if recorder.step in recorder.wanted:
            recorder.local.busy = True
            try:
                self.kept = list(self.alive())
                self.declare()
                recorder.keep_snapshot(str(recorder.step), self.read())
            finally:
                recorder.local.busy = False

    def count_steps(self, count):
        recorder = self.recorder
        if recorder.step == 0 and count:
            self.kept = list(self.alive())  # a function's variables, to be read after it returned
            self.declare()
            values = self.start if self.start is not None else collections.OrderedDict()
            recorder.keep_snapshot("0", values)
        recorder.step += count

    def site(self, key):
        if key not in self.site_keys:
            self.site_keys[key] = self.recorder.sites
            self.recorder.sites += 1
        return self.site_keys[key]

    def on_gradient(self, target, sources, result):
        flat_sources = self.tf.nest.flatten(sources)
        flat_result = self.tf.nest.flatten(result)
        names = [self.name_of(source) for source in flat_sources]
        found = [
            (name, gradient, source)
            for name, gradient, source in zip(names, flat_result, flat_sources)
            if name is not None and gradient is not None
        ]
        if not found:
            return
        losses = self.tf.nest.flatten(target)
        if self.context.executing_eagerly():
            # A site is known by the variables that it differentiates by.
            site = self.site(("eager", tuple(name for name, _, _ in found)))
            self.count_steps(1)
            self.recorder.step -= 1
            self.recorder.add("loss", site, losses if len(losses) > 1 else losses[0])
            self.recorder.step += 1
            if site not in self.recorder.gradients:
                for name, gradient, _ in found:
                    self.recorder.keep_gradient(site, name, gradient)
            self.dirty = True
        elif self.current is not None:
            self.make_probe(losses, found)

    def make_probe(self, losses, found):
        tf, local = self.tf, self.recorder.local
        local.busy = True
        try:
            site = self.site((id(self.current), tuple(name for name, _, _ in found)))
            total = losses[0] if len(losses) == 1 else tf.add_n(losses)
            with self.ops.init_scope():
                # The class itself: tf.function refuses tf.Variable after its first trace.
                count = self.variable_class(0, dtype=tf.int64, trainable=False)
                loss = self.hidden(total.shape, total.dtype)
            kept = []
            for name, gradient, source in found:
                if hasattr(gradient, "indices"):
                    size = int(np.prod([int(side) for side in source.shape]))
                    if size > SPARSE_LIMIT:
                        self.recorder.note("gradient-too-large", name=name, elements=size)
                        continue
                    gradient = tf.convert_to_tensor(gradient)
                if not gradient.shape.is_fully_defined():
                    gradient = tf.ensure_shape(gradient, source.shape)
                if gradient.shape.num_elements() > PROBE_LIMIT:
                    self.recorder.note("gradient-too-large", name=name)
                    continue
                with self.ops.init_scope():
                    place = self.hidden(gradient.shape, gradient.dtype)
                place.assign(gradient)
                kept.append((name, place))
            loss.assign(total)
            count.assign_add(1)
            probe = Probe(site, count, loss, kept)
            self.probes.setdefault(id(self.current), (self.current, []))[1].append(probe)
        finally:
            local.busy = False

    def hidden(self, shape, dtype):
        defined = shape.is_fully_defined()
        return self.variable_class(
            self.tf.zeros(shape if defined else [], dtype),
            shape=shape if defined else self.tf.TensorShape(None),
            trainable=False,
        )

    def after_call(self, function, result):
        recorder = self.recorder
        local = recorder.local
        local.busy = True
        try:
            owned = self.probes.get(id(function))
            steps = 0
            if owned is not None:
                for probe in owned[1]:
                    steps += self.read_probe(probe)
            self.returned(function, result)
            if steps:
                self.count_steps(steps)
                self.after_step()
                recorder.check_limit()
        finally:
            local.busy = False

    def read_probe(self, probe):
        """How many steps the last call made; past the last snapshot counted at the end."""
        recorder = self.recorder
        read = self.read_op
        loss = read(probe.loss.handle, probe.loss.dtype)
        count = read(probe.count.handle, probe.count.dtype)
        if self.counting_matters():
            return self.settle(probe, int(count.numpy()), loss, recorder.step)
        if probe.site not in recorder.gradients and int(count.numpy()) == probe.seen + 1:
            self.keep_gradients(probe)  # it is overwritten by the time that steps are settled
        self.lazy.append((probe, count, loss))
        return 1

    def keep_gradients(self, probe):
        for name, place in probe.gradients:
            self.recorder.keep_gradient(probe.site, name, place.read_value())

    def counting_matters(self):
        """Whether something has to happen at an exact step from here on."""
        recorder = self.recorder
        return (
            recorder.restore is not None
            or bool(recorder.job["steps"])
            or recorder.step <= self.last_snapshot
        )

    def settle(self, probe, count, loss, step):
        recorder = self.recorder
        delta, probe.seen = count - probe.seen, count
        if not delta:
            return 0
        if delta > 1:
            recorder.note("loop-in-function", site=probe.site, steps=delta)
        series = recorder.series_of("loss", probe.site)
        series.steps.append(step)
        series.values.append(loss)
        if probe.site not in recorder.gradients and delta == 1:
            self.keep_gradients(probe)
        return delta

    def settle_all(self):
        """Count the steps that were recorded without looking."""
        recorder = self.recorder
        step = recorder.step - len(self.lazy)
        for probe, count, loss in self.lazy:
            step += self.settle(probe, int(count.numpy()), loss, step)
        if self.lazy:
            recorder.step = step
        self.lazy = []

    def returned(self, function, result):
        recorder = self.recorder
        label = getattr(function, "__name__", None) or getattr(function, "_name", "function")
        for place, leaf in enumerate(flatten(result)):
            shape = getattr(leaf, "shape", None)
            if shape is None or not hasattr(leaf, "numpy"):
                continue
            name = "%s[%d]" % (label, place)
            if shape.rank == 0:
                if leaf.dtype.is_floating or leaf.dtype.is_integer:
                    recorder.add("return", name, leaf)
            elif shape.num_elements() is not None and shape.num_elements() <= ARRAY_LIMIT:
                recorder.add_array("return", name, leaf)

    def finish(self):
        recorder = self.recorder
        self.settle_all()
        if not self.created:
            return
        if self.dirty:
            self.dirty = False
            self.after_step()
        self.declare()
        values = self.read()
        if not recorder.step and "0" not in recorder.snapshots:
            recorder.keep_snapshot("0", values)
        recorder.keep_snapshot("end", values)


def unconverted(tf, function):
    """Keep AutoGraph from translating ``function`` where a converted program calls it."""
    autograph = getattr(tf, "autograph", None)
    if autograph is None or not hasattr(autograph.experimental, "do_not_convert"):
        return function
    return autograph.experimental.do_not_convert(function)


# -- gradients in graphs, Keras --------


def observe_gradients(recorder, tf, graphs, eager):
    """Observe ``tf.gradients``, under whatever name this TensorFlow builds it."""
    from tensorflow.python.framework import ops

    local = recorder.local

    def observe(plain):
        def helper(ys, xs, *args, **kwargs):
            local.depth += 1
            try:
                result = plain(ys, xs, *args, **kwargs)
            finally:
                local.depth -= 1
            if local.depth or local.busy:
                return result
            losses = ys if isinstance(ys, (list, tuple)) else [ys]
            sources = xs if isinstance(xs, (list, tuple)) else [xs]
            graph = ops.get_default_graph()
            if not getattr(graph, "building_function", False):
                graphs.on_gradients(graph, list(losses), list(sources), list(result))
            elif eager is not None and eager.current is not None:
                eager.on_gradient(list(losses), list(sources), list(result))
            return result

        return unconverted(tf, helper)

    for name in ("gradients_util", "gradients_impl"):
        try:
            module = __import__("tensorflow.python.ops." + name, fromlist=["x"])
        except ImportError:
            continue
        if hasattr(module, "_GradientsHelper"):
            module._GradientsHelper = observe(module._GradientsHelper)
            return
    from tensorflow.python.ops import gradients, gradients_impl

    replacement = observe(gradients_impl.gradients)
    gradients_impl.gradients = replacement
    gradients.gradients = replacement
    tf.gradients = replacement


def observe_history(recorder, module):
    """Record the logs of every epoch that a Keras ``History`` sees."""
    plain = module.History.on_epoch_end

    def on_epoch_end(history, epoch, logs=None):
        for key, value in sorted((logs or {}).items()):
            try:
                recorder.add("history", key, float(value))
            except (TypeError, ValueError):
                continue
        return plain(history, epoch, logs)

    module.History.on_epoch_end = on_epoch_end


def observe_keras_variables(eager, module):
    plain = module.Variable._initialize

    def initialize(variable, value):
        plain(variable, value)
        eager.rename(variable._value, getattr(variable, "_path", None) or variable.path)

    module.Variable._initialize = initialize


def observe_keras_slots(recorder, eager, module):
    plain = module.BaseOptimizer.add_variable_from_reference

    def add(optimizer, reference_variable, name=None, initializer="zeros"):
        slot = plain(optimizer, reference_variable, name=name, initializer=initializer)
        owner = eager.name_of(reference_variable)
        mine = eager.name_of(slot)
        if owner and mine:
            recorder.slots[mine] = (owner, name or "var")
        return slot

    module.BaseOptimizer.add_variable_from_reference = add


class AfterImport(object):
    """Runs a function on a module as soon as the program imports it (Python 3 only)."""

    def __init__(self, actions):
        self.actions = actions

    def install(self):
        for name in list(self.actions):
            if name in sys.modules:
                self.actions.pop(name)(sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name not in self.actions:
            return None
        import importlib.util

        action = self.actions.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            action(module)

        spec.loader.exec_module = exec_module
        return spec


# -- jobs --------


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


def import_tensorflow():
    import tensorflow as tf

    return tf


def tensorflow_version(tf):
    return getattr(tf, "__version__", None) or tf.VERSION


def run_job(job):
    """Run one job in this process; returns the exit code."""
    os.environ.update(job["env"])
    apply_limits(job["limits"])
    if job["mode"] == "witness":
        return run_witness(job)
    if job["mode"] == "restore":
        return run_restore(job)
    if job["mode"] == "read":
        return run_read(job)
    if job["mode"] == "devices":
        return run_devices(job)
    if job["mode"] == "replay":
        return devices().replay.replay(job)
    return run_program(job)


def run_program(job):
    tf = import_tensorflow()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import randomness

    sys.path.pop(0)
    recorder = Recorder(job)
    if job["randomness"] == "shape":
        draws = randomness.install(tf)
        redirected = draws.replaced
        redirect_backend(tf, draws)
    else:
        redirected = []
    graphs = GraphObserver(recorder, tf)
    second = int(tensorflow_version(tf).split(".")[0]) >= 2
    eager = EagerObserver(recorder, tf) if second else None
    if job["recording"]:
        graphs.install()
        if eager is not None:
            eager.install()
        observe_gradients(recorder, tf, graphs, eager)
        observe_keras(recorder, eager)
    if job["for_devices"]:
        prepare_for_functions(tf)
    keeper = devices().capture.capture(job, tf) if job["device_steps"] else None
    seed_all(job, tf, randomness, second)
    code, ending = execute(job)
    if keeper is not None:
        keeper.finish(ending)
    if job["recording"]:
        sys.stdout.flush()
        finish(recorder, graphs, eager)
        write(recorder, graphs, tf, ending, redirected)
    else:
        dump(
            job["out"],
            {"schema": SCHEMA, "exit": ending, "seconds": time.time() - recorder.start_time},
            {},
        )
    return code


def devices():
    """The part that needs TensorFlow 2 and a recent Python: the package beside this file."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import devices
    import devices.capture
    import devices.keras_draws
    import devices.replay

    sys.path.pop(0)
    return devices


def prepare_for_functions(tf):
    """Resource variables and loops as functions, whatever the program asks for."""
    try:
        from tensorflow.python.ops import resource_variables_toggle as module
    except ImportError:
        from tensorflow.python.ops import variable_scope as module
    module.enable_resource_variables()
    module.disable_resource_variables = lambda: None
    v1 = getattr(getattr(tf, "compat", None), "v1", tf)
    v1.disable_resource_variables = module.disable_resource_variables
    try:
        from tensorflow.python.ops import control_flow_v2_toggles as toggles
    except ImportError:
        return
    toggles.enable_control_flow_v2()  # XLA takes loops that are functions
    toggles.disable_control_flow_v2 = lambda: None
    v1.disable_control_flow_v2 = toggles.disable_control_flow_v2


def seed_all(job, tf, randomness, second):
    randomness.seed_generators(job["seed"])
    if job["randomness"] == "seed":
        if second:
            tf.random.set_seed(job["seed"])
        else:
            getattr(tf, "set_random_seed", None)(job["seed"])


def redirect_backend(tf, draws):
    """Let JAX or torch under Keras 3 draw what TensorFlow draws."""
    name = os.environ.get("KERAS_BACKEND", "tensorflow")
    if name != "tensorflow":
        AfterImport({
            "keras.src.backend.%s.random" % name: lambda module: devices().keras_draws.redirect(
                module, draws, tf
            ),
            "keras.src.trainers.data_adapters.array_data_adapter": lambda module: (
                devices().keras_draws.redirect_order(module, draws, tf)
            ),
        }).install()  # fmt: skip


def observe_keras(recorder, eager):
    actions = {
        "tensorflow.python.keras.callbacks": lambda module: observe_history(recorder, module),
        "keras.callbacks": lambda module: (
            observe_history(recorder, module)
            if "keras.src.callbacks.history" not in sys.modules
            else None
        ),
    }
    if eager is not None:
        actions = {
            "keras.src.callbacks.history": lambda module: observe_history(recorder, module),
            "keras.src.backend.tensorflow.core": lambda module: observe_keras_variables(
                eager, module
            ),
            "keras.src.optimizers.base_optimizer": lambda module: observe_keras_slots(
                recorder, eager, module
            ),
            "keras.src.trainers.trainer": single_steps,
        }
    if sys.version_info[0] < 3:
        for name, action in actions.items():
            if name in sys.modules:
                action(sys.modules[name])
        return
    AfterImport(actions).install()


def single_steps(module):
    """Run one training step a call: of those in a loop of a graph only the end would be seen."""
    plain = module.Trainer.compile

    @functools.wraps(plain)
    def compile_(trainer, *args, **kwargs):
        plain(trainer, *args, **kwargs)
        trainer.steps_per_execution = 1

    module.Trainer.compile = compile_


KEPT_MODULES = []


def run_as_main(code, path, package=None):
    """Run code as ``__main__``. runpy would clear its globals, and with them the variables."""
    module = types.ModuleType("__main__")
    KEPT_MODULES.extend([module, sys.modules["__main__"]])
    sys.modules["__main__"] = module
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __package__=package)
    exec(code, module.__dict__)


def find_module(name):
    """Name, code and path of what ``python -m name`` would run."""
    if sys.version_info[0] < 3:
        found, _, code, path = runpy._get_module_details(name)
        return found, code, path
    found, spec, code = runpy._get_module_details(name)
    return found, code, spec.origin


def execute(job):
    """Run the program as ``__main__``; returns its exit code and how it ended."""
    if job["cwd"]:
        os.chdir(job["cwd"])
    if job["script"]:
        script = os.path.abspath(job["script"])
        sys.argv = [script] + list(job["args"])
        sys.path.insert(0, os.path.dirname(script))
    else:
        sys.argv = [job["module"]] + list(job["args"])
        sys.path.insert(0, os.getcwd())
    try:
        if job["script"]:
            with io.open(script, "rb") as stream:
                code = compile(stream.read(), script, "exec", 0, True)
            run_as_main(code, script)
        else:
            name, code, origin = find_module(job["module"])
            sys.argv[0] = origin
            run_as_main(code, origin, name.rpartition(".")[0])
    except StepLimit:
        return 0, {"kind": "exit", "code": 0, "stopped": True}
    except SystemExit as error:
        code = error.code
        if code is None:
            code = 0
        if not isinstance(code, int):
            sys.stderr.write("%s\n" % (code,))
            code = 1
        return code, {"kind": "exit", "code": code}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text = traceback.format_exc()
        sys.stderr.write(text)
        return 1, {
            "kind": "exception",
            "code": 1,
            "error": "%s: %s" % (type(error).__name__, str(error)[:2000]),
            "traceback": text[-8000:],
        }
    return 0, {"kind": "exit", "code": 0}


def finish(recorder, graphs, eager):
    for session in list(graphs.sessions):
        graphs.finish(session)
    if eager is not None:
        eager.finish()


def total(value):
    """The value of a loss that may be a list of tensors or one with axes."""
    if isinstance(value, list):
        return sum(total(item) for item in value)
    array = as_array(value)
    return array if array.ndim == 0 else array.sum()


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
        original = graphs.export(arrays)
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


# -- the original's graph, without its source --------


def graph_tools(tf):
    v1 = getattr(getattr(tf, "compat", None), "v1", tf)
    if not hasattr(v1, "Session"):
        v1 = tf
    if hasattr(v1, "disable_eager_execution"):
        v1.disable_eager_execution()
    return v1


def run_witness(job):
    """Replay the original's recorded session calls on its graph, in this TensorFlow."""
    tf = import_tensorflow()
    v1 = graph_tools(tf)
    with io.open(os.path.join(job["bundle"], "record.json"), encoding="utf-8") as stream:
        source = json.load(stream)
    stored = np.load(os.path.join(job["bundle"], "arrays.npz"), allow_pickle=False)
    original = source["original"]
    meta = v1.MetaGraphDef()
    meta.ParseFromString(stored["original/meta_graph"].tobytes())
    series = collections.OrderedDict()
    arrays, notes, steps = {}, [], 0
    wanted = set(job["snapshots"])
    snapshots = []
    with v1.Graph().as_default() as graph:
        for node in meta.graph_def.node:
            node.attr.pop("_output_shapes", None)  # 1.15 inferred shapes that 2.x contradicts
        tf.import_graph_def(meta.graph_def, name="")
        # A queue that nobody fills would be waited for without end.
        patience = v1.ConfigProto(operation_timeout_in_ms=WITNESS_SECONDS * 1000)
        with v1.Session(graph=graph, config=patience) as session:
            reads = original["variables"]

            def keep(label):
                snapshots.append(label)
                for name, place in reads.items():
                    try:
                        arrays["v/%s/%s" % (label, name)] = as_array(session.run(place["read"]))
                    except tf.errors.FailedPreconditionError:
                        continue

            for call in original["calls"]:
                kinds = original["sets"][call["set"]]
                if not call["train"] and is_the_hosts(graph, kinds, original.get("given")):
                    continue
                if call["train"] and not steps:
                    for name, place in reads.items():
                        key = "v/0/" + name
                        if key in stored.files:
                            session.run(place["initializer"], {place["value"]: stored[key]})
                    keep("0")
                names = list(kinds["fetches"])
                losses = [name for _, name in kinds["losses"]]
                feeds = {name: stored[key] for name, key in call["feeds"].items()}
                values, loss_values, _ = session.run([names, losses, kinds["targets"]], feeds)
                if call["train"]:
                    steps += 1
                    for (site, _), value in zip(kinds["losses"], loss_values):
                        put(series, "loss", site, steps - 1, value)
                for name, value in zip(names, values):
                    if is_scalar(value):
                        put(series, "fetch" if call["train"] else "look", name, steps, value)
                if call["train"] and steps in wanted:
                    keep(str(steps))
            keep("end")
    record = {
        "schema": SCHEMA,
        "runtime": runtime(tf),
        "steps": steps,
        "exit": {"kind": "exit", "code": 0},
        "notes": notes,
        "snapshots": snapshots,
        "series": write_series(series, arrays),
    }
    dump(job["out"], record, arrays)
    return 0


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


def is_the_hosts(graph, kinds, given):
    """Whether a call reads or writes checkpoints, or fills a queue that nobody will empty.

    Where the calls were ``given`` what their queues held, none is read.
    """
    names = [name.split(":")[0] for name in kinds["fetches"]] + kinds["targets"]
    reached = ancestors([graph.get_operation_by_name(name) for name in names])
    return any(
        item.type in ("SaveV2", "RestoreV2", "SaveSlices", "Save", "MergeV2Checkpoints")
        or (given and "QueueEnqueue" in item.type)
        for item in reached
    )


def run_restore(job):
    """Restore a checkpoint into a recorded graph with a ``Saver``; write its variables."""
    tf = import_tensorflow()
    v1 = graph_tools(tf)
    meta = v1.MetaGraphDef()
    with io.open(job["meta_graph"], "rb") as stream:
        meta.ParseFromString(stream.read())
    arrays = {}
    with v1.Graph().as_default() as graph:
        v1.train.import_meta_graph(meta)
        variables = v1.global_variables()
        saver = v1.train.Saver(variables)
        with v1.Session(graph=graph) as session:
            saver.restore(session, job["checkpoint"])
            for variable in variables:
                arrays["v/restored/" + op_name(variable)] = as_array(session.run(variable))
    dump(job["out"], {"schema": SCHEMA, "runtime": runtime(tf), "exit": {"code": 0}}, arrays)
    return 0


def run_read(job):
    """Write every tensor of a checkpoint, object-based ones by the names of their variables."""
    tf = import_tensorflow()
    if hasattr(tf.train, "load_checkpoint"):
        reader = tf.train.load_checkpoint(job["checkpoint"])
    else:
        reader = tf.train.NewCheckpointReader(job["checkpoint"])
    shapes = reader.get_variable_to_shape_map()
    arrays, names = {}, {}
    if "_CHECKPOINTABLE_OBJECT_GRAPH" in shapes:
        names = object_names(reader)
    for key in sorted(shapes):
        if key == "_CHECKPOINTABLE_OBJECT_GRAPH":
            continue
        arrays["v/checkpoint/" + names.get(key, key)] = as_array(reader.get_tensor(key))
    record = {
        "schema": SCHEMA,
        "runtime": runtime(tf),
        "exit": {"code": 0},
        "object_based": bool(names),
    }
    dump(job["out"], record, arrays)
    return 0


def run_devices(job):
    """Write how many devices of each kind this TensorFlow sees."""
    tf = import_tensorflow()
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


def object_names(reader):
    try:
        from tensorflow.core.protobuf import trackable_object_graph_pb2

        graph = trackable_object_graph_pb2.TrackableObjectGraph()
    except ImportError:
        from tensorflow.core.protobuf import checkpointable_object_graph_pb2

        graph = checkpointable_object_graph_pb2.CheckpointableObjectGraph()
    graph.ParseFromString(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
    names = {}
    for node in graph.nodes:
        for attribute in node.attributes:
            if attribute.full_name:
                names[attribute.checkpoint_key] = attribute.full_name
    return names


# -- processes --------


def guarded(job):
    """Run a job so that a failure of the recorder itself is told apart from the program's."""
    try:
        return run_job(job)
    except SystemExit:
        raise
    except BaseException:
        text = traceback.format_exc()
        sys.stderr.write(text)
        if job["out"]:
            record = {
                "schema": SCHEMA,
                "exit": {
                    "kind": "recorder",
                    "code": 70,
                    "error": text.strip().splitlines()[-1],
                    "traceback": text[-8000:],
                },
            }
            dump(job["out"], record, {})
        return 70


def leave(code):
    """End the process without Python's finalizers: TensorFlow's can hang after a fork."""
    try:
        run_exit_functions = getattr(atexit, "_run_exitfuncs", None)
        if run_exit_functions is not None:
            run_exit_functions()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def zygote():
    """Fork a child for each job named on standard input; report its process id and its status."""
    import_tensorflow()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answers.write(json.dumps({"ready": os.getpid()}) + "\n")
    answers.flush()
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        path = line.strip()
        child = os.fork()
        if not child:
            answers.close()
            os.setsid()
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            job = load_job(path)
            redirect(job)
            leave(guarded(job))
        answers.write(json.dumps({"pid": child}) + "\n")
        answers.flush()
        _, status = os.waitpid(child, 0)
        answers.write(json.dumps({"status": status}) + "\n")
        answers.flush()


def main(arguments):
    if arguments == ["--zygote"]:
        zygote()
        return
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    job = load_job(arguments[0])
    redirect(job)
    leave(guarded(job))


if __name__ == "__main__":
    main(sys.argv[1:])
