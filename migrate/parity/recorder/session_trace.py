# -*- coding: utf-8 -*-
"""The calls of a session, kept with their graph for the witness."""

from __future__ import absolute_import, division, print_function

import numpy as np

from .operations import ancestors, own_line
from .run_plans import element
from .values import STRING_TYPES, as_array, expanded


class SessionTrace(object):
    """The first calls on one graph, as long as they are cheap to keep."""

    def __init__(self, recorder, v1, variables):
        self.recorder = recorder
        self.v1 = v1
        self.variables = variables
        self.calls = []
        self.bytes = 0
        self.broken = None
        self.graph = None
        self.trained_in = []

    def remember(self, session, plan, feed_dict, train, given=()):
        """Keep the call for the witness, while it is cheap; ``given`` is what its sources gave."""
        job = self.recorder.job
        if self.broken or self.recorder.step >= job["trace_steps"]:
            return
        if len(self.calls) >= job["trace_calls"]:
            return
        if self.graph is None:
            self.graph = session.graph
        if session.graph is not self.graph:
            return
        feeds = {}
        known = dict(feed_dict or {})
        known.update(zip(plan.sources, given))
        for key, value in expanded(known):
            name = key if isinstance(key, STRING_TYPES) else getattr(key, "name", None)
            if name is None or isinstance(value, dict) or hasattr(value, "dense_shape"):
                self.broken = "a feed that is no plain tensor: %s" % type(key).__name__
                return
            copied = np.array(value)
            self.bytes += copied.nbytes
            feeds[name] = copied
        if self.bytes > job["trace_bytes"]:
            self.broken = "the feeds exceed %d bytes" % job["trace_bytes"]
            return
        self.calls.append((plan, feeds, train))
        if train and session not in self.trained_in:
            self.trained_in.append(session)

    def export(self, arrays):
        """Put the graph and the trace into ``arrays``; returns their description."""
        graph = self.graph
        if graph is None or not len(self.calls):
            return None
        graph._unsafe_unfinalize()  # a Supervisor's; the program is at its end
        try:
            with graph.as_default():
                meta = self.v1.train.export_meta_graph(graph=graph, clear_devices=True)
        except Exception as error:
            return {"broken": "the graph can't be exported: %r" % (error,)}
        arrays["original/meta_graph"] = np.frombuffer(meta.SerializeToString(), dtype=np.uint8)
        sets, index, calls, store = [], {}, [], {}
        for plan, feeds, train in self.calls:
            if id(plan) not in index:
                index[id(plan)] = len(sets)
                sets.append(
                    {
                        "fetches": [name for name in plan.names if name],
                        "targets": [
                            operation.name
                            for tensor, operation in [element(graph, leaf) for leaf in plan.held]
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
        for name, variable, tensor in self.variables.all_variables(graph):
            initializer = variable.initializer
            # That of a variable which begins with a checkpoint's value is a tensor.
            initializer = getattr(initializer, "op", initializer)
            variables[name] = {
                "read": tensor.name,
                "initializer": initializer.name,
                "value": initializer.inputs[1].name,
            }
        return {
            "broken": self.broken,
            "sessions": len(self.trained_in),
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
