# -*- coding: utf-8 -*-
"""The variables of a session: read, given values, moved by an ulp."""

from __future__ import absolute_import, division, print_function

import collections

import numpy as np

from .operations import op_name
from .values import one_ulp


class SessionVariables(object):
    """Reads and sets a graph's variables, past the observed ``Session.run``."""

    def __init__(self, recorder, tf, v1, plain_run):
        self.recorder = recorder
        self.tf = tf
        self.v1 = v1
        self.plain_run = plain_run

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
