"""Lookup tables: objects that stay, `tf.lookup`'s, initialised as soon as they are made.

https://www.tensorflow.org/api_docs/python/tf/lookup
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.walk import family
from migrate.programs.graph.wording import spelled

CONTRIB = (T + "contrib.lookup.", T + "python.ops.lookup_ops.")
INDEX = ("index_table_from_tensor", "string_to_index_table_from_tensor")
INDEX_FILE = ("index_table_from_file", "string_to_index_table_from_file")
WORDS = "index_to_string_table_from_tensor"
WORDS_FILE = "index_to_string_table_from_file"
PLAIN = (Kind.HOST, Kind.CONST, Kind.NONE, Kind.ENDPOINT)
PLAINLY = "StaticHashTable"
DISPLAYS = (ast.List, ast.Tuple)
UNNAMED = "a table of words that have no name"
LINE = "{tf}.lookup.TextFileIndex.{what}"


def _all(*names: str) -> tuple[str, ...]:
    return tuple(prefix + name for prefix in CONTRIB for name in names)


@dataclass(slots=True, eq=False, repr=False)
class Table:
    """A table that runs look things up in; its contents don't change."""

    mapped = True  # a dataset's functions may use it

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """``init``, or a method."""
        if node.attr in ("init", "initializer"):
            return Value(Kind.INIT, "local table", node=node)
        return Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``lookup`` and ``size``."""
        if attribute not in ("lookup", "size"):
            raise Blocked(node, f"`.{attribute}()` of a table isn't followed")
        values = walker.arguments(node)
        return Value(Kind.TENSOR if values else Kind.CONST)


@family(*meaning.TABLES)
def initializer(walker: Any, name: str, node: ast.Call) -> Value:
    """A table has its contents from the start. (It isn't a variable: "local" says so.)"""
    return Value(Kind.INIT, "local tables", node=node)


@family(*_all(*INDEX, *INDEX_FILE, WORDS, WORDS_FILE, "HashTable"), T + "lookup.StaticHashTable")
def table(walker: Any, name: str, node: ast.Call) -> Value:
    """A table that is made where the graph is built."""
    if walker.frame.region is None or walker.nested or walker.loops:
        raise Blocked(node, "a table is made in a helper, a loop or a branch")
    for value in walker.arguments(node):
        if value.kind not in PLAIN and not isinstance(value.data, Contents):
            raise Blocked(node, f"a table of {described(value)}")
    given = walker.bound(name, node)
    for hidden in ("hasher_spec", "key_column_index", "value_column_index", "delimiter", "dtype"):
        if hidden in given:
            raise Blocked(node, f"`{hidden}` of a table")
    if "key_dtype" in given or "checkpoint" in given:
        raise Blocked(node, "a table whose keys aren't words")
    words = given.get("mapping")
    if isinstance(words, ast.Call) and walker.endpoints.get(id(words.func)) == T + "constant":
        words = given["mapping"] = words.args[0]
    if words is not None and not isinstance(words, (ast.Name, ast.Attribute, *DISPLAYS)):
        spelled.named_value(walker, words, "words", UNNAMED)
        raise Blocked(words, UNNAMED)
    indent = " " * (walker.stmt.col_offset + 4)

    def written(writer: Any) -> str:
        what, first, rest = _source(name.rpartition(".")[2], given, writer)
        long = len(what) + len(first) + len(rest) > 70
        return f"{what}(\n{indent}{first}, {rest})" if long else f"{what}({first}, {rest})"

    walker.rewrites[id(node)] = written
    return Value(Kind.OTHER, Table(), node=node)


@dataclass(slots=True, eq=False, repr=False)
class Contents:
    """What a hash table begins with."""


@family(
    *_all("KeyValueTensorInitializer", "TextFileInitializer"),
    T + "lookup.KeyValueTensorInitializer",
    T + "lookup.TextFileInitializer",
)
def contents(walker: Any, name: str, node: ast.Call) -> Value:
    """An initializer: the same in TF 2, under `tf.lookup`."""
    for value in walker.arguments(node):
        if value.kind not in PLAIN:
            raise Blocked(node, f"a table of {described(value)}")
    short = name.rpartition(".")[2]
    walker.rewrites[id(node.func)] = lambda writer: f"{writer.tf}.lookup.{short}"
    return Value(Kind.OTHER, Contents(), node=node)


def _source(kind: str, given: dict[str, ast.expr], writer: Any) -> tuple[str, str, str]:
    """The table in TF 2: its class, its contents, what words that it hasn't become."""
    tf = writer.tf

    def said(name: str) -> str | None:
        node = given.get(name)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        source: str = writer.module.here(node, writer)
        return source

    if kind in ("HashTable", "StaticHashTable"):
        return f"{tf}.lookup.{PLAINLY}", said("initializer") or "", said("default_value") or ""
    made = _contents(kind, given, said, tf)
    buckets = said("num_oov_buckets")
    if kind in (WORDS, WORDS_FILE):
        unknown = said("default_value") or '"UNK"'
        return f"{tf}.lookup.{PLAINLY}", made, unknown
    if buckets not in (None, "0"):
        if not (isinstance(given["num_oov_buckets"], ast.Constant) or "default_value" not in given):
            raise Blocked(given["num_oov_buckets"], "how many buckets a table has is computed")
        return f"{tf}.lookup.StaticVocabularyTable", made, buckets or ""
    return f"{tf}.lookup.{PLAINLY}", made, said("default_value") or "-1"


def _contents(
    kind: str, given: dict[str, ast.expr], said: Callable[[str], str | None], tf: str
) -> str:
    """What a table of words holds, each with its place."""
    if kind in (*INDEX_FILE, WORDS_FILE):
        line = [f"{tf}.string", LINE.format(tf=tf, what="WHOLE_LINE")]
        place = [f"{tf}.int64", LINE.format(tf=tf, what="LINE_NUMBER")]
        parts = [*place, *line] if kind == WORDS_FILE else [*line, *place]
        size = said("vocab_size")
        parts += [f"vocab_size={size}"] if size is not None else []
        return (
            f"{tf}.lookup.TextFileInitializer({', '.join([said('vocabulary_file') or '', *parts])})"
        )
    mapping = given["mapping"]
    if not isinstance(mapping, (ast.Name, ast.Attribute, *DISPLAYS)):
        raise Blocked(mapping, UNNAMED)
    words = said("mapping") or ""
    count = f"len({words})"
    if isinstance(mapping, DISPLAYS):
        count = str(len(mapping.elts))
    places = f"{tf}.range({count}, dtype={tf}.int64)"
    pair = f"{places}, {words}" if kind == WORDS else f"{words}, {places}"
    return f"{tf}.lookup.KeyValueTensorInitializer({pair})"
