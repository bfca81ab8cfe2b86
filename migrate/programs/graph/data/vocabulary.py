"""`VocabularyProcessor`, which went with `tf.contrib.learn`: the program gets one of its own."""

from __future__ import annotations

import ast

from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.walk import T, Walker, family

PROCESSOR = T + "contrib.learn.preprocessing.VocabularyProcessor"
GIVEN = ("vocabulary",)  # under which the arguments of all calls are remembered
KNOWN = frozenset({"max_document_length", "min_frequency", "tokenizer_fn"})


RESTORE = "restore()"  # among them, where one is read from its file
NAMES = tuple(
    f"{T}contrib.learn.{package}{module}VocabularyProcessor"
    for package in ("preprocessing.", "python.learn.preprocessing.")
    for module in ("", "text.")
)


@family(*NAMES)
def processor(walker: Walker, name: str, node: ast.Call) -> Value:
    """A new processor, with the same arguments."""
    given = walker.bound(PROCESSOR, node)
    for argument, value in given.items():
        if argument not in KNOWN:
            raise Blocked(value, f"`{argument}` of a VocabularyProcessor")
        kinds = (Kind.HOST, Kind.FUNCTION) if argument == "tokenizer_fn" else (Kind.HOST,)
        if walker.expression(value).kind not in kinds:
            raise Blocked(value, "a VocabularyProcessor is given a part of the graph")
    walker.wants("vocabulary", node)
    walker.kept.setdefault(GIVEN, set()).update(given)
    walker.rewrites[id(node.func)] = lambda _: "VocabularyProcessor"
    return HOST


@family(*(f"{name}.restore" for name in NAMES))
def restored(walker: Walker, name: str, node: ast.Call) -> Value:
    """``VocabularyProcessor.restore(path)``: what a program's ``save`` has written is read."""
    if any(value.kind is not Kind.HOST for value in walker.arguments(node)):
        raise Blocked(node, "a VocabularyProcessor is given a part of the graph")
    walker.wants("vocabulary", node)
    walker.kept.setdefault(GIVEN, set()).add(RESTORE)
    walker.rewrites[id(node.func)] = lambda _: "VocabularyProcessor.restore"
    return HOST
