"""Calls bind to a signature; edits keep layout, comments and order."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from migrate.engine.calls import BoundCall, Unbound, bind
from migrate.engine.source import LineIndex, apply

PARAMS = ("x", "keep_prob", "noise_shape", "seed", "name")


def bound(text: str) -> BoundCall:
    call = ast.parse(text).body[0].value  # type: ignore[attr-defined]
    return bind(text, LineIndex(text), call, PARAMS)


def changed(text: str, change: Callable[[BoundCall], None], limit: int | None = None) -> str:
    call = bound(text)
    change(call)
    positional = None if limit is None else (lambda place, _: place < limit)
    new = apply(text, call.finish(positional))
    ast.parse(new)
    return new


def rate(call: BoundCall) -> None:
    call.rename("keep_prob", "rate")
    call.wrap("keep_prob", "1 - ", atom=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x, keep)", "f(x, rate=1 - keep)"),
        ("f(x, keep, s)", "f(x, rate=1 - keep, noise_shape=s)"),
        ("f(x, (a + b), name='x')", "f(x, rate=1 - (a + b), name='x')"),
        ("f(x, a if b else c)", "f(x, rate=1 - (a if b else c))"),
        ("f(x, a[0].b())", "f(x, rate=1 - a[0].b())"),
        ("f(x, -a)", "f(x, rate=1 - (-a))"),
        ("f(x, keep_prob=k)", "f(x, rate=1 - k)"),
        ("f(x, keep_prob = (k))", "f(x, rate = 1 - (k))"),
        ("f(x, # the input, really\n  k, # (share)\n)", "f(x, # the input, really\n  rate=1 - k, # (share)\n)"),
        ("f(x, 'a,b(')", "f(x, rate=1 - 'a,b(')"),
        ("f(x, \\\n  k)", "f(x, \\\n  rate=1 - k)"),
        ("(f)(x, k)", "(f)(x, rate=1 - k)"),
        ("f  (x, k)", "f  (x, rate=1 - k)"),
        ("f(x, k, **kw)", "f(x, rate=1 - k, **kw)"),
        ("f(x, é, seed=1)", "f(x, rate=1 - é, seed=1)"),
    ],
)  # fmt: skip
def test_rename_and_wrap(before: str, after: str) -> None:
    assert changed(before, rate) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x, k, ns)", "f(x, k)"),
        ("f(x, k, ns,)", "f(x, k,)"),
        ("f(x, k, ns, 3)", "f(x, k, seed=3)"),
        ("f(x, k, noise_shape=ns, seed=3)", "f(x, k, seed=3)"),
        ("f(x,\n  k,\n  noise_shape=ns,\n  seed=3)", "f(x,\n  k,\n  seed=3)"),
        ("f(x,\n  k,\n  noise_shape=ns,  # why\n  seed=3)", "f(x,\n  k,\n  # why\n  seed=3)"),
        ("f(x, k,\n  noise_shape=ns)", "f(x, k)"),
        ("f(noise_shape=ns)", "f()"),
        ("f(noise_shape=ns,)", "f()"),
    ],
)
def test_remove(before: str, after: str) -> None:
    assert changed(before, lambda c: c.remove("noise_shape")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(q=1)"),
        ("f(x)", "f(x, q=1)"),
        ("f(x,\n  k,\n)", "f(x,\n  k, q=1,\n)"),
        ("f(x, **kw)", "f(x, q=1, **kw)"),
        ("f(y for y in x)", "f((y for y in x), q=1)"),
    ],
)
def test_append(before: str, after: str) -> None:
    assert changed(before, lambda c: c.append("q=1")) == after


def test_what_moved_becomes_a_keyword_and_nothing_else() -> None:
    assert changed("f(x, k, ns, 3)", lambda c: None, 3) == "f(x, k, ns, seed=3)"
    assert changed("f(x, k)", lambda c: None, 3) == "f(x, k)"


def test_a_generator_gets_the_parentheses_that_a_keyword_needs() -> None:
    assert changed("f(y for y in x)", lambda c: c.rename("x", "z")) == "f(z=(y for y in x))"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f(*a)", "hides"),
        ("f(x, *a)", "hides"),
        ("f(x, nope=1)", "no argument `nope`"),
        ("f(1, 2, 3, 4, 5, 6)", "more positional"),
    ],
)
def test_unbound(text: str, words: str) -> None:
    with pytest.raises(Unbound, match=words):
        bound(text)


def test_a_double_star_may_hide_arguments() -> None:
    assert bound("f(x, **kw)").hidden
    assert not bound("f(x)").hidden
