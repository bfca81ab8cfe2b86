"""`bow_encoder` of contrib.layers: the mean of the vectors of the words that aren't 0.

    table = tf.get_variable('bow_encoder/embeddings', [words, size])
    net = tf.nn.safe_embedding_lookup_sparse(
        table, tf.sparse.from_dense(ids), combiner='mean', default_id=0)

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/encoders.py
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.wording.spelled import Spelled, word

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

ENDPOINT = "tensorflow.contrib.layers.bow_encoder"


def spelled(program: Program) -> None:
    """Say what they do.

    Raises:
        Spelled: there is one.
    """
    for call in program.calls():
        if program.called(call) == ENDPOINT:
            _said(program, call)


def _said(program: Program, call: ast.Call) -> None:
    """Say what one does, where it is what a name is given.

    Raises:
        Spelled: it is.
    """
    given = program.given(call)
    stmt, root = program.scopes.statement(call), program.page(call).root
    whole = isinstance(stmt, (ast.Assign, ast.Return)) and stmt.value is call
    if set(given) != {"ids", "vocab_size", "embed_dim"} or not whole or not root:
        return  # its layer is said to be unknown
    ids, size, width = (program.source(given[n]) for n in ("ids", "vocab_size", "embed_dim"))
    table = program.free(call, "embeddings", "word_embeddings")
    line = f"{table} = {root}.get_variable('bow_encoder/embeddings', [{size}, {width}])"
    new = f"{root}.nn.safe_embedding_lookup_sparse(\n"
    indent = program.text.piece(stmt).indent + 2 * program.text.unit
    new += f"{indent}{table}, {root}.sparse.from_dense({ids}), combiner='mean', default_id=0)"
    why = "a bow_encoder, which isn't said by its table"
    raise Spelled(call, why, [(call, word(new))], [(stmt, lambda source: [line])])
