# -*- coding: utf-8 -*-
"""Eager execution and ``tf.function``: variables, tapes, calls."""

from __future__ import absolute_import, division, print_function

import collections
import weakref

import numpy as np

from .operations import ASSIGN_TYPES, UPDATE_PREFIXES
from .values import ARRAY_LIMIT, flatten, one_ulp

SPARSE_LIMIT = 10**6  # elements of a variable whose sparse gradient is made dense in a function
PROBE_LIMIT = 16 * 10**6  # elements of a gradient that a function keeps for the record


class Probe(object):
    """A hidden variable through which a loss and its gradients leave a function."""

    def __init__(self, site, count, loss, gradients, graph, names):
        self.graph, self.names = graph, names  # of which trace, by which variables
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
        self.updating = {}  # by function: of how many traces, and whether one changes variables
        self.waiting = []  # gradients of a function that nothing has applied yet, with its losses
        self.changed = False  # a variable was, outside of functions, since the last one returned

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
        for name in ("assign", "assign_add", "assign_sub", "scatter_sub", "scatter_add"):
            for kind in (module.BaseResourceVariable, module.ResourceVariable):
                if name in vars(kind):
                    self._changes(kind, name)

    def _changes(self, kind, name):
        observer, local = self, self.recorder.local
        plain = getattr(kind, name)

        def change(variable, *args, **kwargs):
            if observer.waiting and not (local.busy or local.inside):
                observer.changed = True
            return plain(variable, *args, **kwargs)

        setattr(kind, name, unconverted(self.tf, change))

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
        plain_concrete = module.Function.get_concrete_function

        def concrete(function, *args, **kwargs):
            """Traced ahead of its first run, for its graph or an export: as if it were run."""
            if local.busy or local.inside or not observer.context.executing_eagerly():
                return plain_concrete(function, *args, **kwargs)
            local.inside = True
            observer.current = function
            try:
                return plain_concrete(function, *args, **kwargs)
            finally:
                local.inside = False
                observer.current = None

        module.Function.get_concrete_function = concrete
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
        if self.changed:
            self.applied(True)
        self.prepare()

    def applied(self, changed):
        """A step ends where gradients that a function gave are applied outside of it."""
        if self.waiting and changed:
            for probe, count, loss in self.waiting:
                self.settle(probe, count, loss, self.recorder.step)
            self.count_steps(1)
            self.after_step()
            self.recorder.check_limit()
        for probe, count, _ in self.waiting:
            probe.seen = count
        self.waiting, self.changed = [], False

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
            names = tuple(name for name, _, _ in found)
            owned = self.probes.setdefault(id(self.current), (self.current, []))[1]
            # Towers take gradients by the same variables: each is a site, in every trace.
            graph = self.tf.compat.v1.get_default_graph()
            before = sum(one.graph is graph and one.names == names for one in owned)
            site = self.site((id(self.current), names, before))
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
            owned.append(Probe(site, count, loss, kept, graph, names))
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
            updates = bool(owned or self.waiting) and self.updates(function, owned)
            if owned is not None and updates:
                steps = self.read_probes(owned[1])
            self.returned(function, result)
            if owned is not None or updates:
                self.applied(owned is None)
            if owned is not None and not updates:
                # As a run of 1.15 that fetches gradients: no step, unless they are applied.
                for probe in owned[1]:
                    count = int(self.read_op(probe.count.handle, probe.count.dtype).numpy())
                    loss = self.read_op(probe.loss.handle, probe.loss.dtype)
                    self.waiting.append((probe, count, loss))
            if steps:
                self.count_steps(steps)
                self.after_step()
                recorder.check_limit()
        finally:
            local.busy = False

    def updates(self, function, owned):
        """Whether a function changes variables, but for those that watch its gradients."""
        concretes = function._list_all_concrete_functions()
        known = self.updating.get(id(function))
        if known is None or known[0] != len(concretes):
            hidden = set()
            for probe in owned[1] if owned is not None else ():
                variables = [probe.count, probe.loss] + [place for _, place in probe.gradients]
                hidden.update(id(variable.handle) for variable in variables)
            known = (len(concretes), any(changes(one.graph, hidden) for one in concretes))
            self.updating[id(function)] = known
        return known[1]

    def read_probes(self, probes):
        """How many steps the last call made; past the last snapshot counted at the end.

        A call with several gradients, of towers or of two losses, is one step, as one run of 1.15.
        """
        recorder, read = self.recorder, self.read_op
        found = []
        for probe in probes:
            loss = read(probe.loss.handle, probe.loss.dtype)
            found.append((probe, read(probe.count.handle, probe.count.dtype), loss))
        if self.counting_matters():
            return self.settle_call(found, recorder.step)
        for probe, count, _ in found:
            if probe.site not in recorder.gradients and int(count.numpy()) == probe.seen + 1:
                self.keep_gradients(probe)  # overwritten by the time that steps are settled
        self.lazy.append(found)
        return 1

    def settle_call(self, found, step):
        """Record what the gradients of one call were; returns how many steps it made."""
        return max(self.settle(p, int(count.numpy()), loss, step) for p, count, loss in found)

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
        for found in self.lazy:
            step += self.settle_call(found, step)
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
        self.applied(self.changed)
        self.declare()
        values = self.read()
        if not recorder.step and "0" not in recorder.snapshots:
            recorder.keep_snapshot("0", values)
        recorder.keep_snapshot("end", values)


def changes(graph, hidden):
    """Whether a function's graph assigns variables, those with hidden handles left out."""
    inner = set(id(internal) for external, internal in graph.captures if id(external) in hidden)
    for operation in graph.get_operations():
        if assigns(operation.type) and not (
            len(operation.inputs) and id(operation.inputs[0]) in inner
        ):
            return True
    library = graph.as_graph_def().library
    return any(assigns(node.op) for one in library.function for node in one.node_def)


def assigns(kind):
    return kind in ASSIGN_TYPES or kind.startswith(UPDATE_PREFIXES)


def unconverted(tf, function):
    """Keep AutoGraph from translating ``function`` where a converted program calls it."""
    autograph = getattr(tf, "autograph", None)
    if autograph is None or not hasattr(autograph.experimental, "do_not_convert"):
        return function
    return autograph.experimental.do_not_convert(function)
