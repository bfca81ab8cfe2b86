"""Programs that take their graph from the ``.meta`` file of another one's checkpoint.

``saver = tf.train.import_meta_graph(path + ".meta")`` and ``saver.restore(sess, path)`` become the
SavedModel that the other program writes beside its checkpoints (`graph_writers`), and the variables
of the checkpoint. It has a signature for each run of ops that are asked for by their names
(`graph_signatures`); `graph_reads` writes what stands for these.

https://www.tensorflow.org/guide/saved_model
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate import symbols
from migrate.engine.document import Document
from migrate.engine.meta_graphs import COLLECTED, READS, SUFFIX
from migrate.engine.names import Names
from migrate.engine.trees import all_of, children, holds, outward, parents_of, walk
from migrate.programs.graph import meaning
from migrate.rewriters.sessions.graph_signatures import Reader, Run, Unread, Wanted
from migrate.symbols.outcomes import Arguments, Same

CALL = READS.removeprefix("tensorflow")  # of compat.v1, too
ASKS = ("get_tensor_by_name", "get_operation_by_name")
FORMATS = re.compile(r"(\{0?\}|%s)\.meta")
SESSIONS = ("Session", "InteractiveSession")
STARTS = (
    *("global_variables_initializer", "initialize_all_variables", "tables_initializer"),
    *("local_variables_initializer", "initialize_local_variables"),
)
OPERATIONS = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Subscript, ast.List, ast.Tuple)
PLAIN = (ast.Constant, ast.operator, ast.cmpop, ast.unaryop, ast.expr_context)
Function = ast.FunctionDef | ast.AsyncFunctionDef


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
        self.made = {id(r.call): r.name for r in names.references if r.call is not None}
        # What is computed of ops, by its name.
        self.computed: dict[str, ast.Assign] = {}
        self.used: set[str] = set()
        self.calls: list[ast.Call] = []  # the session's runs

    def reader(self) -> Reader:
        calls = [r.call for r in self.names.references if r.name.endswith(CALL) and r.call]
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
        self._derived()
        found = Reader(self.document, self.names, load, restore, self._path(call.args[0]))
        found.runs = list(self._runs(restore))
        found.lookups = self.lookups
        if not found.runs:
            raise Unread
        for name in self.used:  # nothing else reads it
            loads = [n for n in all_of(self.tree, ast.Name) if n.id == name]
            if any(isinstance(n.ctx, ast.Load) and id(n) not in self.at for n in loads):
                raise Unread
        self._only_there(found)
        self._seen(found)
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
                if (
                    isinstance(call, ast.Call)
                    and call.func is method
                    and isinstance(stmt, ast.Expr)
                ):
                    if set(restored(call)) == {"sess", "save_path"}:
                        return stmt
        raise Unread

    def _path(self, node: ast.expr) -> str:
        """The checkpoint's path, as it is written."""
        if isinstance(node, ast.Name):
            stores = [n for n in all_of(self.tree, ast.Name) if n.id == node.id]
            made = [n for n in stores if isinstance(n.ctx, ast.Store)]
            stmt = self.parents.get(id(made[0])) if len(made) == 1 else None
            if isinstance(stmt, ast.Assign) and stmt.targets == made:
                return self._path(stmt.value)
            raise Unread
        match node:
            case ast.BinOp(left, ast.Add(), ast.Constant(".meta")):
                return self.source(left)
            case ast.Call(ast.Attribute(ast.Constant(str(text)), "format"), [one], []) if (
                FORMATS.fullmatch(text)
            ):
                return self.source(one)
            case ast.BinOp(ast.Constant(str(text)), ast.Mod(), right) if FORMATS.fullmatch(text):
                if not isinstance(right, ast.Tuple):
                    return self.source(right)
            case ast.JoinedStr([ast.FormattedValue(one, -1, None), ast.Constant(".meta")]):
                return self.source(one)
        return self._shorter(node)

    def _shorter(self, node: ast.AST) -> str:
        """The source of a text that ends with ``.meta``, without that."""
        end: ast.AST
        match node:
            case ast.Constant(str(text)) if text.endswith(SUFFIX):
                return repr(text.removesuffix(SUFFIX))
            case ast.BinOp(_, ast.Add(), right):
                end = right
            case ast.BinOp(left, ast.Mod(), _):
                end = left
            case ast.Call(ast.Attribute(ast.Constant() as left, "format"), _, _):
                end = left
            case ast.Call(ast.Attribute() as func, [*_, last], []) if (
                ast.unparse(func) == "os.path.join"
            ):
                end = last
            case _:
                raise Unread
        (start, stop), (first, last_) = (
            self.document.index.span(node),
            self.document.index.span(end),
        )
        text = self.document.text
        return text[start:first] + self._shorter(end) + text[last_:stop]

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

    def _derived(self) -> None:
        """Statements that compute something of what was looked up."""
        for stmt in all_of(self.tree, ast.Assign):
            name = stmt.targets[0]
            if len(stmt.targets) != 1 or not isinstance(name, ast.Name) or stmt in self.lookups:
                continue
            names = [n for n in all_of(self.tree, ast.Name) if n.id == name.id]
            if (
                id(stmt.value) in self.made
                and sum(isinstance(n.ctx, ast.Store) for n in names) == 1
            ):
                self.computed[name.id] = stmt

    def _op(self, node: ast.AST | None) -> str:
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
            sessions.add(ast.unparse(restored(restore.value)["sess"]))
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
                self.calls.append(call)
        for call in self.calls:
            run = self._run(call, restore)
            if run is not None:
                yield run

    def _run(self, call: ast.Call, restore: ast.Expr) -> Run | None:
        given: dict[str | None, ast.expr] = dict(
            zip(("fetches", "feed_dict"), call.args, strict=False)
        )
        given |= {k.arg: k.value for k in call.keywords}
        fetches, feed = given.pop("fetches", None), given.pop("feed_dict", None)
        if given or fetches is None or len(call.args) > 2:
            raise Unread
        if feed is None and self._starts(fetches, restore):
            return None  # what the restored variables were before
        if feed is None and self._apart(fetches):
            return None  # nothing of the graph that is read
        several = isinstance(fetches, (ast.List, ast.Tuple))
        items = fetches.elts if isinstance(fetches, (ast.List, ast.Tuple)) else [fetches]
        run = Run(call, [], several, {}, None)
        for item in items:
            wanted = self._wanted(item)
            run.wanted.append(wanted)
            run.fetches += [op for op in wanted.ops if op not in run.fetches]
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

    def _starts(self, node: ast.expr, restore: ast.Expr) -> bool:
        """Whether a run only gives variables their first values, which others take the place of."""
        name = self.made.get(id(node), "")
        if name.removeprefix("tensorflow.") not in STARTS:
            return False
        if "local" not in name and "tables" not in name and node.lineno > restore.lineno:
            raise Unread
        return True

    def _apart(self, node: ast.expr) -> bool:
        """Whether an op of values of the program alone is run."""
        ops = self.made.get(id(node), "")
        return meaning.is_op(ops) and not any(
            self._called(n) or id(n) in self.at for n in walk(node)
        )

    def _called(self, node: ast.AST) -> str:
        """The op that a name stands for."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.called.get(ast.unparse(node), "")
        return ""

    def _wanted(self, node: ast.expr) -> Wanted:
        """What is fetched: an op, or what is computed of some."""
        try:
            return Wanted([self._op(node)])
        except Unread:
            computed = self.computed.get(ast.unparse(node))
        if computed is not None:
            self.used.add(ast.unparse(node))
            self.lookups += [computed] if computed not in self.lookups else []
            self.at[id(node)] = ""
            node = computed.value
        inner: dict[int, str] = {}
        self._inside(node, inner)
        if not inner:
            raise Unread
        return Wanted(list(dict.fromkeys(inner.values())), node, inner)

    def _inside(self, node: ast.AST, inner: dict[int, str]) -> None:
        """The ops of which something is computed by TensorFlow's functions, by their places."""
        if id(node) in self.at or self._called(node):
            inner[id(node)] = self._op(node)
            return
        if isinstance(node, ast.Call):
            if not _of_tf2(self.made.get(id(node), ""), node):
                raise Unread
            for part in (*node.args, *(k.value for k in node.keywords)):
                self._inside(part, inner)
        elif isinstance(node, OPERATIONS):
            for child in children(node):
                self._inside(child, inner)
        elif not isinstance(node, PLAIN):
            if not isinstance(node, ast.Attribute) or not ast.unparse(node).startswith("tf."):
                raise Unread

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
                        if isinstance(parent, ast.keyword):
                            parent = self.parents.get(id(parent))
                        given = parent in self.calls
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
            bare = self.parents.get(id(self.parents.get(id(n))))  # nothing is done with it
            if n.attr in ("graph_def", "get_operations") and not isinstance(bare, ast.Expr):
                raise Unread

    def _seen(self, found: Reader) -> None:
        """See that the runs can name the model: by its name, or as the object's attribute."""
        home = self._function(found.load)
        if self._function(found.restore) is not home:
            raise Unread
        functions = [self._function(run.call) for run in found.runs]
        if home is None or all(f is home for f in functions):
            return
        cls = self.parents.get(id(home))
        for one in (home, *functions):
            if not isinstance(cls, ast.ClassDef) or one not in cls.body or not _itself(one):
                raise Unread
        if len({_itself(f) for f in (home, *functions)}) > 1:
            raise Unread
        found.owner = f"{_itself(home)}."

    def _function(self, node: ast.AST) -> ast.AST | None:
        around = outward(self.tree, node)
        return next((f for f in around if isinstance(f, (Function, ast.Lambda))), None)


def restored(call: ast.Call) -> dict[str | None, ast.expr]:
    """What ``restore`` is given."""
    given: dict[str | None, ast.expr] = dict(zip(("sess", "save_path"), call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords}


def _of_tf2(name: str, call: ast.Call) -> bool:
    """Whether a call of an op means the same in TF 2."""
    record, new = symbols.outcome(name), symbols.signature_2(name)
    if not meaning.is_op(name) or record is None or new is None or not symbols.resolves(name):
        return False
    told = tuple(str(k.arg) for k in call.keywords)
    same = isinstance(record.outcome, Same)
    return same or (
        isinstance(record.outcome, Arguments)
        and len(call.args) < 3
        and new.fits(len(call.args), told)
    )


def _itself(function: ast.AST | None) -> str:
    """What a method calls its object."""
    args = function.args.args if isinstance(function, Function) else []
    return args[0].arg if args else ""
