# -*- coding: utf-8 -*-
"""Sessions are observed: TensorFlow 1, and ``tf.compat.v1`` in TensorFlow 2."""

from __future__ import absolute_import, division, print_function

import weakref

import numpy as np

from . import keras_callables
from .observed import GradientSite
from .operations import VARIABLE_TYPES, fetchable, op_name, static_shape
from .run_plans import plan_of, read_handles
from .session_trace import SessionTrace
from .session_variables import SessionVariables
from .update_order import order_updates
from .values import ARRAY_LIMIT, dense, is_scalar, pairs


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
        from tensorflow.python.client import session as session_module

        v1 = getattr(getattr(tf, "compat", None), "v1", tf)
        if not hasattr(v1, "global_variables"):
            v1 = tf
        self.recorder = recorder
        self.module = session_module
        self.session_class = session_module.BaseSession
        self.plain_run = self.session_class.run
        self.graphs = weakref.WeakKeyDictionary()
        self.sessions = []
        self.variables = SessionVariables(recorder, tf, v1, self.plain_run)
        self.trace = SessionTrace(recorder, v1, self.variables)

    def state(self, graph):
        state = self.graphs.get(graph)
        if state is None:
            state = self.graphs[graph] = GraphState(len(self.graphs))
        return state

    def install(self):
        observer = self
        local = self.recorder.local

        def run(session, fetches, feed_dict=None, options=None, run_metadata=None):
            if local.busy:
                return observer.plain_run(session, fetches, feed_dict, options, run_metadata)
            return observer.run(session, fetches, feed_dict, options, run_metadata)

        self.session_class.run = run
        self._callables()
        self._closing()
        self._optimizers()

    def _callables(self):
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
            return keras_callables.observed(observer, session, options, plain)

        self.session_class._make_callable_from_options = from_options

    def _closing(self):
        observer = self
        module = self.module
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

    def run(self, session, fetches, feed_dict, options, run_metadata):
        recorder = self.recorder
        graph = session.graph
        state = self.state(graph)
        if recorder.job["for_devices"]:
            fetches = read_handles(graph, fetches)
        if state.ordered < len(state.sites):
            order_updates(state)
        plan = plan_of(recorder, graph, state, fetches)
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
            self.trace.remember(session, plan, feed_dict, False, given)
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
        self.trace.remember(session, plan, feed_dict, True, given)
        recorder.step += 1
        state.steps += 1
        if recorder.step in recorder.wanted:
            recorder.keep_snapshot(str(recorder.step), self.variables.read(session))
        recorder.check_limit()
        return result

    def before_step(self, session, state):
        recorder = self.recorder
        if session not in self.sessions:
            self.sessions.append(session)
        if not state.steps:
            self.variables.declare(session)
        values = recorder.restore.at(recorder.step) if recorder.restore else None
        if values is not None:
            recorder.restored.append([recorder.step, self.variables.assign(session, values)])
        if not state.steps:
            if recorder.job["perturb"] is not None:
                self.variables.perturb(session)
            if recorder.step == 0:
                recorder.keep_snapshot("0", self.variables.read(session))
                if recorder.job["for_devices"]:
                    self.variables.keep_local(session)

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

    def finish(self, session):
        """Record the final values of a session that is about to close."""
        if self.recorder.local.busy or session not in self.sessions:
            return
        self.sessions.remove(session)
        if getattr(session, "_closed", False):
            return
        self.recorder.local.busy = True
        try:
            self.variables.declare(session)
            values = self.variables.read(session)
            label = "end" if self.recorder.step else "0"
            self.recorder.keep_snapshot(label, values)
            if label == "0":
                self.recorder.keep_snapshot("end", values)
        except Exception as error:
            self.recorder.note("final-values", error=repr(error)[:500])
        finally:
            self.recorder.local.busy = False
