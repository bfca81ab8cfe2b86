"""Each statement's new text, and the functions after the statements that they come from."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.feeding import listed_placeholders
from migrate.programs.graph.layering import penalties
from migrate.programs.graph.listing import collections
from migrate.programs.graph.model import Blocked, Kind, Region, Step
from migrate.programs.graph.running import session_makers
from migrate.programs.graph.saving.savers import NESTED
from migrate.programs.graph.slices import Plan
from migrate.programs.graph.summarizing import summaries
from migrate.programs.graph.wording import dict_entries
from migrate.rewriters.sessions import (
    exports,
    lone_comments,
    optimizers,
    placed,
    printed,
    runs,
    written_graphs,
)
from migrate.rewriters.sessions.built import Built
from migrate.rewriters.sessions.functions import Functions
from migrate.rewriters.sessions.lines import CLOSE, GONE, OPEN
from migrate.rewriters.sessions.pieces import Pieces
from migrate.rewriters.sessions.state import end_of_header, is_block
from migrate.rewriters.sessions.text import Piece
from migrate.rewriters.sessions.wrap import wrapped

GOES = frozenset({Kind.SESSION, Kind.GRAPH, Kind.SETTING, Kind.INIT})


class Writing(Pieces):
    """Each statement's new text, and the functions after the statements that they come from."""

    def write(self, region: Region) -> None:
        """Each step's new text, and the functions after the steps that they come from."""
        self.turn(region.node)
        functions = self.functions[id(region)]
        if id(region.node) in self.walker.unneeded:
            return
        if region.shaped:
            layer = Built(self, region, functions)
            layer.prepare()
            layer.write()
            return
        bodies: dict[tuple[int, ...], list[tuple[Step, Piece, str | None, str]]] = {}
        for step in region.steps:
            floor = functions.floor[step]
            top = isinstance(step.function, ast.Module) and not self.indent(step)
            blank = 2 if top else 1
            block = "".join(
                f"{OPEN}{blank}\n{text}{CLOSE}{blank}\n" for text in self.at.get(step, [])
            )
            key = (id(step.function), *(id(b) for b in step.outer if not isinstance(b, ast.With)))
            if is_block(step) or step.drop:
                if step.drop:
                    self.header(step, floor)
                if block:
                    at_body = self.text.start(end_of_header(step.node) + 1)
                    self.changes.append(Edit(at_body, at_body, block))
                    bodies.setdefault(key, []).append((step, Piece(1, 1, 1, ""), "", block))
                elif is_block(step):
                    bodies.setdefault(key, []).append((step, Piece(1, 1, 1, ""), "", block))
                continue
            piece = self.text.piece(step.node, floor)
            defines = isinstance(step.node, (ast.FunctionDef, ast.ClassDef)) and not step.moves
            if defines and id(step.node) not in self.walker.unneeded:
                entered = self.walker.entered.get(id(step.node))
                if entered is not None and entered.shaped:
                    if self.indent(step) != piece.indent:
                        raise Blocked(step.node, "a function of layers in a session's block")
                elif self.indent(step) != piece.indent:
                    self.moved_definition(step, piece, functions)
                else:
                    self.definition(step, functions)
                if block:
                    after = self.text.start(piece.last + 1)
                    self.changes.append(Edit(after, after, block))
                bodies.setdefault(key, []).append((step, Piece(1, 1, 1, ""), "", "def"))
                continue
            new = placed.statement(self, step, piece, functions, bodies.get(key, ()))
            bodies.setdefault(key, []).append((step, piece, new, block))
        taken = [(p.first, p.last) for each in bodies.values() for _, p, _, _ in each]
        taken += [(s.node.lineno, s.node.end_lineno or 0) for s in region.steps if not s.drop]
        self.lone += lone_comments.edits(self, region, taken)
        for key, written in bodies.items():
            if len(written) and all(new is None and not block for _, _, new, block in written):
                step, piece, _, block = written[-1]
                if not isinstance(step.function, ast.Module) or len(key) > 1:
                    written[-1] = (step, piece, f"{self.indent(step)}pass{self.text.newline}", "")
            said = ""  # of the reader that goes, on what it reads
            for (step, piece, new, block), then in zip(written, [*written[1:], None], strict=True):
                if block == "def" or (
                    piece.last == 1 and piece.indent == "" and (is_block(step) or step.drop)
                ):
                    continue
                start, end = self.text.start(piece.first), self.text.start(piece.last + 1)
                gone = lone_comments.title(self, step, piece) if new is None else ""
                text = said + (gone or GONE if new is None else new) + block
                said = ""
                if new is None and then is not None and then[2] is not None:
                    said = lone_comments.of_read(self, step, piece, then[:2])
                if text != self.text.text[start:end]:
                    self.changes.append(Edit(start, end, text))

    def definition(self, step: Step, functions: Functions) -> None:
        """A function or a class: what changes in it, but for the parts that are regions."""
        # Their headers are the definition's, but for those that lose parameters.
        # Whole lines that go may be their last ones.
        entered = [
            (
                self.text.index.span(n if id(n) in self.parameter_spans else n.body[0])[0],
                self.text.start((n.end_lineno or n.lineno) + 1),
            )
            for n in walk(step.node)
            if id(n) in self.walker.entered and isinstance(n, ast.FunctionDef)
        ]
        found = [*self.variables(step, functions, entered), *self.inner(step)]
        found += self.placeholder(step)
        # Lines that stand less deep, of what is written anew.
        whole = [(lo, hi) for lo, hi, new in found if new]
        found = [f for f in found if f[2] or not any(lo <= f[0] < f[1] < hi for lo, hi in whole)]
        for lo, hi, new in found:
            # What goes with its line ends behind the function whose last one it is.
            if not any(start <= lo < end for start, end in entered):
                self.changes.append(Edit(lo, hi, new))
        self.class_lines(step)
        for n in walk(step.node):
            if id(n) in self.parameter_spans and not self.moves_left(n, step):
                self.changes.append(Edit(*self.parameter_spans.pop(id(n))))

    def moves_left(self, node: ast.AST, outer: Step) -> bool:
        """Whether a definition inside of another one stands in a block that goes."""
        for own in (s for region in self.walker.regions for s in region.steps):
            if own.node is node and own is not outer:
                return self.indent(own) != self.text.piece(node, node.lineno).indent
        return False

    def class_lines(self, step: Step) -> None:
        """What a class keeps for all its objects, as its first statements."""
        lines = self.walker.kept.get("class lines", {}).get(id(step.node), ())
        if not lines:
            return
        assert isinstance(step.node, ast.ClassDef)
        first, indent = step.node.body[0], self.indent(step) + self.text.unit
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        last = first.end_lineno if documented else end_of_header(step.node)
        at = self.text.start((last or 0) + 1)
        new = "".join(f"{indent}{line}{self.text.newline}" for line in lines)
        if documented:
            new = self.text.newline + new
        if self.text.lines[last or 0].strip():
            new += self.text.newline
        self.changes.append(Edit(at, at, new))

    def moved_definition(self, step: Step, piece: Piece, functions: Functions) -> None:
        """A definition in a session's block: it stands further left once that is gone."""
        assert isinstance(step.node, (ast.FunctionDef, ast.ClassDef))
        last = piece.last
        if id(step.node) in self.walker.entered:  # its statements are written by themselves
            last = self.text.piece(step.node.body[0], step.node.lineno).first - 1
        elif any(id(n) in self.walker.entered for n in walk(step.node)):
            raise Blocked(step.node, "a definition with parts of a graph in a session's block")
        start, end = self.text.start(piece.first), self.text.start(last + 1)
        found = [*self.variables(step, functions), *self.inner(step)]
        found += [
            self.parameter_spans.pop(id(n))
            for n in walk(step.node)
            if id(n) in self.parameter_spans
        ]
        found = [r for r in found if start <= r[0] and r[1] <= end]
        new = self.text.render(piece.first, last, piece.indent, self.indent(step), found)
        self.changes.append(Edit(start, end, new))

    def header(self, step: Step, floor: int) -> None:
        """The line that opens a session or a scope."""
        node = step.node
        assert isinstance(node, ast.With)
        piece_first = node.lineno
        while piece_first - 1 > floor and self.text.lines[piece_first - 2].lstrip().startswith("#"):
            piece_first -= 1
        first = node.body[0]
        header_end = end_of_header(node)
        if header_end >= first.lineno:
            raise Blocked(node, "a block on one line")
        start, end = self.text.start(node.lineno), self.text.start(header_end + 1)
        # Comments between the header and the body stay, as the body's.
        line = self.text.lines[node.lineno - 1]
        base = line[: len(line) - len(line.lstrip())]
        if base != self.base(step):
            comments = self.text.text[self.text.start(piece_first) : start]
            if comments:
                moved = self.text.render(piece_first, node.lineno - 1, base, self.base(step))
                self.changes.append(Edit(self.text.start(piece_first), start, moved))
        self.changes.append(Edit(start, end, ""))

    def statement(
        self, step: Step, base: str, of: dict[int, Plan], functions: Functions
    ) -> str | None:
        """A step's new text; None where nothing of it stays."""
        indent = self.indent(step)
        floor = functions.floor[step]
        kind = step.kind
        if step in self.walker.building:
            return self.handed.called(step, self.walker.building[step], indent)
        if step.region is not None and step is step.region.returned:
            names = ", ".join(self.handed.results(step.region))
            return f"{indent}return {names}{self.text.newline}"
        if kind in GOES or (step.value is not None and step.value.kind is Kind.INIT):
            imports = isinstance(step.node, (ast.Import, ast.ImportFrom))
            call = session_makers.written(self.walker, step.node)
            if call is not None:
                return f"{indent}{self.here(call)}{self.text.newline}"
            if not imports and any(s.value.kind not in GOES for s in step.defs):
                raise Blocked(step.node, "a session is made together with something else")
            return None
        if step in self.factories:
            return self.returned(step, functions, indent)
        for symbol in step.defs:
            for at, node in self.walker.fetch_loads.get(symbol, {}).items():
                if at not in self.walker.fetched | self.walker.absorbed:
                    dict_entries.display(self.walker, symbol, node)
                    raise Blocked(node, "fetches that are used outside of a run")
        if kind is Kind.FETCH:
            return None
        if step.value is not None and isinstance(step.value.data, summaries.Shown):
            return (
                "".join(f"{indent}{x}{self.text.newline}" for x in written_graphs.lines(self, step))
                or None
            )
        idle = step.value is not None and getattr(step.value.data, "idle", False)
        if idle or id(step.node) in self.walker.unneeded:
            return None
        made = self.optimizer(step, functions)
        if step.moves:
            if step.impure is not None and step not in self.moving:
                raise Blocked(*step.impure)  # no run needs it, but it did something
            beside = step in self.walker.kept.get(("printed beside",), ())
            if (beside or printed.prints(step)) and step not in self.moving:
                raise Blocked(step.node, "a tensor is printed that no run there computes")
            kept = []
            if step in self.moving or functions.repeated(step) is not None:
                kept = functions.made_layers(step)
            if kept:
                return self.long_lines(kept, indent)
            lines = [f"{indent}{line}{self.text.newline}" for line in self.begun(step, functions)]
            if made is not None:
                name, source = made
                comment = f"  # {optimizers.ROUNDED}" if "beta_2=0.99900001" in source else ""
                said = self.above(step, floor, indent)
                said += f"{indent}{name} = {source}{comment}{self.text.newline}"
                lines.insert(0, said)
            return "".join(lines) or None
        replaced: list[tuple[int, int, str]] = []
        if kind is Kind.OPTIMIZER and made is not None:
            for n in walk(step.node):
                home = self.trains(n, functions)
                if isinstance(n, ast.Call) and home is not None:
                    replaced.append((*self.text.index.span(n), self.keras(n, home)))
                if isinstance(n, ast.Assign) and id(n.value) in functions.kept_optimizers:
                    start = self.text.index.span(n)[0]
                    attribute = functions.kept_optimizers[id(n.value)]
                    replaced.append((start, start, f"{attribute} = "))
        elif kind is Kind.OPTIMIZER:
            if not isinstance(step.node, ast.Assign):
                raise Blocked(step.node, "an optimizer that no run uses, in a branch")
            return None
        if kind is Kind.PLACEHOLDER and step.defs and self.switches >= set(step.defs):
            return None  # every run's function knows it
        several = [s.value.data for s in step.defs if listed_placeholders.is_one(s.value)]
        if any(not one.told for one in several):
            return None
        if kind is Kind.PLACEHOLDER:
            replaced.extend(self.placeholder(step))
        replaced.extend(self.variables(step, functions))
        for node in walk(step.node):
            if id(node) in self.walker.static_shapes and isinstance(node, ast.Call):
                func = node.func
                assert isinstance(func, ast.Attribute)
                replaced.append(
                    (*self.text.index.span(node), f"{self.text.source(func.value)}.shape")
                )
        saved, calls = exports.beside(self, step, of, functions, indent)
        replaced.extend(calls)
        for site in step.sites:
            plan = of.get(id(site.node))
            if site.export is not None and site.export.beside is not None:
                continue
            if site.export is not None:
                above = self.above(step, floor, indent)
                self.say(site.node, "a SavedModel of a session becomes one of a function")
                plans = [(s, of.get(id(s.node))) for s in step.sites]
                return exports.written(self, plans, functions, indent, above)
            replaced.append(runs.replace(site, plan, self.text, self.loads, self.tf, self.here))
            what = f"a call of `{plan.name}`" if plan is not None else "a value that is read"
            self.say(site.node, f"a session's run becomes {what}")
        replaced.extend(self.inner(step))
        piece = self.text.piece(step.node, floor)
        text = self.text.render(piece.first, piece.last, piece.indent, indent, replaced)
        if id(getattr(step.node, "value", None)) in self.walker.listed and "\n" not in text[:-1]:
            text = self.long_lines([text[len(indent) :].rstrip("\r\n")], indent)
        for line in self.walker.afterwards.get(id(step.node), ()):
            if more := line(functions):
                text += self.long_lines(more.split("\n"), indent)
        for shown in written_graphs.lines(self, step):
            text += f"{indent}{shown}{self.text.newline}"
        return saved + text

    def above(self, step: Step, floor: int, indent: str) -> str:
        """The comments above a statement."""
        piece = self.text.piece(step.node, floor)
        if piece.first == piece.line:
            return ""
        return self.text.render(piece.first, piece.line - 1, piece.indent, indent)

    def long_lines(self, lines: Sequence[str], indent: str) -> str:
        """New lines, broken where they are too long."""
        unit, nl = self.text.unit, self.text.newline
        whole = [
            w
            for line in lines
            for w in wrapped(indent + line, unit, self.tf, self.root, getattr(line, "notes", None))
        ]
        return "".join(f"{line}{nl}" for line in whole)

    def begun(self, step: Step, functions: Functions) -> list[str]:
        """Moving averages as they begin: what the variables are now."""
        calls = [n for n in walk(step.node) if id(n) in self.walker.averages]
        if not calls or step not in self.moving:
            return []
        return ["# the averages begin as the variables are"] + [functions.source(c) for c in calls]

    def returned(self, step: Step, functions: Functions, indent: str) -> str:
        """The end of a function that makes variables: what it returned is a function now."""
        plan, nl = self.factories[step], self.text.newline
        made = self.long_lines(functions.made_layers(step), indent)
        text = functions.factory(plan, indent)
        nested = id(plan.region.node) in self.walker.kept.get(NESTED, ())
        if id(plan.region.node) in self.walker.reached and not nested:
            own = plan.region.owned
            plain = own and all(o.layer is None and o.cell is None for o in own)
            both = not plain and any(o.layer is None and o.cell is None for o in own)
            listed = plain or both  # in the order in which they were made
            target = plan.region.node
            only = isinstance(target, ast.FunctionDef) and collections.bare(self.walker, target)
            kind = "variables" if listed or only else "layers"
            weights = functions.weights(own) if listed else []
            names = weights or functions.owned(plan)
            later = "lambda: " if listed and any(o.cell is not None for o in own) else ""
            said = f"{plan.name}.{kind} = {later}[{', '.join(names)}]"
            text += nl + self.long_lines([said], indent)
        if id(plan.region.node) in self.walker.kept.get("saved parts", ()):
            names = functions.owned(plan)
            text += nl + self.long_lines([f"{plan.name}.parts = [{', '.join(names)}]"], indent)
        if id(plan.region.node) in self.walker.kept.get(NESTED, ()):
            names = functions.nested(plan)
            text += nl + self.long_lines([f"{plan.name}.parts = [{', '.join(names)}]"], indent)
        asked = self.walker.kept.get(penalties.ASKED, {}).get(id(plan.region.node))
        if asked is not None:
            parts = [f"{self.regularizer(what)}({ref})" for what, ref in asked]
            text += f"{nl}{indent}{plan.name}.penalties = lambda: [{', '.join(parts)}]{nl}"
        return f"{made}{OPEN}1\n{text}{CLOSE}1\n{indent}return {plan.name}{nl}"
