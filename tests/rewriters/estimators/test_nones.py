"""`--to keras`: numbers of steps that may be None."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
PROGRAM = (KERAS / "steps_left_out" / "before.py").read_text(encoding="utf-8")
LEFT = "parser.add_argument('--eval-steps', type=int, help='all of them where nothing is said')\n"
ALL = ".take(-1 if args.eval_steps is None else args.eval_steps)"


def with_setting(new: str) -> str:
    assert LEFT in PROGRAM
    return PROGRAM.replace(LEFT, new)


@pytest.mark.parametrize(
    "new",
    [
        LEFT,
        "parser.add_argument('--eval-steps', type=int, default=None)\n",
        "parser.add_argument('--checks', dest='eval_steps', type=int)\n",
        "args = argparse.Namespace()\nargs.eval_steps = None\n",
    ],
)
def test_what_a_setting_leaves_out(new: str) -> None:
    assert ALL in after(with_setting(new))


@pytest.mark.parametrize(
    "new",
    [
        "parser.add_argument('--eval-steps', type=int, default=3)\n",
        "parser.add_argument('--eval-steps', type=int, required=True)\n",
        "parser.add_argument('eval_steps', type=int)\n",
    ],
)
def test_what_is_always_there(new: str) -> None:
    text = after(with_setting(new))
    assert ".take(args.eval_steps)" in text
    assert ".take(args.few)" in text


def test_what_callers_give() -> None:
    assert ".take(-1 if steps is None else steps)" in after(PROGRAM)
    some = after(PROGRAM.replace("CHECKS = None", "CHECKS = 3"))
    assert ".take(steps)" in some


def test_a_choice_and_an_entry() -> None:
    old = "eval_spec = tf.estimator.EvalSpec(input_fn, steps=args.eval_steps)"
    assert old in PROGRAM
    one = after(PROGRAM.replace(old, old.replace("args.eval_steps", "3 if args.few else None")))
    assert ".take(3 if args.few else -1)" in one
    own = "found = vars(args)\n" + old.replace("args.eval_steps", "found['eval_steps']")
    two = after(PROGRAM.replace(old, own))
    assert ".take(-1 if found['eval_steps'] is None else found['eval_steps'])" in two


def test_a_flag() -> None:
    flag = "tf.flags.DEFINE_integer('eval_steps', None, 'how many')\nargs = tf.flags.FLAGS\n"
    rest = PROGRAM.replace(LEFT, "").replace("args = parser.parse_args([])\n", flag)
    rest = rest.replace("args.few", "2").replace("args.train_steps", "9")
    assert ALL in after(rest)
    assert ".take(args.eval_steps)" in after(rest.replace("'eval_steps', None", "'eval_steps', 5"))


def run(call: str) -> str:
    """A program that runs in a function, which is given more."""
    start = PROGRAM.index("net = tf.estimator")
    end = PROGRAM.index("shown('trained'")
    body = PROGRAM[start:end].replace("scores, _ = ", "").replace("\n", "\n    ").rstrip()
    body = body.replace("tf.estimator.train_and_evaluate(net, train_spec, eval_spec)", call)
    return f"{PROGRAM[:start]}def run(**more):\n    {body}\n\n\nrun()\n"


def test_more_than_a_run_takes_is_nothing() -> None:
    text = after(run("tf.estimator.train_and_evaluate(net, train_spec, eval_spec, **more)"))
    assert "**more):" in text
    assert "**more)\n" not in text


@pytest.mark.parametrize("given", ["net, train_spec, **more", "net, train_spec, eval_spec, **{}"])
def test_what_may_be_given_besides_stays(given: str) -> None:
    stopped(run(f"tf.estimator.train_and_evaluate({given})"))
