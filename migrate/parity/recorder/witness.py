# -*- coding: utf-8 -*-
"""The original's graph, without its source."""

from __future__ import absolute_import, division, print_function

import collections
import io
import json
import os

import numpy as np

from .operations import ancestors
from .values import as_array, is_scalar
from .written import SCHEMA, dump, put, runtime, write_series

WITNESS_SECONDS = 60  # for one call of the replayed session


def graph_tools(tf):
    v1 = getattr(getattr(tf, "compat", None), "v1", tf)
    if not hasattr(v1, "Session"):
        v1 = tf
    if hasattr(v1, "disable_eager_execution"):
        v1.disable_eager_execution()
    return v1


def run_witness(job):
    """Replay the original's recorded session calls on its graph, in this TensorFlow."""
    import tensorflow as tf

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
