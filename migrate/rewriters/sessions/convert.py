"""One module from graph to functions."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import takewhile

from migrate.engine.analysis import names_of
from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.functions import runs_graph
from migrate.engine.names import Names
from migrate.engine.source import apply
from migrate.programs.graph import devices, switches
from migrate.programs.graph import embeddings as _embeddings  # noqa: F401  (the same)
from migrate.programs.graph import feedable as _feedable  # noqa: F401  (the same)
from migrate.programs.graph import graphs as _graphs  # noqa: F401  (it registers its endpoints)
from migrate.programs.graph import iterators as _iterators  # noqa: F401  (it registers its endpoints)
from migrate.programs.graph import losses as _losses  # noqa: F401  (it registers its endpoints)
from migrate.programs.graph import mnist as _mnist  # noqa: F401  (it registers its endpoints)
from migrate.programs.graph.model import Blocked, Idle, Region
from migrate.programs.graph.walk import Walker
from migrate.rewriters.sessions import contrib, mnist
from migrate.rewriters.sessions.apart import SHARED, apart
from migrate.rewriters.sessions.bound import unbound
from migrate.rewriters.sessions.lines import CLOSE, OPEN, by_cell, by_line
from migrate.rewriters.sessions.state import leading, tensorflow
from migrate.rewriters.sessions.writing import Writing

SESSIONS = ("tensorflow.Session", "tensorflow.InteractiveSession")


@dataclass(slots=True, eq=False, repr=False)
class Converted:
    """The edits that take a module's sessions out, and what they change, by place."""

    edits: list[Edit]
    said: list[tuple[ast.AST, str]]
    root: str  # what the module calls TensorFlow


def convert(document: Document, names: Names, tf: str) -> Converted:
    """Take a module's sessions out; names of TF 2 begin with ``tf``.

    Raises:
        Blocked: it can't be followed; with the place and the reason.
    """
    try:
        return _converted(document, names, tf)
    except Blocked as error:
        if error.reason != SHARED:
            raise
        lines = error.node.lineno, error.node.end_lineno  # type: ignore[attr-defined]
        new = apart(document, lines[0]) or apart(document, lines[1])
        if new is None:
            raise
    found = convert(new, names_of(new), tf)
    more = new.text.count("\n") - document.text.count("\n")
    said = [(_before(n, lines[1], more), what) for n, what in found.said]
    text = apply(new.text, found.edits).replace("\r\n", "\n")
    edits = by_line(document.text, text)
    return Converted(edits, said, found.root)


def _before(node: ast.AST, cut: int, more: int) -> ast.AST:
    """A place in the text as it was before a line was cut."""
    line: int = getattr(node, "lineno", 1)
    if line <= cut:
        return node
    return ast.Pass(lineno=line - more, col_offset=0, end_lineno=line - more, end_col_offset=0)


def _converted(document: Document, names: Names, tf: str) -> Converted:
    walker = Walker(document.tree, names)
    if not runs_graph(document.tree, walker.endpoints):
        raise Idle(document.tree.body[0], "nothing is run here")
    root = tensorflow(document.tree, names)
    regions = walker.run()  # most of what can't be followed ends here
    module = _Module(document, walker, tf, root)
    edits = module.edits(regions)
    return Converted(edits, [*module.said, *devices.told(walker)], root)


class _Module(Writing):
    """The whole way of one module."""

    def edits(self, regions: list[Region]) -> list[Edit]:
        """The edits of the whole module."""
        self.sites = [site for region in regions for site in region.sites]
        if not self.sites:
            raise Blocked(self.document.tree.body[0], "nothing is run here")
        self.switches = switches.switches(self.walker, self.sites)
        self.fed = switches.fed(self.walker, self.sites)
        for region in regions:
            self.plan(region)
        self.handed.prepare()
        self.parameters()
        for region in regions:
            self.write(region)
        if "mnist" in self.walker.needs:
            self.need("read_data_sets", mnist.SOURCE, mnist.IMPORTS)
        self.recurrent.define()
        self.define()
        for node in ast.walk(self.document.tree):
            if isinstance(node, ast.Call) and self.walker.endpoints.get(id(node.func)) in SESSIONS:
                self.said.append((node, "there is no session any more"))
        edits = list(by_cell(self.document, self.changes))
        if contrib.dropped(self, apply(self.text.text, edits)):
            edits = list(by_cell(self.document, self.changes))
        lost = sorted(unbound(apply(self.text.text, edits)) - unbound(self.text.text) - {self.tf})
        if lost:
            raise Blocked(self.document.tree.body[0], f"`{lost[0]}` would have no value any more")
        return edits

    def define(self) -> None:
        """What the module is given besides: imports first, then what may need TensorFlow's."""
        body = self.document.tree.body
        last = max(
            (s.end_lineno or s.lineno for s in body if isinstance(s, (ast.Import, ast.ImportFrom))),
            default=0,
        )
        first = leading(body)
        texts = list(self.needed.values())
        early = list(takewhile(lambda text: self.tf not in text, texts))
        late = texts[len(early) :]
        for line, imports, texts in ((first, self.imports, early), (last, [], late)):
            block = "".join(f"{text}\n" for text in imports)
            block += "".join(f"{OPEN}2\n{text}{CLOSE}2\n" for text in texts)
            if block:
                at = self.text.start(line + 1)
                self.changes.append(Edit(at, at, block))
