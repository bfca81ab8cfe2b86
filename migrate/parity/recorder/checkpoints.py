# -*- coding: utf-8 -*-
"""Checkpoints, restored into a graph or read."""

from __future__ import absolute_import, division, print_function

import io

from .operations import op_name
from .values import as_array
from .witness import graph_tools
from .written import SCHEMA, dump, runtime


def run_restore(job):
    """Restore a checkpoint into a recorded graph with a ``Saver``; write its variables."""
    import tensorflow as tf

    v1 = graph_tools(tf)
    meta = v1.MetaGraphDef()
    with io.open(job["meta_graph"], "rb") as stream:
        meta.ParseFromString(stream.read())
    arrays = {}
    with v1.Graph().as_default() as graph:
        v1.train.import_meta_graph(meta)
        variables = v1.global_variables()
        # A program may save some of its variables only.
        saved = saved_shapes(tf, job["checkpoint"])
        variables = [v for v in variables if saved_name(v) in saved] or variables
        saver = v1.train.Saver(variables)
        with v1.Session(graph=graph) as session:
            saver.restore(session, job["checkpoint"])
            for variable in variables:
                arrays["v/restored/" + op_name(variable)] = as_array(session.run(variable))
    dump(job["out"], {"schema": SCHEMA, "runtime": runtime(tf), "exit": {"code": 0}}, arrays)
    return 0


def run_read(job):
    """Write every tensor of a checkpoint, object-based ones by the names of their variables."""
    import tensorflow as tf

    reader = reader_of(tf, job["checkpoint"])
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


def reader_of(tf, checkpoint):
    if hasattr(tf.train, "load_checkpoint"):
        return tf.train.load_checkpoint(checkpoint)
    return tf.train.NewCheckpointReader(checkpoint)


def saved_shapes(tf, checkpoint):
    """What a checkpoint has, by name; object-based ones by the names of their variables."""
    reader = reader_of(tf, checkpoint)
    shapes = reader.get_variable_to_shape_map()
    if "_CHECKPOINTABLE_OBJECT_GRAPH" in shapes:
        return set(object_names(reader).values()) | set(shapes)
    return set(shapes)


def saved_name(variable):
    """The name that a ``Saver`` gives a variable, or the whole that it is a part of."""
    part = variable._get_save_slice_info()
    return part.full_name if part is not None else op_name(variable)


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
