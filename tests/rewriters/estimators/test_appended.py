"""Lists of hooks that are appended to stand where they are whole."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

RUN = "net.train(input_fn, steps=3)\n"
HOOK = "tf.train.LoggingTensorHook(['a'], every_n_iter=10)"
NAN = "tf.train.NanTensorHook('loss', fail_on_nan_loss=False)"


def hooked(*lines: str) -> str:
    said = "".join(f"{line}\n" for line in lines)
    return PROGRAM.replace(RUN, f"{said}net.train(input_fn, steps=3, hooks=hooks)\n")


@pytest.mark.parametrize(
    "lines",
    [
        ("hooks = []", f"hooks.append({HOOK})"),
        (f"hooks = [{HOOK}]", f"hooks += [{HOOK}, {HOOK}]"),
        ("hooks = []", "steps = 3", f"hooks.extend([{HOOK}])"),
    ],
)
def test_a_list_that_is_appended_to(lines: tuple[str, ...]) -> None:
    new = after(hooked(*lines))
    assert "hooks" not in new


@pytest.mark.parametrize(
    "lines",
    [
        # What is appended elsewhere, or would be another one by then.
        ("hooks = []", f"def more():\n    hooks.append({HOOK})"),
        ("hooks = []", "names = ['a']", "hooks.append(tf.train.LoggingTensorHook(names, 10))",
         "names = input()", f"hooks.append({HOOK})", "print(hooks)"),
        ("hooks = []", "hooks.append(make())"),
    ],
)  # fmt: skip
def test_lists_that_stay(lines: tuple[str, ...]) -> None:
    stopped(hooked(*lines))


def test_a_hook_with_a_callback() -> None:
    new = after(hooked("hooks = []", f"hooks.append({HOOK})", f"hooks.append({NAN})"))
    assert "callbacks=[FailAtNaN()]" in new
