"""Columns of `tf.contrib.layers`: what they are called, and what they begin with, is older.

    sparse_column_with_hash_bucket('job', 100)    HashedColumn('job', 100)
    embedding_column(job, dimension=8)            EmbeddingColumn(job, dimension=8, initializer=…)
    crossed_column([job, place], 1000)            MixedColumn([job, place], 1000)

An embedding begins with values by how many categories there are, not by its dimension; a cross has
a hash of its own (`MixedColumn`, measured equal to 1.15.5's `SparseFeatureCross`); what hidden
layers take stands by the columns' kinds first.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/feature_column.py
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

MODULE = "tensorflow.contrib.layers."


@dataclass(frozen=True, slots=True)
class Older:
    """A column of `contrib.layers`."""

    name: str  # the class that it is
    size: str = ""  # the argument that says how many categories there are
    places: int = 2  # how many arguments have the same places
    words: Mapping[str, str] = field(default_factory=dict)  # other names of arguments


KEY = {"column_name": "key"}
SPARSE = {"sparse_id_column": "categorical_column"}
OLDER = {
    "real_valued_column": Older(
        "NumericColumn",
        places=5,
        words={**KEY, "dimension": "shape", "normalizer": "normalizer_fn"},
    ),
    "sparse_column_with_hash_bucket": Older("HashedColumn", "hash_bucket_size", words=KEY),
    "sparse_column_with_integerized_feature": Older("RemainderColumn", "bucket_size", words=KEY),
    "sparse_column_with_keys": Older(
        "VocabularyColumn", "keys", words={**KEY, "keys": "vocabulary_list"}
    ),
    "sparse_column_with_vocabulary_file": Older(
        "VocabularyFileColumn", "vocab_size", words={**KEY, "vocab_size": "vocabulary_size"}
    ),
    "weighted_sparse_column": Older(
        "WeightedColumn", places=3, words={**SPARSE, "weight_column_name": "weight_feature_key"}
    ),
    "bucketized_column": Older("BucketizedColumn"),
    "crossed_column": Older("MixedColumn", "hash_bucket_size"),
    "one_hot_column": Older("IndicatorColumn", words=SPARSE),
    "embedding_column": Older("EmbeddingColumn", places=4, words=SPARSE),
    "create_feature_spec_for_parsing": Older("make_parse_example_spec"),
}
COLUMNS = {MODULE + old: each.name for old, each in OLDER.items()}
EMBEDDING = MODULE + "embedding_column"
# What a model_fn asks for the values of such columns.
DENSE = MODULE + "input_from_feature_columns"
# Arguments that say what is so anyway.
ANYWAY = {"combiner": "sum", "hash_keys": None, "hash_key": None}


def written(program: Program, node: ast.AST, endpoint: str) -> None:
    """Say the arguments of such a column in the words of its class.

    Raises:
        Blocked: one has no counterpart.
    """
    older = OLDER[endpoint.removeprefix(MODULE)]
    call = program.scopes.parents[id(node)]
    name = endpoint.replace("tensorflow", "tf", 1)
    if not isinstance(call, ast.Call) or call.func is not node:
        raise Blocked(node, f"{name}, which isn't called where it is named")
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        raise Blocked(call, f"arguments of {name} that are hidden")
    for each in call.args[older.places :]:
        raise Blocked(each, f"an argument of {name} by its place: say its name")
    kept = list[ast.keyword]()
    for keyword in call.keywords:
        assert keyword.arg is not None
        value = keyword.value
        if keyword.arg in ANYWAY and endpoint != EMBEDDING:
            said = program.scopes.value(value)
            if not isinstance(said, ast.Constant) or said.value != ANYWAY[keyword.arg]:
                raise Blocked(value, f"`{keyword.arg}` of {name}: the columns of Keras have none")
            continue
        kept.append(keyword)
    sizes = [*call.args[1:2], *(k.value for k in kept if k.arg == "dimension")]
    if older.name == "NumericColumn" and any(
        isinstance(s, ast.Constant) and s.value is None for s in sizes
    ):
        raise Blocked(call, "a real-valued column of any length, which is sparse")
    if len(kept) < len(call.keywords):  # the arguments anew
        parts = [program.source(a) for a in call.args]
        parts += [f"{older.words.get(k.arg or '', k.arg)}={program.source(k.value)}" for k in kept]
        index = program.text.index
        start, end = index.span(call.func)[1], index.span(call)[1]
        program.edits.append(Edit(start, end, f"({', '.join(parts)})"))
        return
    for keyword in kept:
        new = older.words.get(keyword.arg or "")
        if new is not None:
            start = program.text.index.span(keyword)[0]
            program.edits.append(Edit(start, start + len(keyword.arg or ""), new))
    if endpoint == EMBEDDING and "initializer" not in program.given(call):
        _begun(program, call)


def _begun(program: Program, call: ast.Call) -> None:
    """Say what an embedding begins with: numbers by how many categories there are."""
    given = program.given(call)
    inner = given.get("sparse_id_column")
    count = size(program, inner) if inner is not None else ""
    if not count and isinstance(inner, (ast.Name, ast.Attribute)):
        count = f"{program.source(inner)}.num_buckets"  # all columns that may be embedded have it
    if not count:
        raise Blocked(call, "an embedding_column of contrib.layers whose categories aren't counted")
    tf = program.tf
    new = f"{tf}.keras.initializers.TruncatedNormal(stddev={count}**-0.5)"
    end = program.text.index.span(call)[1] - 1
    last = (call.args + [k.value for k in call.keywords])[-1]
    at = program.text.index.span(last)[1]
    program.edits.append(Edit(at, at, f", initializer={new}"))
    assert end >= at


def size(program: Program, node: ast.expr) -> str:
    """The source of how many categories a column has, where that is seen; else nothing."""
    value = program.scopes.value(node)
    if not isinstance(value, ast.Call):
        return ""
    endpoint = program.called(value)
    older = OLDER.get(endpoint.removeprefix(MODULE)) if endpoint.startswith(MODULE) else None
    if older is None:
        return ""
    given = program.given(value)
    if older.name == "WeightedColumn":
        return size(program, given["sparse_id_column"])
    if "num_oov_buckets" in given:
        return ""
    said = given.get(older.size) if older.size else None
    said = program.scopes.value(said) if said is not None else None
    if isinstance(said, (ast.List, ast.Tuple)):
        return str(len(said.elts))
    if isinstance(said, ast.Constant) and isinstance(said.value, (int, float)):
        return str(int(said.value))
    plain = isinstance(said, ast.Call) and ast.unparse(said.func) == "int" and len(said.args) == 1
    number = said.args[0] if plain and isinstance(said, ast.Call) else None
    if isinstance(number, ast.Constant) and isinstance(number.value, (int, float)):
        return str(int(number.value))
    return ""
