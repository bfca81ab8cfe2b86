"""Tests that run once what functions of a model make: they run at once, with weights of their own.

    with self.test_session() as sess:                    with Scopes(NamedWeights()):
        outputs = make_outputs()                             outputs = make_outputs()
        sess.run(tf.global_variables_initializer())
        found = sess.run(outputs)                            found = self.evaluate(outputs)

One run of a graph is what the same calls give at once. What a test asks of the graph itself, by
`sess.graph`, there is nothing to ask of any more: such checks go, and the report says so.

https://www.tensorflow.org/api_docs/python/tf/test/TestCase
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import guard
from migrate.rewriters.estimators.naming import named_homes
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.naming.named import Named
    from migrate.rewriters.estimators.program import Program

CASE = "tensorflow.test.TestCase"
OPENS = frozenset({"test_session", "session", "cached_session"})
BEGINS = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("global_variables_initializer", "local_variables_initializer", "tables_initializer"),
        *("initialize_all_variables", "initialize_local_variables", "initialize_all_tables"),
    )
)
# What only a tensor of a graph has.
OF_GRAPHS = frozenset({"op", "graph", "eval", "consumers", "experimental_ref", "value_index"})
SAID = "a test without a session"
CHECK = "a check of the graph's ops: there is no graph any more, and the check is gone"


class Session:
    """A test's session, in which functions make what is run once."""

    def __init__(self, program: Program, block: ast.With) -> None:
        self.program, self.block = program, block
        (item,) = block.items
        self.item = item
        self.name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
        self.begins: list[ast.stmt] = []  # what makes variables have their values
        self.words: set[str] = set()  # what names such ops
        self.checks: list[ast.stmt] = []  # what asks for the graph
        self.runs: list[ast.Call] = []
        self.rest: list[ast.stmt] = []
        for stmt in block.body:
            self._sort(stmt)

    def _sort(self, stmt: ast.stmt) -> None:
        value = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
            if len(stmt.targets) == 1 and value is not None and self._begins(value):
                self.begins.append(stmt)
                self.words.add(stmt.targets[0].id)
                return
        runs = [n for n in all_of(stmt, ast.Call) if self._is_run(n)]
        if isinstance(stmt, ast.Expr) and value in runs and isinstance(value, ast.Call):
            if self._begins(value.args[0]):
                self.begins.append(stmt)
                return
        if isinstance(stmt, ast.Expr) and isinstance(value, ast.Call) and self._asks(value):
            self.checks.append(stmt)
            return
        self.runs += runs
        self.rest.append(stmt)

    def _is_run(self, call: ast.Call) -> bool:
        """Whether a call runs something in this session."""
        func = call.func
        own = isinstance(func, ast.Attribute) and ast.unparse(func) in (
            *((f"{self.name}.run",) if self.name else ()),
            "self.evaluate",
        )
        return own and len(call.args) == 1 and not call.keywords

    def _begins(self, node: ast.expr) -> bool:
        """Whether an expression is what makes variables have their values."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return bool(node.elts) and all(map(self._begins, node.elts))
        if isinstance(node, ast.Name):
            return node.id in self.words
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        if self.program.called(node) == "tensorflow.group":
            return bool(node.args) and all(map(self._begins, node.args))
        return self.program.called(node) in BEGINS and not node.args

    def _asks(self, call: ast.Call) -> bool:
        """Whether a call of a method only looks at the graph of the session that it is given."""
        check = self.check(call)
        if check is None or not self.name:
            return False
        given = [i for i, a in enumerate(call.args) if ast.unparse(a) == self.name]
        names = [a.arg for a in check.args.args][1:]
        if len(given) != 1 or given[0] >= len(names):
            return False
        reads = [n for n in all_of(check, ast.Name) if n.id == names[given[0]]]
        parents = self.program.scopes.parents
        above = [parents[id(n)] for n in reads]
        graph = all(isinstance(a, ast.Attribute) and a.attr == "graph" for a in above)
        kept = any(
            isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) for n in walk(check)
        )
        returns = any(n.value is not None for n in all_of(check, ast.Return))
        return bool(reads) and graph and not kept and not returns

    def check(self, call: ast.Call) -> ast.FunctionDef | None:
        """The method of the test's class that a call is of."""
        func = call.func
        if not isinstance(func, ast.Attribute) or ast.unparse(func.value) != "self":
            return None
        cls = _test_class(self.program, self.block)
        own = [s for s in getattr(cls, "body", []) if getattr(s, "name", "") == func.attr]
        return own[0] if len(own) == 1 and isinstance(own[0], ast.FunctionDef) else None

    def look(self, functions: Iterable[ast.FunctionDef], known: set[int]) -> None:
        """See to it that all that is made may be made at once.

        Raises:
            Blocked: something needs a graph, or is run several times.
        """
        program = self.program
        if len(self.runs) != 1:
            raise Blocked(self.block, "a test that runs what it makes several times")
        (run,) = self.runs
        if any(isinstance(n, ast.Name) and n.id in self.words for n in walk(run)):
            raise Blocked(run, "a test that runs what it makes several times")
        nodes = [n for stmt in self.rest for n in walk(stmt)]
        ends = self.block.end_lineno or 0
        for name in (self.name, *self.words) if self.name else self.words:
            inside = {id(n) for s in (*self.begins, *self.checks) for n in walk(s)}
            inside |= {id(n) for n in walk(run.func)}
            around = program.scopes.scope(self.block)
            for n in all_of(around, ast.Name):
                read = n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in inside
                if read and self.block.lineno <= n.lineno <= ends:
                    raise Blocked(n, "a session that a test hands on")
        for function in functions:
            nodes += [n for stmt in function.body for n in walk(stmt)]
        for node in nodes:
            runs = isinstance(node, ast.Attribute) and node.attr == "run" and node is not run.func
            if runs or (isinstance(node, ast.Attribute) and node.attr in OF_GRAPHS):
                assert isinstance(node, ast.Attribute)
                raise Blocked(node, f"`.{node.attr}` in a test")
            if isinstance(node, ast.Call) and id(node) not in known:
                endpoint = program.called(node)
                fine = meaning.is_op(endpoint) or meaning.is_host(endpoint)
                if endpoint and (endpoint in guard.MAKING or not fine):
                    what = endpoint.replace("tensorflow", "tf", 1)
                    raise Blocked(node, f"{what} in a test of what asks for weights")

    def write(self, scopes: str, weights: str) -> None:
        """Write the block with a scope for its session."""
        program = self.program
        self._gone()
        last = self.item.optional_vars or self.item.context_expr
        start = program.text.index.span(self.item.context_expr)[0]
        end = program.text.index.span(last)[1]
        program.edits.append(Edit(start, end, f"{scopes}({weights}())"))
        program.say(self.block, SAID)
        program.edit(self.runs[0].func, "self.evaluate")

    def trace(self, scopes: str, weights: str) -> None:
        """Write the block with a function for what is made: tensors have names there.

        Raises:
            Blocked: what is made is read elsewhere, too.
        """
        program, text, (run,) = self.program, self.program.text, self.runs
        count = next(i for i, s in enumerate(self.rest) if any(run is n for n in walk(s)))
        making, after = self.rest[:count], self.rest[count:]
        made = {n for stmt in making for n in stores(stmt)}
        inside = {id(n) for part in (run, *self.begins, *self.checks) for n in walk(part)}
        for name in all_of(program.scopes.scope(self.block), ast.Name):
            later = name.lineno >= after[0].lineno and id(name) not in inside
            if later and name.id in made and isinstance(name.ctx, ast.Load):
                raise Blocked(name, "tensors that are asked for their names, in a test")
        if not making or any(isinstance(n, ast.Return) for s in making for n in walk(s)):
            raise Blocked(self.block, "tensors that are asked for their names, in a test")
        self._gone()
        outer, unit = text.piece(self.block).indent, program.unit(self.block)
        holder, function = self._name("weights"), self._name("outputs", "make_outputs")
        out = f"{holder} = {weights}()\n\n{outer}@{program.tf}.function\n{outer}def {function}():\n"
        out += f"{outer}{unit}with {scopes}({holder}):\n"
        last, given = making[-1], program.source(run.args[0])
        edits = []
        if isinstance(last, ast.Assign) and program.source(last.targets[0]) == given:
            lo = text.index.span(last)[0]
            edits.append((lo, text.index.span(last.value)[0], "return "))
        for stmt in making:
            out += self._lines(stmt, outer + 2 * unit, edits)
        out += "" if edits else f"{outer}{2 * unit}return {given}\n"
        out += "\n"
        edits = [(*text.index.span(run), f"self.evaluate({function}())")]
        for stmt in after:
            out += self._lines(stmt, outer, edits)
        start, end = text.index.span(self.block)  # what goes, goes with its line's end
        program.edits = [e for e in program.edits if not start <= e.start < end]
        program.edit(self.block, out.rstrip("\n"))
        program.say(self.block, SAID)

    def _name(self, *wishes: str) -> str:
        """A name that nothing has where the test stands."""
        method = self.program.scopes.scope(self.block)
        taken = {n.id for n in all_of(method, ast.Name)} | {n.arg for n in all_of(method, ast.arg)}
        taken |= self.program.page(self.block).bound
        free = next((w for w in wishes if w not in taken), None)
        return free or self.program.free(self.block, wishes[-1])

    def _lines(self, stmt: ast.stmt, indent: str, edits: list[tuple[int, int, str]]) -> str:
        text = self.program.text
        piece = text.piece(stmt)
        return text.render(piece.first, piece.last, piece.indent, indent, edits)

    def _gone(self) -> None:
        """Take out what a session needs, and what asks it for its graph."""
        program = self.program
        for stmt in self.begins:
            program.remove(stmt)
        for stmt in self.checks:
            program.say(stmt, CHECK)
            program.remove(stmt)
            if stmt is self.block.body[-1]:
                self._close(stmt)
        calls = [s.value for s in self.checks if isinstance(s, ast.Expr)]
        checks = [self.check(c) for c in calls if isinstance(c, ast.Call)]
        _unused(program, [c for c in checks if c is not None])

    def _close(self, stmt: ast.stmt) -> None:
        """Take the blank lines above a block's last statement, which goes, out with it."""
        text, last = self.program.text, stmt.lineno - 1
        first = last
        while not text.lines[first - 1].strip():
            first -= 1
        self.program.edits.append(Edit(text.start(first + 1), text.start(last + 1), ""))


