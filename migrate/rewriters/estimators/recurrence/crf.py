"""Linear-chain CRFs of `tf.contrib.crf` in a model: the functions that sessions' programs get.

https://www.tensorflow.org/addons/api_docs/python/tfa/text/crf_log_likelihood
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled
from migrate.rewriters.estimators.program import READERS, Program
from migrate.rewriters.sessions import recurrent_code

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers

CRF = "tensorflow.contrib.crf."
KNOWN = frozenset({CRF + "crf_log_likelihood", CRF + "crf_decode"})


def calls(owner: Layers) -> set[int]:
    """The calls in a function that are of a CRF, by id."""
    return {id(n) for n in walk(owner.function) if owner.program.called(n) in KNOWN}


def written(owner: Layers, call: ast.Call) -> str:
    """The call of a function in the file.

    Raises:
        Spelled: it makes its transitions itself.
    """
    name = known(owner.program, call)
    owner.need(name, source(name))
    parts = [owner.source(a) for a in call.args]
    parts += [f"{k.arg}={owner.source(k.value)}" for k in call.keywords]
    return f"{name}({', '.join(parts)})"


def source(name: str) -> str:
    """The source of a function of the file."""
    return recurrent_code.source(name, set(), "{tf}")


def known(program: Program, call: ast.Call) -> str:
    """The function of the file that a call is of.

    Raises:
        Spelled: it makes its transitions itself, which can be said.
        Blocked: they can't.
    """
    endpoint = program.called(call)
    name = endpoint.rpartition(".")[2]
    given = program.given(call, endpoint)
    if "transition_params" in given:
        return name
    inputs, root = given.get("inputs"), program.page(call).root
    plain = not any(isinstance(a, ast.Starred) for a in call.args)
    if name != "crf_log_likelihood" or not isinstance(inputs, ast.Name) or not (root and plain):
        raise Blocked(call, f"{name} makes its transitions itself")
    count = f"{inputs.id}.shape[-1]"
    made = f'{root}.get_variable("transitions", [{count}, {count}])'

    def said(text: Callable[[ast.AST], str]) -> str:
        parts = [text(a) for a in call.args]
        parts += [f"{k.arg}={text(k.value)}" for k in call.keywords]
        return f"{text(call.func)}({', '.join([*parts, f'transition_params={made}'])})"

    raise Spelled(call, f"{name} makes its transitions itself", [(call, said)], [])


def on_arrays(program: Program, call: ast.Call) -> None:
    """`viterbi_decode`, which NumPy computes of what was predicted."""
    program.need(call, "viterbi_decode", source("viterbi_decode"))
    program.edit(call.func, "viterbi_decode", "a function of the file")


READERS[CRF + "viterbi_decode"] = on_arrays
