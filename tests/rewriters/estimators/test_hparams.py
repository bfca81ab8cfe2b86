"""HParams of a command line's arguments are a namespace of them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_program import PROGRAM

ENDS = PROGRAM.rindex("def input_fn")
RUN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=3)
args = parser.parse_args()
hparams = tf.contrib.training.HParams({given})
data = tf.data.Dataset.from_tensor_slices(({{'x': np.ones((8, 2), 'f')}}, np.zeros(8, 'i')))
net = tf.estimator.Estimator(model_fn, params={{}})
net.train(lambda: data.batch(4), steps=hparams.steps)
"""


def upgraded(given: str) -> tuple[Level | None, str]:
    source = PROGRAM[:ENDS] + RUN.format(given=given)
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    "given", ["**args.__dict__", "**vars(args)", "steps=2", "**vars(args), a=1"]
)
def test_a_namespace(given: str) -> None:
    level, after = upgraded(given)
    assert level is Level.NATIVE
    assert f"hparams = SimpleNamespace({given})" in after


@pytest.mark.parametrize(
    "given", ["**parser.__dict__", "**dict(steps=3)", "**{}", "model_structure=1"]
)
def test_what_is_not_seen_stays(given: str) -> None:
    assert upgraded(given)[0] is Level.COMPAT


@pytest.mark.parametrize(
    ("given", "more", "level"),
    [
        ("**hparams", "", Level.NATIVE),
        ("**hparams", "print('model_structure')\n", Level.COMPAT),
        ("**others", "", Level.COMPAT),
    ],
)
def test_those_of_a_function_around_it(given: str, more: str, level: Level) -> None:
    run = RUN.format(given=given).partition("args = parser.parse_args()\n")[2]
    body = "".join(f"    {line}\n" for line in run.splitlines())
    text = f"{PROGRAM[:ENDS]}{more}others = {{'steps': 3}}\n\n\ndef main(**hparams):\n{body}\n"
    (result,) = texts({"a.py": f"{text}\nmain(steps=3)\n".encode()}, Options(to="keras"))
    assert result.level is level


def test_its_values_are_a_dict() -> None:
    source = PROGRAM[:ENDS] + RUN.format(given="steps=3").replace(
        "params={}", "params=hparams.values()"
    )
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    assert result.level is Level.NATIVE
    assert "net = Model(dict(vars(hparams)))" in (result.after or b"").decode()
    (result,) = texts(
        {
            "a.py": source.replace(
                "labels, logits)", "labels, logits) + params.values()[0]"
            ).encode()
        },
        Options(to="keras"),
    )
    assert result.level is Level.NATIVE
    assert "class HParams:" in (result.after or b"").decode()


@pytest.mark.parametrize(
    ("asked", "level"),
    [
        ("hparams.parse('steps=2')", Level.NATIVE),
        ("hparams.add_hparam('more', 3)", Level.NATIVE),
        ("print('steps' in hparams, hparams.get('steps'), hparams.to_json())", Level.NATIVE),
        ("hparams.set_model_structure(None)", Level.COMPAT),
    ],
)
def test_a_class_of_the_file(asked: str, level: Level) -> None:
    run = RUN.format(given="steps=3").replace("\nnet =", f"\n{asked}\nnet =")
    (result,) = texts({"a.py": (PROGRAM[:ENDS] + run).encode()}, Options(to="keras"))
    assert result.level is level
    assert ("class HParams:" in (result.after or b"").decode()) is (level is Level.NATIVE)