def built(owner: Named, use: ast.expr) -> bool:
    """Whether what asks for weights is only called in tests' sessions, which are written anew.

    Raises:
        Blocked: such a test does more than to run it once.
    """
    program = owner.program
    path: list[ast.FunctionDef] = []
    known: set[int] = set()
    blocks = _blocks(program, use, path, known)
    if not blocks:
        return False
    # In a function of TF 2 tensors have names, at once they don't.
    named = any(
        isinstance(n, ast.Attribute) and n.attr == "name" for v in owner.visited for n in walk(v)
    )
    done = program.kept.setdefault("tested", set())
    assert isinstance(done, set)
    for block in blocks:
        if id(block) in done:
            continue
        done.add(id(block))
        session = Session(program, block)
        session.look(path, known)
        assert owner.home is not None
        if not named_homes.reaches(program, owner.home, block):
            raise Blocked(block, "weights by name in files that don't import each other")
        scopes, weights = (owner.spelled(block, n) for n in ("Scopes", "NamedWeights"))
        (session.trace if named else session.write)(scopes, weights)
    return True


def _blocks(
    program: Program, use: ast.expr, path: list[ast.FunctionDef], known: set[int]
) -> list[ast.With]:
    """The sessions of tests in which a function is called, by others, too; none if elsewhere."""
    call = program.scopes.parents[id(use)]
    if not isinstance(call, ast.Call) or call.func is not use:
        return []
    known.add(id(call))
    for node in program.scopes.around(call):
        if isinstance(node, ast.With) and opens(program, node):
            return [node]
    function = program.scopes.scope(call)
    if not isinstance(function, ast.FunctionDef) or function in path or len(path) > 5:
        return []
    path.append(function)
    uses: Sequence[ast.expr]
    if isinstance(program.scopes.parents[id(function)], ast.ClassDef):
        classes = [n for n in program.scopes.walk() if isinstance(n, ast.ClassDef)]
        same = [s for c in classes for s in c.body if getattr(s, "name", "") == function.name]
        uses = [] if len(same) > 1 else program.attributes(function.name)
    else:
        uses = program.readers(function)
    if not uses or program.worded(function.name) or function.decorator_list:
        return []
    found = [_blocks(program, each, path, known) for each in uses]
    return [block for blocks in found for block in blocks] if all(found) else []


