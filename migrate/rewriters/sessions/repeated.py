"""Loops and branches that make layers and variables, as two: one makes them, one applies them.

What a loop makes stands in lists, which the loop that applies it goes through. A loop whose body
does nothing else before it makes something is a comprehension.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.calls import PURE_BUILTINS, PURE_METHODS, is_numpy
from migrate.programs.graph.making import repeated
from migrate.programs.graph.making.owned_branches import negated
from migrate.programs.graph.meaning import is_host
from migrate.programs.graph.model import Blocked, Step
from migrate.programs.graph.wording import known_branches

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources

Replacement = tuple[int, int, str]


class Repeated:
    """One statement of a run that makes layers and variables, and how it is taken apart."""

    def __init__(self, step: Step, writer: Sources) -> None:
        self.step = step
        self.writer = writer
        self.walker = writer.walker
        self.root = step.node
        self.names: dict[int, list[str]] = {}  # what a call makes, as the body has it
        self.lists: dict[int, list[str]] = {}  # the lists that it goes to, where a loop makes it
        self.needed: set[int] = set()  # statements that the making needs, too
        for node in repeated.making(self.walker, self.root):
            for header in repeated.headers(self.root, node):
                repeated.known(self.walker, header)
            if len(repeated.loops(self.root, node)) > 1 and id(node) in self.walker.looped:
                raise Blocked(node, "variables in loops inside one another")
        self._named()
        self.gone: list[ast.stmt] = []  # statements of which nothing is applied
        self.gathered: dict[int, str] = {}  # what goes to a list of the author's, too
        self.sliced = False
        self.seen: set[int] = set()  # functions of Python that are looked at
        self.iterated: dict[str, str] = {}  # lists that loops inside of others go through

    def _named(self) -> None:
        """Names for what is made: the layers' own, the variables' as the author has them."""
        writer = self.writer
        for node in repeated.making(self.walker, self.root):
            key = id(node)
            if self.walker.layers[key].same if key in self.walker.layers else False:
                raise Blocked(node, "a layer in a loop that is used again")
            if any(isinstance(n, ast.If) for n in repeated.chain(self.root, node) or ()):
                writer.branched.add(key)
                if isinstance(self.root, ast.For):
                    writer.gaps.add(key)
            variable = self.walker.looped.get(key)
            if variable is None and key not in writer.layers:
                raise Blocked(node, "a layer that no run needs, beside what one does")
            names = [variable] if variable is not None else writer.layers[key]
            if repeated.loops(self.root, node):
                lists = writer.lists.get(key)
                if lists is None:
                    lists = [writer.namer.free(_many(n), f"{_bare(n)}_list") for n in names]
                    if writer._spread(self.step):
                        lists = [f"self.{n}" for n in lists]
                    writer.lists[key] = lists
                self.lists[key] = lists
            self.names[key] = list(map(_bare, names)) if key in self.lists else names

    def _slice(self) -> None:
        """The statements that what is made needs: Python's, and in the same loop or branch.

        Raises:
            Spelled: they can't be told, in a branch that all calls of its function decide.
        """
        if self.sliced:
            return
        self.sliced = True
        try:
            self._needed()
        except Blocked as error:
            for call in repeated.making(self.walker, self.root):
                known_branches.around(self.walker, call, error)
            raise

    def _needed(self) -> None:
        """The statements of which none is a run's."""
        found = repeated.slices(self.walker, self.root)
        self.gone = found.gone
        gathered = repeated.gathered(self.walker, self.root)
        self.gathered = {id(stmt): f"{many}.append({name})" for stmt, many, name in gathered}
        for stmt in found.needed:
            for n in walk(stmt):
                symbol = self.walker.meant.get(id(n), self.walker.attributes.get(id(n)))
                if symbol is not None and symbol.value.kind not in repeated.KNOWN:
                    raise Blocked(stmt, "what a layer is made of comes from a run")
                if isinstance(n, ast.Call) and not self._python(n):
                    raise Blocked(stmt, "what a layer is made of comes from a run")
                if isinstance(n, ast.Call) and self.step.impure is not None:
                    raise Blocked(*self.step.impure)
            self.needed.add(id(stmt))

    def _python(self, call: ast.Call) -> bool:
        """Whether a call gives a value of Python's, and does nothing else."""
        func = call.func
        if id(func) in self.walker.endpoints:
            return is_host(self.walker.endpoints[id(func)])
        target = self.walker._module_function(func)
        if isinstance(target, ast.FunctionDef):
            return self._computes(target)
        if isinstance(func, ast.Name):
            return func.id in PURE_BUILTINS and id(func) not in self.walker.meant
        random = "random" in ast.unparse(func)
        method = isinstance(func, ast.Attribute) and func.attr in PURE_METHODS
        return (method or is_numpy(self.walker, func)) and not random

    def _computes(self, target: ast.FunctionDef) -> bool:
        """Whether a function of the program only computes something of what it is given."""
        plain = (ast.Assign, ast.Return, ast.If, ast.Expr)
        if target.decorator_list or id(target) in self.seen:
            return False
        self.seen.add(id(target))
        try:
            stmts = [n for s in target.body for n in walk(s) if isinstance(n, ast.stmt)]
            stores = [
                n
                for n in walk(target)
                if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load)
            ]
            odd = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
            return (
                not stores
                and all(isinstance(s, plain) for s in stmts)
                and not any(isinstance(n, odd) for n in walk(target))
                and all(map(self._python, all_of(target, ast.Call)))
            )
        finally:
            self.seen.discard(id(target))

    def _makes(self, stmt: ast.AST) -> list[ast.Call]:
        return list(repeated.making(self.walker, stmt))  # type: ignore[arg-type]

    def _sources(self, node: ast.Call) -> list[tuple[str, str]]:
        """Each object that a call makes, by its name and source."""
        return list(zip(self.names[id(node)], self.writer.made_by(node, self.step), strict=True))

    # What is made

    def making(self, indent: str) -> list[str]:
        """The lines that make it all, before the run's function."""
        self._slice()
        return [indent + line if line else line for line in self._making([self.root])]

    def _making(self, body: Sequence[ast.stmt]) -> list[str]:
        lines: list[str] = []
        for stmt in body:
            made = self._makes(stmt)
            if isinstance(stmt, ast.For) and made:
                lines += self._loop(stmt, made)
            elif isinstance(stmt, ast.If) and made:
                lines += self._branch(stmt, made)
            elif isinstance(stmt, ast.With) and made:
                lines += self._making(stmt.body)
            elif made:
                for node in self._ordered(made):
                    lines += [f"{name} = {source}" for name, source in self._sources(node)]
                    lines += self._built(node)
            elif id(stmt) in self.gathered:
                lines.append(self.gathered[id(stmt)])
            elif id(stmt) in self.needed:
                lines += self._own(stmt)
            elif any(id(s) in self.needed for s in repeated.plain(stmt)):
                lines += self._block(stmt)
        return lines

    def _block(self, stmt: ast.stmt) -> list[str]:
        """A block in which nothing is made but what others are made of."""
        for header in (getattr(n, k, None) for n in walk(stmt) for k in ("test", "iter")):
            if isinstance(header, ast.expr):
                repeated.known(self.walker, header)
                calls = [n for n in walk(header) if isinstance(n, ast.Call)]
                if not all(map(self._python, calls)):
                    raise Blocked(header, "what a layer is made of comes from a run")
        if isinstance(stmt, ast.If):
            return [*self._above(stmt), *self._branch(stmt, [])]
        if not isinstance(stmt, ast.For):
            raise Blocked(stmt, "what a layer is made of is computed in a block")
        target, over = self.writer.source(stmt.target), self.writer.source(stmt.iter)
        unit = self.writer.text.unit
        inner = [unit + x for x in self._making(stmt.body)]
        return [*self._above(stmt), f"for {target} in {over}:", *inner]

    def _above(self, stmt: ast.stmt) -> list[str]:
        """The comments on a block that goes where things are made."""
        if stmt not in self.gone:
            return []
        text = self.writer.text
        piece = text.piece(stmt, 0)
        return [line.strip() for line in text.lines[piece.first - 1 : piece.line - 1]]

    def _built(self, node: ast.Call) -> list[str]:
        """The line in which a branch's layer is told its input's shape, where that is asked for."""
        shape = self.walker.kept.get("built", {}).get(id(node))
        return [] if shape is None else [f"{self.names[id(node)][0]}.build({shape})"]

    def _ordered(self, made: Sequence[ast.Call]) -> list[ast.Call]:
        return sorted(made, key=lambda n: self.writer.text.index.span(n)[1])

    def _own(self, stmt: ast.stmt) -> list[str]:
        text = self.writer.text
        whole = any(stmt is not block and holds(block, stmt) for block in self.gone)
        piece = text.piece(stmt, 0 if whole else stmt.lineno - 1)  # its block's comments go along
        rendered = text.render(
            piece.first, piece.last, piece.indent, "", self.writer.attributes(stmt)
        )
        return rendered.rstrip("\r\n").split("\n")

    def _branch(self, stmt: ast.If, made: Sequence[ast.Call]) -> list[str]:
        loops = repeated.loops(self.root, made[0]) if made else []
        for loop in [n for n in loops if holds(n, stmt)][-1:]:
            if any(repeated.loops(self.root, n)[-1] is not loop for n in made):
                break
            whole = [self._if(loop, n, s) for n in self._ordered(made) for _, s in self._sources(n)]
            if all(whole):
                names = [name for n in self._ordered(made) for name in self.names[id(n)]]
                return [f"{n} = {s}" for n, s in zip(names, whole, strict=True)]
        unit = self.writer.text.unit
        lines: list[str] = []
        test = self.writer.source(stmt.test)
        body = self._making(stmt.body)
        other = self._making(stmt.orelse)
        if not body:
            return [f"if {_opposite(stmt.test, test)}:", *(unit + line for line in other)]
        lines += [f"if {test}:", *(unit + line for line in body)]
        chained = len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If)
        if (
            other
            and chained
            and other[0].startswith("if ")
            and stmt.orelse[0].col_offset == stmt.col_offset
        ):
            return [*lines, f"el{other[0]}", *other[1:]]
        if other:
            lines += ["else:", *(unit + line for line in other)]
        return lines

    def _loop(self, stmt: ast.For, made: Sequence[ast.Call]) -> list[str]:
        around = repeated.loops(self.root, made[0])
        outermost = around[0] is stmt
        every = [many for node in self._ordered(made) for many in self.lists[id(node)]]
        made = [n for n in self._ordered(made) if repeated.loops(self.root, n)[-1] is stmt]
        items = [
            (many, name, self._if(stmt, node, source))
            for node in made
            for many, (name, source) in zip(self.lists[id(node)], self._sources(node), strict=True)
        ]
        inner = [n for n in walk(stmt) if id(n) in self.needed or id(n) in self.gathered]
        read = {name for _, _, source in items if source for name in _loads(source)}
        alone = not inner and not read & {name for _, name, _ in items}
        alone = alone and not repeated.read_behind(self.step.function, stmt)
        alone = alone and outermost and len(every) == len(items)
        if alone and all(source for _, _, source in items):
            return [
                f"{many} = [{source} for {self._target(stmt, _loads(source))}]"
                for many, _, source in items
                if source
            ]
        unit = self.writer.text.unit
        target, over = self.writer.source(stmt.target), self.writer.source(stmt.iter)
        begun = [f"{', '.join(every)} = {', '.join('[]' for _ in every)}"] if outermost else []
        lines = [*begun, f"for {target} in {over}:"]
        lines += [f"{unit}{name} = None" for _, name, source in items if source is None]
        body = self._making(stmt.body)
        for many, name, source in items:
            whole = f"{name} = {source}"
            others = {n for line in body if line != whole for n in _names(line)}
            if body.count(whole) == 1 and name not in others:
                body[body.index(whole)] = f"{many}.append({source})"
            else:
                body.append(f"{many}.append({name})")
        return lines + [unit + line for line in body]

    def _if(self, stmt: ast.For, node: ast.Call, source: str) -> str | None:
        """What a round adds to a list; None where it takes more than an expression."""
        branches = [n for n in repeated.chain(stmt, node) or () if isinstance(n, ast.If)]
        if not branches:
            return source
        whole = [n for n in repeated.plain(branches[0]) if id(n) in self.needed]
        if len(branches) > 1 or branches[0].orelse or whole:
            return None
        return f"{source} if {self.writer.source(branches[0].test)} else None"

    def _target(self, stmt: ast.For, read: set[str]) -> str:
        """What a comprehension goes through, as far as it reads it."""
        target, over = self.writer.source(stmt.target), self.writer.source(stmt.iter)
        if not read & repeated.stores(stmt.target):
            target = "_"
        called = stmt.iter
        if isinstance(called, ast.Call) and ast.unparse(called.func) == "enumerate":
            targets = stmt.target.elts if isinstance(stmt.target, ast.Tuple) else []
            plain = len(called.args) == 1 and not called.keywords and len(targets) == 2
            if plain and not read & repeated.stores(targets[0]):
                over = self.writer.source(called.args[0])
                target = target if target == "_" else self.writer.source(targets[1])
        return f"{target} in {over}"

    # What is applied

    def applying(self) -> list[Replacement]:
        """What is written otherwise in the statement once all is made."""
        self._slice()
        ids = set(map(id, self.gone))
        found = [self._removed(stmt, ids) for stmt in self.gone]
        for node in walk(self.root):
            if isinstance(node, ast.For) and any(
                repeated.loops(self.root, n)[-1:] == [node] for n in self._makes(node)
            ):
                found += self._header(node)
            if isinstance(node, ast.With) and id(node) in self.walker.dropped:
                found += self.writer.module.opened(node)
        if self.iterated:  # loops inside of others go on where they were
            text, start = self.writer.text, self.writer.text.index.span(self.root)[0]
            indent = text.piece(self.root, self.root.lineno - 1).indent
            lines = [f"{name} = iter({many})" for many, name in self.iterated.items()]
            found.append((start, start, "".join(f"{x}{text.newline}{indent}" for x in lines)))
        return found

    def _iterator(self, many: str) -> str:
        """What goes through a list while several loops run."""
        if many not in self.iterated:
            self.iterated[many] = self.writer.namer.free(f"next_{_bare(many)}")
        return self.iterated[many]

    def _applied(self, node: ast.Call) -> list[str]:
        """What a call made, as the loop that applies it has it."""
        for stmt in walk(self.root):
            if isinstance(stmt, ast.Assign) and stmt.value is node:
                new = self.walker.renamed.get(id(stmt.targets[0]))
                return [new] if new is not None else self.names[id(node)]
        return self.names[id(node)]

    def _removed(self, stmt: ast.stmt, gone: set[int]) -> Replacement:
        for node in walk(self.root):
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and stmt in block:
                    if all(id(s) in gone for s in block) and stmt is block[0]:
                        return (*self.writer.text.index.span(stmt), "pass")
        text = self.writer.text
        piece = text.piece(stmt, stmt.lineno - 1)
        last = piece.last
        if isinstance(stmt, repeated.BLOCKS) and not text.lines[piece.line - 2].strip():
            if last < len(text.lines) and not text.lines[last].strip():
                last += 1  # one blank line stays
        return text.start(piece.line), text.start(last + 1), ""

    def _header(self, stmt: ast.For) -> list[Replacement]:
        """A loop's header: it goes through what was made, and what else the body reads."""
        index = self.writer.text.index
        mine = [
            n for n in self._ordered(self._makes(stmt)) if repeated.loops(self.root, n)[-1] is stmt
        ]
        names = [name for n in mine for name in self._applied(n)]
        lists = [many for n in mine for many in self.lists[id(n)]]
        gone = set(map(id, self.gone))
        body = {name for s in stmt.body for name in repeated.reads(self.walker, s, gone)}
        read = body & repeated.stores(stmt.target)
        start, end = index.span(stmt.target)[0], index.span(stmt.iter)[1]
        if len(repeated.loops(self.root, mine[0])) > 1:
            lists = [self._iterator(many) for many in lists]
            target, over = _inner_header(stmt, read, names, lists, self.writer.source)
        else:
            target, over = _header(stmt, read, names, lists, self.writer.source)
        return [(start, end, f"{target} in {over}")]


