"""Summaries that are called after a number of their object."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Agent:
    def __init__(self, games):
        self.games = games
        self.x = tf.placeholder(tf.float32, [])
        tf.summary.scalar('Average Score/' + str(self.games) + " games", self.x)
        self.merged = tf.summary.merge_all()
        self.writer = tf.summary.FileWriter('log')
        self.sess = tf.Session()

    def note(self, step, score):
        if step % self.games == 0:
            self.writer.add_summary(self.sess.run(self.merged, {self.x: score}), step)


Agent(2).note(2, 1.0)
"""


def test_its_texts_are_written_as_tf1_wrote_them() -> None:
    text = after(PROGRAM)
    assert "'Average_Score/' + str(self.games) + \"_games\": x" in text


@pytest.mark.parametrize(
    "used", ["step // self.games == 1", "step - self.games > 1", "step in range(self.games)"]
)
def test_it_is_a_number(used: str) -> None:
    assert "str(self.games)" in after(PROGRAM.replace("step % self.games == 0", used))


def test_it_is_written() -> None:
    text = PROGRAM.replace("step % self.games == 0", "step")
    assert "str(self.games)" in after(text.replace("self.games = games", "self.games = 3"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("step % self.games == 0", "step in self.games"),  # it may have spaces
        ("        if step", "        self.games += 1\n        if step"),
        ("        if step", "        setattr(self, 'games', 3)\n        if step"),
        ("'Average Score/'", "'/Score/'"),
        ("'Average Score/'", "name"),
        ("str(self.games)", "repr(self.games)"),
        ("str(self.games)", "self.games"),
        ("'Average Score/' +", "'Average Score/' *"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "a summary's name is computed" in stopped(PROGRAM.replace(old, new))


def test_a_method_may_set_it_again() -> None:
    kept = "        self.games = games\n"
    method = f"    def begin(self, games):\n{kept}\n    def note("
    text = PROGRAM.replace(kept, "        self.begin(games)\n").replace("    def note(", method)
    assert "a summary's name is computed" in stopped(text)
