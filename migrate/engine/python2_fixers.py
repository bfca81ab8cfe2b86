"""fissix with the few fixers for Python 2's syntax, told which lines each of them changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from migrate.engine.source import SourceError

WHAT = {
    "FixPrint": "print statement",
    "FixExcept": "except clause",
    "FixRaise": "raise statement",
    "FixExec": "exec statement",
    "FixNe": "<> operator",
    "FixRepr": "backquotes",
    "FixTupleParams": "tuple parameters",
}


@cache
def fixers() -> Any:
    """fissix with the few fixers for syntax; made once, since that takes a while."""
    import logging

    from fissix import pygram, pytree, refactor
    from fissix.fixes import (
        fix_except,
        fix_exec,
        fix_ne,
        fix_print,
        fix_raise,
        fix_repr,
        fix_tuple_params,
    )
    from fissix.pgen2 import driver

    grammars = (
        pygram.python_grammar,
        pygram.python_grammar_no_print_statement,
        pygram.python_grammar_no_print_and_exec_statement,
    )

    class Print(fix_print.FixPrint):
        """``print "a\\n",`` wrote no space before the next text."""

        def transform(self, node: Any, results: Any) -> Any:
            ends_line = _ends_line(node)
            if _in_parentheses(node):
                return None
            new = super().transform(node, results)
            if ends_line and new is not None:
                for leaf in new.leaves():
                    if leaf.value == "' '" and str(leaf.parent).strip() == "end=' '":
                        leaf.value = "''"
            return new

    Print.__name__ = "FixPrint"

    class TupleParams(fix_tuple_params.FixTupleParams):
        """With a name that reads as if it was meant."""

        def new_name(self, template: str = "packed") -> Any:
            return super().new_name(template)

        def transform(self, node: Any, results: Any) -> Any:
            body = results["suite"][0] if results.get("suite") else None
            before = [(s, s.prefix) for s in body.children[2:4]] if body is not None else []
            new = super().transform(node, results)
            # What is unpacked stands where the comments of the next statement stood.
            for statement, prefix in before:
                if "#" in prefix:
                    statement.prefix = prefix
            return new

    TupleParams.__name__ = "FixTupleParams"

    class Raise(fix_raise.FixRaise):
        """A raised text fails on Python 3 as it did since 2.6: nothing to convert."""

        def cannot_convert(self, node: Any, reason: str | None = None) -> None:
            """Leave it."""

    Raise.__name__ = "FixRaise"

    class Tool(refactor.RefactoringTool):
        def __init__(self) -> None:
            self.marks: list[tuple[int, str]] = []
            logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
            super().__init__([])

        def get_fixers(self) -> tuple[list[Any], list[Any]]:
            classes = (
                TupleParams,
                fix_except.FixExcept,
                fix_exec.FixExec,
                fix_ne.FixNe,
                Print,
                Raise,
                fix_repr.FixRepr,
            )
            fixers: list[Any] = [kind(self.options, self.fixer_log) for kind in classes]
            for fixer in fixers:
                fixer.transform = self.recording(fixer)
            pre = [fixer for fixer in fixers if fixer.order == "pre"]
            return pre, [fixer for fixer in fixers if fixer.order != "pre"]

        def recording(self, fixer: Any) -> Callable[[Any, Any], Any]:
            transform = fixer.transform
            what = WHAT[type(fixer).__name__]

            def record(node: Any, results: Any) -> Any:
                before = str(node)
                lines = _old_excepts(node) if what == "except clause" else [line_of(node)]
                new = transform(node, results)
                if str(node if new is None else new) != before:
                    self.marks += [(line, what) for line in lines if line]
                return new

            return record

        def parse(self, text: str) -> Any:
            """The tree by the first grammar that fits: ``print`` and ``exec`` may be functions."""
            reason = ""
            features = refactor._detect_future_features(text)
            for grammar in grammars["print_function" in features :]:
                parser = driver.Driver(grammar, convert=pytree.convert, logger=self.logger)
                try:
                    return parser.parse_string(text)
                except Exception as error:  # ParseError, TokenError, IndentationError and others
                    reason = reason or _parse_reason(error)
            raise SourceError(reason)

    return Tool()


def _parse_reason(error: Exception) -> str:
    """Why fissix could not parse, in short."""
    context = getattr(error, "context", None)
    if context:
        return f"unexpected {getattr(error, 'value', '')!r} (line {context[1][0]})"
    lineno = getattr(error, "lineno", None)
    where = f" (line {lineno})" if lineno else ""
    first = error.args[0] if error.args else error
    return f"{first}{where}"


def line_of(node: Any) -> int:
    """The line of a node's first leaf that comes from the source."""
    for leaf in node.leaves():
        if leaf.lineno:
            return int(leaf.lineno)
    return 0


def _old_excepts(node: Any) -> list[int]:
    """The lines of the clauses ``except Error, name`` of a try statement."""
    return [
        child.get_lineno()
        for child in node.children
        if len(child.children) == 4
        and str(child.children[0]).strip() == "except"
        and str(child.children[2]).strip() == ","
    ]


def _ends_line(node: Any) -> bool:
    """Whether ``print …,`` ends with a literal text whose last character is a newline or tab."""
    if len(node.children) < 3 or str(node.children[-1]).strip() != ",":
        return False
    last = node.children[-2]
    text = str(last.children[0] if last.children else last).strip()
    if last.children and str(last.children[1]).strip() != "%":
        return False
    return re.search(r"""^[uUbB]?(["']).*\\[nt]["']+$""", text, re.DOTALL) is not None


def _in_parentheses(node: Any) -> bool:
    """Whether ``print (x)`` has one value in parentheses: a call as it stands."""
    if len(node.children) != 2:
        return False
    parts = getattr(node.children[1], "children", [])
    return (
        len(parts) == 3
        and str(parts[0]).strip() == "("
        and kind_of(parts[1]) not in ("testlist_gexp", "yield_expr")
    )


def kind_of(node: Any) -> str:
    return _kind(node.type) if node is not None else ""


@cache
def _kind(number: int) -> str:
    from fissix.pytree import type_repr

    return str(type_repr(number))
