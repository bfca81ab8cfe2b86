# -*- coding: utf-8 -*-
"""Operations of a graph: their kinds, what reaches them, where they were made."""

from __future__ import absolute_import, division, print_function

import os

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
HANDLE_DTYPES = frozenset(["resource", "variant"])
#: The parity room, which is no part of the program under test.
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


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


def is_free(operation, reached):
    """Whether fetching takes no input from a source that the run does not read anyway."""
    return operation in reached or all(
        item in reached or item.type not in SOURCE_TYPES for item in ancestors([operation])
    )


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