def _inner_header(
    stmt: ast.For, read: set[str], names: list[str], lists: list[str], source: Callable[..., str]
) -> tuple[str, str]:
    """The header of a loop inside of another: it takes its share of what all rounds made."""
    whole = source(stmt.target) if read else "_"
    if read and isinstance(stmt.target, ast.Tuple) and not whole.startswith("("):
        whole = f"({whole})"
    over = f"zip({source(stmt.iter)}, {', '.join(lists)})"  # what ends it comes first
    return f"{whole}, {', '.join(names)}", over


def _header(
    stmt: ast.For, read: set[str], names: list[str], lists: list[str], source: object
) -> tuple[str, str]:
    said = source  # `Sources.source`
    assert callable(said)
    made = lists[0] if len(lists) == 1 else f"zip({', '.join(lists)})"
    each = ", ".join(names)
    over = stmt.iter
    call = ast.unparse(over.func) if isinstance(over, ast.Call) and not over.keywords else ""
    arguments = over.args if isinstance(over, ast.Call) else []
    targets = stmt.target.elts if isinstance(stmt.target, ast.Tuple) else [stmt.target]
    if not read:
        return each, made
    several = each if len(names) == 1 else f"({each})"
    if call == "range" and len(arguments) == 1 and isinstance(stmt.target, ast.Name):
        return f"{stmt.target.id}, {several}", f"enumerate({made})"
    if call == "enumerate" and len(arguments) == 1 and len(targets) == 2:
        first, second = map(said, targets)
        if not read & repeated.stores(targets[1]):
            return f"{first}, {several}", f"enumerate({made})"
        zipped = f"zip({said(arguments[0])}, {', '.join(lists)})"
        if not read & repeated.stores(targets[0]):
            return f"{second}, {each}", zipped
        return f"{first}, ({second}, {each})", f"enumerate({zipped})"
    if call == "zip" and len(arguments) == len(targets):
        kept = [
            (t, a) for t, a in zip(targets, arguments, strict=True) if read & repeated.stores(t)
        ]
        left = ", ".join(said(t) for t, _ in kept)
        return f"{left}, {each}", f"zip({', '.join([*(said(a) for _, a in kept), *lists])})"
    whole = said(stmt.target)
    if isinstance(stmt.target, ast.Tuple) and not whole.startswith("("):
        whole = f"({whole})"
    return f"{whole}, {each}", f"zip({said(over)}, {', '.join(lists)})"


def _opposite(test: ast.expr, source: str) -> str:
    """The opposite of a condition, as one would write it."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        return f"not {source}"
    opposite = negated(test)
    plain = isinstance(opposite, ast.Compare) and ast.unparse(test) == source
    return ast.unparse(opposite) if plain else f"not ({source})"


def _loads(source: str) -> set[str]:
    tree = ast.parse(textwrap.dedent(source))
    return {n.id for n in all_of(tree, ast.Name) if isinstance(n.ctx, ast.Load)}


def _names(line: str) -> set[str]:
    """The words in a line."""
    return set(re.findall(r"[A-Za-z_]\w*", line))


def _bare(name: str) -> str:
    return name.removeprefix("self.")


def _many(name: str) -> str:
    """What a list of such things is called."""
    name = _bare(name)
    head, _, last = name.rpartition("_")
    if last.isdigit() and head:
        return f"{_many(head)}_{last}"
    return f"{name}_list" if name.endswith("s") else f"{name}s"