def trains(program: Program, use: ast.expr) -> bool:
    """Whether an optimizer is made in a test's session, which is a function afterwards."""
    call = program.scopes.parents[id(use)]
    made = isinstance(call, ast.Call) and call.func is use
    around = program.scopes.around(call)
    return made and any(isinstance(n, ast.With) and opens(program, n) for n in around)


def opens(program: Program, block: ast.With) -> bool:
    """Whether a block is the session of a test, with nothing said about it."""
    if len(block.items) != 1:
        return False
    call = block.items[0].context_expr
    func = call.func if isinstance(call, ast.Call) and not (call.args or call.keywords) else None
    if not isinstance(func, ast.Attribute) or func.attr not in OPENS:
        return False
    named = block.items[0].optional_vars
    if ast.unparse(func.value) != "self" or not isinstance(named, (ast.Name, type(None))):
        return False
    return _test_class(program, block) is not None


def _test_class(program: Program, node: ast.AST) -> ast.ClassDef | None:
    """The class of tests in whose method a node stands."""
    method = program.scopes.scope(node)
    cls = program.scopes.parents.get(id(method))
    if not isinstance(method, ast.FunctionDef) or not isinstance(cls, ast.ClassDef):
        return None
    return cls if [program.endpoint(b) for b in cls.bases] == [CASE] else None


