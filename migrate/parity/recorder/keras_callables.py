# -*- coding: utf-8 -*-
"""``tf.keras`` of TensorFlow 1 in graph mode, and Keras 2 on it: callables made of options."""

from __future__ import absolute_import, division, print_function

import collections

import numpy as np

from .operations import ancestors, fetchable, gradient_op
from .update_order import order_updates
from .values import ARRAY_LIMIT, dense, is_scalar


def observed(observer, session, options, plain):
    """What ``plain`` makes of the options, observed."""
    graph = session.graph
    state = observer.state(graph)
    if state.ordered < len(state.sites):
        order_updates(state)
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
    recorder = observer.recorder
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
            callable_gradients(observer, session, gradients, feeds, args)
        values = function(*args, **kwargs)
        if sites:
            for site, place in losses:
                recorder.add("loss", site.index, values[place])
            recorder.step += 1
            state.steps += 1
            if recorder.step in recorder.wanted:
                recorder.keep_snapshot(str(recorder.step), observer.variables.read(session))
            recorder.check_limit()
        recorder.calls += 1
        for name, value in zip(fetched, values):
            if is_scalar(value):
                recorder.add("fetch" if sites else "look", name, value)
            elif isinstance(value, np.ndarray) and value.size <= ARRAY_LIMIT:
                recorder.add_array("fetch", name, value)
        observer.trace.broken = observer.trace.broken or "the program runs Keras callables"
        return values[: len(fetched)]

    return call


def callable_gradients(observer, session, gradients, feeds, args):
    wanted = [item for item in gradients if item[0].index not in observer.recorder.gradients]
    if not wanted:
        return
    try:
        values = observer.plain_run(
            session, [item[2] for item in wanted], dict(zip(feeds, [np.array(a) for a in args]))
        )
    except Exception as error:
        observer.recorder.note("gradients", error=repr(error)[:300])
        for site, _, _ in wanted:
            observer.recorder.gradients.setdefault(site.index, collections.OrderedDict())
        return
    for (site, name, _), value in zip(wanted, values):
        shape = site.shapes[site.names.index(name)]
        observer.recorder.keep_gradient(site.index, name, dense(value, shape))
