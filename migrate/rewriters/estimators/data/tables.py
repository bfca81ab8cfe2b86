"""Tables of words, `contrib.lookup`'s, as `tf.lookup`'s: in input_fns, and attributes of a model.

https://www.tensorflow.org/api_docs/python/tf/lookup/StaticVocabularyTable
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.programs.graph.data.tables import CONTRIB, INDEX, INDEX_FILE, WORDS, WORDS_FILE
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program

KNOWN = frozenset(
    prefix + name for prefix in CONTRIB for name in (*INDEX, *INDEX_FILE, WORDS, WORDS_FILE)
)
TAKEN = ("mapping", "vocabulary_file", "num_oov_buckets", "vocab_size", "default_value", "name")


def given(program: Program, call: ast.Call) -> dict[str, ast.expr]:
    """A table's arguments; words that are a constant are what it was made of.

    Raises:
        Blocked: one isn't followed.
    """
    found = dict(program.given(call))
    for name, node in list(found.items()):
        if name in ("dtype", "key_dtype") and program.endpoint(node) == "tensorflow.string":
            del found[name]  # what it is anyway
        elif name == "delimiter" and isinstance(node, ast.Constant) and len(str(node.value)) == 1:
            del found[name]  # lines are taken whole
        elif name not in TAKEN:
            raise Blocked(node, f"`{name}` of a table")
    found.pop("name", None)
    if "mapping" in found:
        node = found["mapping"]
        value = program.scopes.value(node)
        if program.called(value) == "tensorflow.constant" and isinstance(value, ast.Call):
            words = program.given(value)
            if set(words) - {"value", "name"}:
                raise Blocked(node, "words of a table that aren't a plain constant")
            found["mapping"] = words["value"]
        if not isinstance(found["mapping"], (ast.Name, ast.Attribute, ast.List, ast.Tuple)):
            raise Blocked(node, "a table of words that have no name")
    return found


def made(program: Program, call: ast.Call, source: Callable[[ast.AST], str]) -> str:
    """The source of a table: it is initialized where it is made.

    Raises:
        Blocked: what it says of words that it doesn't have isn't seen.
    """
    kind, arguments, tf = program.called(call).rpartition(".")[2], given(program, call), program.tf
    said = {name: source(node) for name, node in arguments.items()}
    if kind in (*INDEX_FILE, WORDS_FILE):
        line = [f"{tf}.string", f"{tf}.lookup.TextFileIndex.WHOLE_LINE"]
        place = [f"{tf}.int64", f"{tf}.lookup.TextFileIndex.LINE_NUMBER"]
        parts = [*place, *line] if kind == WORDS_FILE else [*line, *place]
        if "vocab_size" in said:
            parts.append(f"vocab_size={said['vocab_size']}")
        contents = f"{tf}.lookup.TextFileInitializer({said['vocabulary_file']}, {', '.join(parts)})"
    else:
        words = said["mapping"]
        places = f"{tf}.range(len({words}), dtype={tf}.int64)"
        pair = f"{places}, {words}" if kind == WORDS else f"{words}, {places}"
        contents = f"{tf}.lookup.KeyValueTensorInitializer({pair})"
    if kind in (WORDS, WORDS_FILE):
        return f"{tf}.lookup.StaticHashTable({contents}, {said.get('default_value', repr('UNK'))})"
    buckets = said.get("num_oov_buckets", "0")
    if buckets == "0":
        return f"{tf}.lookup.StaticHashTable({contents}, {said.get('default_value', '-1')})"
    number = arguments["num_oov_buckets"]
    if not isinstance(number, ast.Constant) and "default_value" in arguments:
        raise Blocked(number, "how many buckets a table has is computed")
    return f"{tf}.lookup.StaticVocabularyTable({contents}, {buckets})"


def elsewhere(program: Program, call: ast.Call) -> None:
    """Write a table that no model_fn makes, where it stands."""
    start, end = program.text.index.span(call)
    if not any(e.start <= start and end <= e.end for e in program.edits):
        program.edit(call, made(program, call, program.source), "a table of `tf.lookup`")


READERS.update(dict.fromkeys(KNOWN, elsewhere))