def _unused(program: Program, functions: list[ast.FunctionDef]) -> None:
    """Take methods out that only looked at the graph, those that only these call, and imports."""
    gone = list(functions)
    for function in gone:
        for name in {n.attr for n in all_of(function, ast.Attribute)}:
            found = [n for n in program.scopes.walk() if getattr(n, "name", "") == name]
            if len(found) == 1 and isinstance(found[0], ast.FunctionDef) and found[0] not in gone:
                cls = program.scopes.parents[id(found[0])]
                uses = program.attributes(name)
                inside = all(any(u is n for g in (*gone, found[0]) for n in walk(g)) for u in uses)
                same = isinstance(cls, ast.ClassDef) and function in cls.body
                if same and inside and not program.worded(name):
                    gone.append(found[0])
    for function in gone:
        uses = program.attributes(function.name)
        removed = [s for s in program.scopes.walk() if id(s) in program.removed]
        if not all(any(u is n for g in (*gone, *removed) for n in walk(g)) for u in uses):
            continue  # something else asks it
        program.remove(function)
        for read in all_of(function, ast.Name):
            bound = program.scopes.lookup(read)
            if bound is not None and isinstance(bound.node, (ast.Import, ast.ImportFrom)):
                spare = program.kept.setdefault("spare imports", set())
                assert isinstance(spare, set)
                spare |= {id(a) for a in bound.node.names}
