"""How many dimensions names have at least, where they are given one another."""

from __future__ import annotations

import ast

from migrate.rewriters.array_numbers import Arrays


def test_names_that_are_given_one_another_are_asked_once() -> None:
    rounds = "".join(f"loss = loss + rate{n} * loss\nloss = add(loss, loss)\n" for n in range(12))
    tree = ast.parse(f"loss = reshape(data, [-1, 2])\n{rounds}")
    arrays = Arrays(tree)
    asked: list[str] = []
    values = arrays.values

    def counted(name, scope):
        asked.append(name)
        return values(name, scope)

    arrays.values = counted
    arrays.endpoints = {
        id(n.func): f"tensorflow.{n.func.id}" for n in ast.walk(tree) if isinstance(n, ast.Call)
    }
    assert arrays.rank(ast.parse("loss", mode="eval").body, [tree]) == 0
    assert len(asked) < 1000  # each at each depth, not each way to it


def test_a_name_has_the_least_that_it_is_given() -> None:
    tree = ast.parse("rows = reshape(data, [-1, 2])\nrows = ones([3])\nboth = rows + rows\n")
    arrays = Arrays(tree)
    arrays.endpoints = {
        id(n.func): f"tensorflow.{n.func.id}" for n in ast.walk(tree) if isinstance(n, ast.Call)
    }
    assert arrays.rank(ast.parse("both", mode="eval").body, [tree]) == 1
