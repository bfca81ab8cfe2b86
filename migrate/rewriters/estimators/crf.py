"""Linear-chain CRFs of `tf.contrib.crf` in a model: the functions that sessions' programs get.

https://www.tensorflow.org/addons/api_docs/python/tfa/text/crf_log_likelihood
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program
from migrate.rewriters.sessions import recurrent_code

if TYPE_CHECKING:
    from migrate.rewriters.estimators.layers import Layers

CRF = "tensorflow.contrib.crf."
KNOWN = frozenset({CRF + "crf_log_likelihood", CRF + "crf_decode"})


def calls(owner: Layers) -> set[int]:
    """The calls in a function that are of a CRF, by id."""
    return {id(n) for n in walk(owner.function) if owner.program.called(n) in KNOWN}


def written(owner: Layers, call: ast.Call) -> str:
    """The call of a function in the file.

    Raises:
        Blocked: it makes its transitions itself.
    """
    endpoint = owner.program.called(call)
    name = endpoint.rpartition(".")[2]
    if "transition_params" not in owner.program.given(call, endpoint):
        raise Blocked(call, f"{name} makes its transitions itself")
    owner.need(name, recurrent_code.source(name, set(), "{tf}"))
    parts = [owner.source(a) for a in call.args]
    parts += [f"{k.arg}={owner.source(k.value)}" for k in call.keywords]
    return f"{name}({', '.join(parts)})"


def on_arrays(program: Program, call: ast.Call) -> None:
    """`viterbi_decode`, which NumPy computes of what was predicted."""
    program.need(call, "viterbi_decode", recurrent_code.source("viterbi_decode", set(), "{tf}"))
    program.edit(call.func, "viterbi_decode", "a function of the file")


READERS[CRF + "viterbi_decode"] = on_arrays
