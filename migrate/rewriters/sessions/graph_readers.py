"""Programs that take their graph from the ``.meta`` file of another one's checkpoint.

``saver = tf.train.import_meta_graph(path + ".meta")`` and ``saver.restore(sess, path)`` become the
SavedModel that the other program writes beside its checkpoints (`graph_writers`), and the variables
of the checkpoint. It has a signature for each run of ops that are asked for by their names.

https://www.tensorflow.org/guide/saved_model
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.meta_graphs import COLLECTED, READS, SUFFIX
from migrate.engine.names import Names
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of, holds, outward, parents_of, walk

ASKS = ("get_tensor_by_name", "get_operation_by_name")
DEFAULT = "serving_default"
FOLDER = "-graph"
FORMATS = re.compile(r"(\{0?\}|%s)\.meta")
SESSIONS = ("Session", "InteractiveSession")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Signature:
    """What a run asks for, and what it is fed: ops by name, with what they are called."""

    key: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """A run of ops that are asked for by their names."""

    call: ast.Call
    fetches: list[str]
    several: bool
    feeds: dict[str, ast.expr]  # by name
    shown: ast.Dict | None  # the feed_dict's display, where it has a name
    signature: Signature | None = None


@dataclass(slots=True, eq=False, repr=False)
class Reader:
    """A file that reads a graph, and what it asks it for."""

    document: Document
    names: Names
    load: ast.Assign
    restore: ast.Expr
    path: str  # of the checkpoint, as it is written
    runs: list[Run] = field(default_factory=list)
    lookups: list[ast.Assign] = field(default_factory=list)

    @property
    def signatures(self) -> list[Signature]:
        """What the graph is to be saved with."""
        found = {run.signature.key: run.signature for run in self.runs if run.signature}
        return list(found.values())


class Unread(Exception):
    """A reader that does more than is followed."""


def reader(document: Document, names: Names) -> Reader | None:
    """What a file asks the graph for that it reads; None where it does more with it."""
    try:
        return _Read(document, names).reader()
    except Unread:
        return None


class _Read:
    """A file with a call of `tf.train.import_meta_graph`."""

    def __init__(self, document: Document, names: Names) -> None:
        self.document, self.names, self.tree = document, names, document.tree
        self.parents = parents_of(self.tree)
        self.called: dict[str, str] = {}  # what lookups are called: the ops' names
        self.at: dict[int, str] = {}  # places where one is looked up: the op's name
        self.lookups: list[ast.Assign] = []

    def reader(self) -> Reader:
        calls = [r.call for r in self.names.references if r.name.endswith(READS[10:]) and r.call]
        if len(calls) != 1:
            raise Unread
        (call,) = calls
        load = self.parents.get(id(call))
        if not isinstance(load, ast.Assign) or len(load.targets) != 1 or len(call.args) != 1:
            raise Unread
        if any(k.arg != "clear_devices" for k in call.keywords):
            raise Unread
        restore = self._restore(load)
        self._looked_up()
        found = Reader(self.document, self.names, load, restore, self._path(call.args[0]))
        found.runs = list(self._runs(restore))
        found.lookups = self.lookups
        if not found.runs:
            raise Unread
        self._only_there(found)
        self._seen(found)
        _sign(found.runs)
        return found

    def source(self, node: ast.AST) -> str:
        start, end = self.document.index.span(node)
        return self.document.text[start:end]

    def _restore(self, load: ast.Assign) -> ast.Expr:
        """The one use of what is loaded: it restores variables."""
        name = ast.unparse(load.targets[0])
        uses = [
            n
            for n in walk(self.tree)
            if isinstance(n, (ast.Name, ast.Attribute)) and ast.unparse(n) == name
        ]
        uses = [n for n in uses if n is not load.targets[0]]
        match [self.parents.get(id(n)) for n in uses]:
            case [ast.Attribute(attr="restore") as method]:
                call = self.parents.get(id(method))
                stmt = self.parents.get(id(call))
                if isinstance(call, ast.Call) and len(call.args) == 2 and not call.keywords:
                    if call.func is method and isinstance(stmt, ast.Expr):
                        return stmt
        raise Unread

    def _path(self, node: ast.expr) -> str:
        """The checkpoint's path, as it is written."""
        match node:
            case ast.Constant(str(text)) if text.endswith(SUFFIX):
                return repr(text.removesuffix(SUFFIX))
            case ast.BinOp(left, ast.Add(), ast.Constant(".meta")):
                return self.source(left)
            case ast.Call(ast.Attribute(ast.Constant(str(text)), "format"), [one], []):
                if FORMATS.fullmatch(text):
                    return self.source(one)
                if text.endswith(SUFFIX):
                    return f"{text.removesuffix(SUFFIX)!r}.format({self.source(one)})"
            case ast.BinOp(ast.Constant(str(text)), ast.Mod(), right) if FORMATS.fullmatch(text):
                if not isinstance(right, ast.Tuple):
                    return self.source(right)
            case ast.JoinedStr([ast.FormattedValue(one, -1, None), ast.Constant(".meta")]):
                return self.source(one)
            case ast.Call(func, [*first, ast.Constant(str(text))], []) if text.endswith(SUFFIX):
                if ast.unparse(func) == "os.path.join":
                    inner = [*map(self.source, first), repr(text.removesuffix(SUFFIX))]
                    return f"os.path.join({', '.join(inner)})"
            case ast.Name(name):
                stores = [n for n in all_of(self.tree, ast.Name) if n.id == name]
                made = [n for n in stores if isinstance(n.ctx, ast.Store)]
                stmt = self.parents.get(id(made[0])) if len(made) == 1 else None
                if isinstance(stmt, ast.Assign) and stmt.targets == made:
                    return self._path(stmt.value)
        raise Unread

    def _looked_up(self) -> None:
        """The places where ops are asked for by their names."""
        for call in all_of(self.tree, ast.Call):
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in ASKS:
                continue
            match call.args, call.keywords:
                case [ast.Constant(str(name))], []:
                    pass
                case _:
                    raise Unread
            place: ast.AST = call
            if func.attr == ASKS[1]:
                outputs = self.parents.get(id(call))
                place = self.parents.get(id(outputs), call)
                match place:
                    case ast.Subscript(ast.Attribute(_, "outputs"), ast.Constant(0)):
                        name += ":0"
                    case _:
                        raise Unread
            op, _, number = name.partition(":")
            if number != "0":
                raise Unread
            self._found(place, op)
        for ref in self.names.references:
            if ref.call is None or not ref.name.endswith(".get_collection"):
                continue
            place = self.parents.get(id(ref.call), ref.call)
            match ref.call.args, place:
                case [ast.Constant(str(name))], ast.Subscript(_, ast.Constant(0)):
                    self._found(place, COLLECTED + name)
                case _:
                    raise Unread

    def _found(self, place: ast.AST, op: str) -> None:
        """Remember an op, and what its place is called."""
        self.at[id(place)] = op
        stmt = self.parents.get(id(place))
        if isinstance(stmt, ast.Assign) and stmt.value is place:
            target = stmt.targets[0]
            if len(stmt.targets) != 1 or not isinstance(target, (ast.Name, ast.Attribute)):
                raise Unread
            if self.called.setdefault(ast.unparse(target), op) != op:
                raise Unread
            self.lookups.append(stmt)

    def _op(self, node: ast.expr | None) -> str:
        """The op that is fetched or fed."""
        if id(node) in self.at:
            return self.at[id(node)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            op, _, number = node.value.partition(":")
            if number == "0":
                return op
        if isinstance(node, (ast.Name, ast.Attribute)):
            op = self.called.get(ast.unparse(node), "")
            if op:
                self.at[id(node)] = op
                return op
        raise Unread

    def _runs(self, restore: ast.Expr) -> Iterator[Run]:
        """The runs of what was looked up."""
        sessions = set()
        if isinstance(restore.value, ast.Call):
            sessions.add(ast.unparse(restore.value.args[0]))
        made = {id(r.call) for r in self.names.references if r.name.rpartition(".")[2] in SESSIONS}
        for node in walk(self.tree):
            if isinstance(node, ast.Assign) and id(node.value) in made:
                sessions |= {ast.unparse(t) for t in node.targets}
            elif isinstance(node, ast.withitem) and id(node.context_expr) in made:
                sessions |= {ast.unparse(node.optional_vars)} if node.optional_vars else set()
        for call in all_of(self.tree, ast.Call):
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in ("run", "eval"):
                continue
            if func.attr == "eval" and ast.unparse(func.value) in self.called:
                raise Unread
            if func.attr == "run" and ast.unparse(func.value) in sessions:
                run = self._run(call)
                if run is not None:
                    yield run

    def _run(self, call: ast.Call) -> Run | None:
        given: dict[str | None, ast.expr] = dict(
            zip(("fetches", "feed_dict"), call.args, strict=False)
        )
        given |= {k.arg: k.value for k in call.keywords}
        fetches, feed = given.pop("fetches", None), given.pop("feed_dict", None)
        if given or fetches is None or len(call.args) > 2:
            raise Unread
        if isinstance(fetches, ast.Call) and id(fetches) not in self.at and feed is None:
            starts = ast.unparse(fetches.func).endswith("variables_initializer")
            if starts and fetches.lineno:
                return None  # what the restored variables were before
        several = isinstance(fetches, (ast.List, ast.Tuple))
        items = fetches.elts if isinstance(fetches, (ast.List, ast.Tuple)) else [fetches]
        run = Run(call, [self._op(item) for item in items], several, {}, None)
        shown = feed
        if isinstance(feed, ast.Name):
            shown = run.shown = self._display(feed)
        if shown is not None and not isinstance(shown, ast.Dict):
            raise Unread
        for key, value in zip(shown.keys, shown.values, strict=True) if shown else ():
            run.feeds[self._op(key)] = value
        if shown is not None and len(run.feeds) != len(shown.keys):
            raise Unread
        return run

    def _display(self, name: ast.Name) -> ast.Dict:
        """The feed_dict that a name is bound to, and that only runs read."""
        around = [f for f in outward(self.tree, name) if isinstance(f, Function)]
        scope = around[0] if around else self.tree
        names = [n for n in all_of(scope, ast.Name) if n.id == name.id]
        stores = [self.parents.get(id(n)) for n in names if not isinstance(n.ctx, ast.Load)]
        stores = [s for s in stores if getattr(s, "lineno", 0) < name.lineno]
        made = max(stores, key=lambda s: getattr(s, "lineno", 0), default=None)
        blocks = list(outward(self.tree, name))
        match made:
            case ast.Assign([ast.Name()], ast.Dict() as shown):
                # In a block of its own it may be another one that the run is given.
                if self.parents.get(id(made)) in (*blocks, self.tree):
                    for n in names:
                        parent = self.parents.get(id(n))
                        given = isinstance(parent, (ast.Call, ast.keyword))
                        if isinstance(n.ctx, ast.Load) and not given:
                            raise Unread
                    return shown
        raise Unread

    def _only_there(self, found: Reader) -> None:
        """See that what was looked up is only fetched and fed."""
        last = max(run.call.lineno for run in found.runs)
        stored: dict[str, int] = {}  # where results take the names
        for n in walk(self.tree):
            if not isinstance(n, (ast.Name, ast.Attribute)) or ast.unparse(n) not in self.called:
                continue
            name, stmt = ast.unparse(n), self.parents.get(id(n))
            if isinstance(n.ctx, ast.Load):
                continue
            if stmt in self.lookups:
                continue
            results = [b for b in (stmt, self.parents.get(id(stmt))) if isinstance(b, ast.Assign)]
            if not results or not any(holds(results[0], run.call) for run in found.runs):
                raise Unread
            stored[name] = max(stored.get(name, 0), results[0].lineno)
        for n in walk(self.tree):
            if not isinstance(n, (ast.Name, ast.Attribute)) or not isinstance(n.ctx, ast.Load):
                continue
            name = ast.unparse(n)
            if name in self.called and id(n) not in self.at:
                if name not in stored or n.lineno <= stored[name] or last > stored[name]:
                    raise Unread
        # The rest of the program asks no graph for anything.
        inside = {id(place) for place in self.at}
        for n in walk(self.tree):
            if id(n) in inside or not isinstance(n, ast.Attribute):
                continue
            if n.attr in ("graph_def", "get_operations"):
                raise Unread

    def _seen(self, found: Reader) -> None:
        """See that the runs can name the model."""
        target = found.load.targets[0]
        home = self._function(found.load)
        for run in found.runs:
            there = self._function(run.call)
            if there is home or home is None:
                continue
            raise Unread
        if self._function(found.restore) is not home or not isinstance(target, ast.Name):
            raise Unread

    def _function(self, node: ast.AST) -> ast.AST | None:
        around = outward(self.tree, node)
        return next((f for f in around if isinstance(f, (Function, ast.Lambda))), None)


def _sign(runs: list[Run]) -> None:
    """Give each run its signature."""
    known: dict[tuple[frozenset[str], frozenset[str]], Signature] = {}
    for run in runs:
        asked = frozenset(run.fetches), frozenset(run.feeds)
        if asked not in known:
            outputs = _keys(list(dict.fromkeys(run.fetches)), fed=False)
            key = "_and_".join(key for key, _ in outputs)
            taken = {s.key for s in known.values()}
            while key in taken:
                key += "_"
            known[asked] = Signature(key, _keys(list(run.feeds), fed=True), outputs)
        run.signature = known[asked]
    if len(known) == 1:
        (one,) = known.values()
        for run in runs:
            run.signature = Signature(DEFAULT, one.inputs, one.outputs)


def _keys(ops: list[str], *, fed: bool) -> tuple[tuple[str, str], ...]:
    """What ops are called in a signature: by the last part of their names, where that tells."""
    found: dict[str, str] = {}
    for op in ops:
        key = re.sub(r"\W", "_", op.removeprefix(COLLECTED).rpartition("/")[2])
        if key in found:
            key = re.sub(r"\W", "_", op)
        if key in found or (fed and (not key.isidentifier() or keyword.iskeyword(key))):
            raise Unread
        found[key] = op
    return tuple(found.items())


def written(found: Reader, tf: str, numbered: bool) -> list[Edit]:
    """The edits of a reader, whose graph is in a folder beside the checkpoint.

    ``numbered``: the checkpoint's name ends with its step, and the folder's doesn't.
    """
    text, index = found.document.text, found.document.index
    taken = {n.id for n in all_of(found.document.tree, ast.Name)}
    model, predict = _free("model", taken), _free("predict", taken)
    alone = len(found.signatures) == 1
    edits: list[Edit] = []
    lines = [f"{model} = {tf}.saved_model.load({_folder(found.path, numbered)})"]
    if alone:
        lines.append(f'{predict} = {model}.signatures["{DEFAULT}"]')
    indent = " " * found.load.col_offset
    edits.append(Edit(*index.span(found.load), f"\n{indent}".join(lines)))
    assert isinstance(found.restore.value, ast.Call)
    start, end = index.span(found.restore.value.args[1])
    call = f"{tf}.train.Checkpoint(root={model}).read({text[start:end]})"
    edits.append(Edit(*index.span(found.restore), f"{call}.assert_nontrivial_match()"))
    edits.extend(_without(text, index, found.lookups))
    shown: dict[int, Edit] = {}
    for run in found.runs:
        assert run.signature is not None
        key = {op: key for key, op in run.signature.inputs}
        function = predict if alone else f'{model}.signatures["{run.signature.key}"]'
        given = ", ".join(
            f"{key[op]}={text[slice(*index.span(value))]}" for op, value in run.feeds.items()
        )
        if run.shown is not None:
            given = f"**{_name_of(run.call)}"
            for place, op in zip(run.shown.keys, run.feeds, strict=True):
                assert place is not None
                shown[id(place)] = Edit(*index.span(place), f'"{key[op]}"')
        edits += _called(found, run, f"{function}({given})", taken)
    return sorted([*edits, *shown.values()], key=lambda e: e.start)


def _called(found: Reader, run: Run, call: str, taken: set[str]) -> list[Edit]:
    """What stands for a run.

    Raises:
        Unread: its results can't be parted.
    """
    assert run.signature is not None
    key = {op: key for key, op in run.signature.outputs}
    index = found.document.index
    if not run.several:
        return [Edit(*index.span(run.call), f'{call}["{key[run.fetches[0]]}"].numpy()')]
    stmt = next(s for s in outward(found.document.tree, run.call) if isinstance(s, ast.stmt))
    if not isinstance(stmt, ast.Assign) or stmt.value is not run.call:
        raise Unread
    results = _free("results", taken)
    values = [f'{results}["{key[op]}"].numpy()' for op in run.fetches]
    parts = ", ".join(values)
    if not isinstance(stmt.targets[0], (ast.Tuple, ast.List)) or len(values) == 1:
        parts = f"[{parts}]"
    start, _end = index.span(stmt)
    indent = " " * stmt.col_offset
    value = Edit(*index.span(run.call), parts)
    return [Edit(start, start, f"{results} = {call}\n{indent}"), value]


def _name_of(call: ast.Call) -> str:
    """The name of a run's feed_dict."""
    named = [k.value for k in call.keywords if k.arg == "feed_dict"]
    return ast.unparse(named[0] if named else call.args[1])


def _folder(path: str, numbered: bool) -> str:
    """The folder of a checkpoint's graph."""
    try:
        said = ast.literal_eval(path)
    except ValueError:
        name = path if re.fullmatch(r"[\w.]+|[\w.]+\([^()]*\)", path) else f"({path})"
        return f'{name}.rpartition("-")[0] + "{FOLDER}"' if numbered else f'{name} + "{FOLDER}"'
    stem = str(said).rpartition("-")[0] if numbered else str(said)
    return f'"{stem}{FOLDER}"'


def _free(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish = f"loaded_{wish}"
    taken.add(wish)
    return wish


def _without(text: str, index: LineIndex, lookups: Sequence[ast.Assign]) -> list[Edit]:
    """Lookups go, with the comments of a paragraph that has nothing else.

    Raises:
        Unread: one shares its lines with something else.
    """
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    for stmt in lookups:
        start, end = index.span(stmt)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        behind = text[end : last if last >= 0 else len(text)].strip()
        if text[first:start].strip() or (behind and behind[0] != "#"):
            raise Unread
        gone |= set(range(stmt.lineno - 1, stmt.end_lineno or stmt.lineno))
    paragraph: set[int] = set()
    for number, line in enumerate([*lines, ""]):
        if line.strip():
            paragraph.add(number)
            continue
        rest = paragraph - gone
        if paragraph & gone and all(lines[n].lstrip()[:1] == "#" for n in rest):
            gone |= {*rest, number} & set(range(len(lines)))
        paragraph = set()
    starts = [index.starts[n] for n in range(len(lines))] + [len(text)]
    return [Edit(starts[n], starts[n + 1], "") for n in sorted(gone)]
