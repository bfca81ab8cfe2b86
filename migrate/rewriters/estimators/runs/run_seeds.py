"""`tf_random_seed` of a RunConfig is a seed of the program: TensorFlow's and Python's, for Keras.

    config = RunConfig(tf_random_seed=7)         tf.keras.utils.set_random_seed(7)

Keras's initializers draw their seeds by Python's `random`. What NumPy draws stays what it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked
from migrate.rewriters import keras_seeds
from migrate.rewriters.estimators import processes
from migrate.rewriters.estimators.program import Program

BESIDE = "`tf_random_seed` beside another seed of Python's `random`, whose numbers would change"


def seeded(program: Program, call: ast.Call, seed: str) -> None:
    """Keras draws by a seed of Python's, too: nothing else may seed it.

    Raises:
        Blocked: something may.
    """
    page = program.page(call)
    pages, others = processes.together(program, page)
    trees = [*(each.part.document.tree for each in pages), *_parsed(call, others)]
    if any(map(keras_seeds.python_seeds, trees)):
        raise Blocked(call, BESIDE)
    lines = [f"{program.tf}.keras.utils.set_random_seed({seed})"]
    whose = "Python's and NumPy's"
    if any(map(keras_seeds.numpy_draws, trees)):  # those draw what they drew
        if "random" in page.bound:
            raise Blocked(call, "`random`, which isn't Python's, beside a seed")
        program.bring(call, "import random")
        lines = [f"random.seed({seed})", f"{program.tf}.random.set_seed({seed})"]
        whose = "Python's"
    piece = program.text.piece(program.scopes.statement(call))
    at = program.text.start(piece.line)
    program.edits.append(Edit(at, at, "".join(f"{piece.indent}{line}\n" for line in lines)))
    drawn = any(map(keras_seeds.python_draws, trees))
    more = ", so that what the program draws by `random` is the same in each run" if drawn else ""
    program.say(call, f"the seed is {whose}, too{more}; TF 1's numbers it doesn't give")


def _parsed(call: ast.Call, paths: Iterable[str]) -> Iterator[ast.AST]:
    """Files without TensorFlow, which may draw numbers.

    Raises:
        Blocked: one can't be read.
    """
    for path in paths:
        if path.endswith(".py"):
            try:
                with open(path, "rb") as file:
                    yield ast.parse(file.read())
            except (OSError, SyntaxError, ValueError):
                raise Blocked(call, f"{BESIDE}, perhaps in {path}") from None
