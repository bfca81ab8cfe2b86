"""Functions of the module: entered at each call with what they are given."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import handed, meaning
from migrate.programs.graph.feeding import feeds, given_feeds, module_inputs
from migrate.programs.graph.fetching import constant_inputs, lifted, op_lists, parted, printable
from migrate.programs.graph.layering import held_functions
from migrate.programs.graph.layering.factories import Factories
from migrate.programs.graph.made import Frame, Function, configures
from migrate.programs.graph.making import copied_at_once, given_starts, renewals, repeated
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    NOTHING,
    RUNTIME,
    Blocked,
    Inner,
    Kind,
    Region,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import bases, objects_apart, part_classes, two_classes
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.optimizing.scipy_minimizers import minimizes
from migrate.programs.graph.recurrence import cell_classes, recurrent
from migrate.programs.graph.recurrence.cells import Cells, carried
from migrate.programs.graph.running import (
    anew,
    callbacks,
    generators,
    later_runs,
    looped_sessions,
    session_makers,
    unused_sessions,
)
from migrate.programs.graph.scoping import tf1_names
from migrate.programs.graph.sizing import static_shapes
from migrate.programs.graph.summarizing import analyzed
from migrate.programs.graph.wording import printing_makers, told_keywords

DEPTH = 12
# Layers without variables are objects of Keras's, too.
LAYERS = {n for n in meaning.CONTRIB_LAYERS if n.endswith(("pool2d", "pool3d", ".flatten"))}
MADE = meaning.VARIABLES | meaning.MAKING | meaning.CELLS | LAYERS
STATEFUL_KINDS = frozenset({Kind.VARIABLE, Kind.PLACEHOLDER, Kind.OPTIMIZER, Kind.GRAPH})


def _writes(walker: Any, node: ast.AST) -> bool:
    """Whether a writer is given a session's graph."""
    if not isinstance(node, ast.Call) or walker.endpoints.get(id(node.func)) not in meaning.WRITERS:
        return False
    given = [*node.args, *(k.value for k in node.keywords)]
    graphs = [a.value for a in given if isinstance(a, ast.Attribute) and a.attr == "graph"]
    return any(ast.unparse(owner).endswith(("sess", "session")) for owner in graphs)


class Functions(Factories):
    """Functions of the module: entered at each call with what they are given."""

    def runs(self, node: ast.AST) -> bool:
        """Whether a function opens or uses a session, by itself or through what it calls."""
        known = self._runs.get(id(node))
        if known is not None:
            return known
        self._runs[id(node)] = False  # a recursive call adds nothing
        found = False
        for n in walk(node):
            name = self.endpoints.get(id(n), "")
            if (
                name in meaning.SESSIONS
                or name == T + "get_default_session"
                or _writes(self, n)
                or (
                    isinstance(n, ast.Call)
                    and isinstance(n.func, ast.Attribute)
                    and (n.func.attr in ("run", "eval") or _around(n) or minimizes(n))
                    and id(n.func) not in self.endpoints
                )
            ):
                found = True
            elif isinstance(n, ast.Call):
                callee = self._module_function(n.func, (ast.FunctionDef, ast.ClassDef))
                found = callee is not None and callee is not node and self.runs(callee)
                if isinstance(callee, ast.ClassDef):
                    found = found or (
                        bases.graphic(self, callee) and not part_classes.computes(self, callee)
                    )
                if callee is None and isinstance(n.func, ast.Attribute):
                    found = any(m is not node and self.runs(m) for m in self._methods(n.func))
            if found:
                break
        self._runs[id(node)] = found
        return found

    def _module_function(self, func: ast.expr, kinds: Any = ast.FunctionDef) -> Any:
        """The definition that a call's function names, in this file or in one it imports."""
        if func.__class__ is ast.Attribute and id(func) in self.endpoints:
            return None  # TensorFlow's, as most are
        module = self.files.at(func)
        if isinstance(func, ast.Name):
            for stmt in module.definitions().get(func.id, ()):
                if isinstance(stmt, kinds):
                    return stmt
        found = module.definition(func) if len(self.files.order) > 1 else None
        if found is None and isinstance(func, ast.Attribute):
            found = bases.static_of(self, func) or held_functions.of(self, func)
        return found if isinstance(found, kinds) else None

    def user(self, function: Function, node: ast.Call) -> Value:
        """A call of a function of the module."""
        from migrate.programs.graph.summarizing import summary_helpers

        try:
            return self._user(function, node)
        except Blocked as error:
            summary_helpers.instead(self, function, node, error)
            raise

    def _user(self, function: Function, node: ast.Call) -> Value:
        from migrate.programs.graph.fetching import given_ops
        from migrate.programs.graph.layering import layers
        from migrate.programs.graph.summarizing import summary_helpers

        if self.runs(function.node):
            given_ops.check(self, function.node, node)
        given = self.given(function, node)
        given_starts.there(self, function.node, given, node)
        unused_sessions.check(self, function.node, given, node)
        callbacks.given(self, function.node, given, node)
        if layers.gives_arg_scope(self, function.node):
            return layers.arg_scope_of(self, function.node, node)  # type: ignore[arg-type]
        if summary_helpers.makes_summaries(self, function) and not self.runs(function.node):
            return summary_helpers.follow(self, function, node)
        if self.generator(function.node, given, node):
            return HOST
        if isinstance(function.node, ast.FunctionDef) and (
            self.runs(function.node) or self._lends(given)
        ):
            return self.enter(function, given, node)
        if any(v.kind in RUNTIME for v in given.values()):
            training_helpers.check(self, function.node, node)
        else:
            training_helpers.weights(self, function.node, node)
        if self.frame.region is not None and handed.is_builder(self, function.node, given):
            return handed.build(self, function, given, node)
        if (
            self.frame.region is not None
            and self._variables_made(function.node)
            and not any(v.kind in RUNTIME for v in given.values())
            and not recurrent.makes_cells(self, function.node)
        ):
            module_inputs.check(self, function.node, node)
        analyzed.check(self, function.node, node)
        training_helpers.check(self, function.node, node)
        if recurrent.gives_cells(self, function.node):
            assert isinstance(function.node, ast.FunctionDef)
            training_helpers.once(self, function.node, node, "returns cells beside other things")
        following: list[ast.AST] = self.kept.setdefault(("following",), [])
        if function.node in following and (again := self._recursive(function.node, given)):
            return again
        if self.depth > DEPTH:
            raise Blocked(node, "functions call each other too deeply")
        if (
            isinstance(function.node, ast.FunctionDef)
            and self.frame.region is not None
            and (
                any(v.kind in RUNTIME for v in given.values())
                or (
                    any(v.kind is Kind.CONST for v in given.values())
                    and constant_inputs.computed(self, function.node)
                )
            )
            and self._variables_made(function.node)
            and not recurrent.makes_cells(self, function.node)
        ):
            static_shapes.given(self, node)
            return self.factory(function, function.node, given, node)
        frame = Frame(function.node, function.frame, None, {})
        outer, self.frame = self.frame, frame
        nested, self.nested = self.nested, 0
        variables = self._variables_made(function.node)
        specs = not variables and self.frame.parent is not None
        specs = specs and handed.reaches(self, function.node, meaning.PLACEHOLDERS)
        self.specs += specs
        self.depth += 1
        before = self.stmt
        tf1_names.entered(self, node, function.node)
        following.append(function.node)
        try:
            for name, value in given.items():
                frame.env[name] = Symbol(name, self.sink, value)
            if isinstance(function.node, ast.Lambda):
                result = self.expression(function.node.body)
            else:
                self.body(function.node.body)
                result = self.returned(frame.returns, node)
        finally:
            self.frame, self.nested, self.stmt = outer, nested, before
            following.pop()
            tf1_names.left(self)
            self.depth -= 1
            self.specs -= specs
        lost = self.frame.region is not None and self.frame.region.inputs is not None
        if specs and (lost or not handed.is_specs(result, self.stmt, node)):
            targets = getattr(self.stmt, "targets", [None])
            unpacked = isinstance(targets[0], (ast.Tuple, ast.List))
            if isinstance(function.node, ast.FunctionDef) and unpacked and not lost:
                what = "returns placeholders and what is computed of them"
                training_helpers.once(self, function.node, node, what)
            raise Blocked(node, "a placeholder is made in a loop, a branch or a helper")
        if result.kind is Kind.FEED:
            assert isinstance(function.node, ast.FunctionDef)
            feeds.made_by(self, function.node, given, node)
        op_lists.given_variables(self, function.node, given, result, node)
        runtime = [v for v in given.values() if v.kind in RUNTIME]
        cells = isinstance(result.data, Cells)
        if cells:
            recurrent.shares(self, function.node, given, node)
        if (
            variables
            and not cells
            and (runtime or result.kind not in (Kind.VARIABLE, Kind.HOST, Kind.NONE))
        ):
            name = getattr(function.node, "name", "lambda")
            error = Blocked(node, f"`{name}` makes variables and tensors in one")
            if isinstance(function.node, ast.FunctionDef) and self.frame.region is not None:
                training_helpers.returned(self, function.node, node, error)
            raise error
        printable.helper(self, function.node, list(given.values()), node)
        if variables and not self._cells(function.node):
            self.making.add(id(node))
        return repeated.made_by(self, function.node, node, result) if variables else result

    def _lends(self, given: dict[str, Value]) -> bool:
        """Whether a function is given a session, which what it calls may run."""
        lent = any(value.kind is Kind.SESSION for value in given.values())
        return lent and self.frame.region is not None

    def _recursive(self, function: ast.AST, given: dict[str, Value]) -> Value | None:
        """What a function gives that calls itself; it is being followed with other arguments.

        None where it may make more than tensors and numbers.
        """
        kinds = {v.kind for v in given.values()}
        if kinds <= {Kind.HOST, Kind.NONE} and not self._mentions(function):
            return HOST
        if not kinds <= {Kind.HOST, Kind.NONE, Kind.CONST, Kind.TENSOR, Kind.PLACEHOLDER}:
            return None
        if self._variables_made(function) or handed.reaches(self, function, meaning.PLACEHOLDERS):
            return None
        return Value(Kind.TENSOR if kinds & RUNTIME else Kind.CONST)

    def generator(self, function: ast.AST, given: dict[str, Value], call: ast.Call | None) -> bool:
        """Whether a function yields numbers: its statements run when they are asked for.

        Raises:
            Blocked: it has a part in the graph.
        """
        if call is None or not self._generates(function) or self._mentions(function):
            return False
        if isinstance(function, ast.FunctionDef) and (self.runs(function) or self._lends(given)):
            return False  # `generators` sees to it
        if self.runs(function) or any(v.kind is not Kind.HOST for v in given.values()):
            raise Blocked(call, "a generator that has a part in the graph")
        what = f"`{ast.unparse(call.func)}` is called"
        self.sink.impure = self.sink.impure or (call, what)
        return True

    @staticmethod
    def _generates(node: ast.AST) -> bool:
        """Whether a function is a generator: Python's, as long as nothing of a graph is in it."""
        return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node))

    def _variables_made(self, node: ast.AST) -> bool:
        known = self._makers.get(id(node))
        if known is not None:
            return known
        # A recursive call adds nothing.
        self._makers[id(node)] = found = printing_makers.is_one(self, node)
        for n in () if found else walk(node):
            if self.endpoints.get(id(n)) in MADE:
                found = True
            elif isinstance(n, ast.Call) and (callee := self._module_function(n.func)):
                found = callee is not node and self._variables_made(callee)
            elif isinstance(n, ast.Call) and (
                recurrent.is_own(self, n.func) or cell_classes.makes(self, n.func)
            ):
                found = True
            elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
                found = any(self._variables_made(m) for m in self._methods(n.func))
            if found:
                break
        self._makers[id(node)] = found
        return found

    def _methods(self, node: ast.Attribute) -> list[ast.FunctionDef]:
        """What ``self.name`` may be, in whichever class."""
        if not isinstance(node.value, ast.Name) or node.value.id != "self":
            return []
        tree = self.files.at(node).tree
        here = [s for s in (tree.body if tree is not None else ()) if isinstance(s, ast.ClassDef)]
        related = [cls for known in self.bases.values() for cls in known.order]
        return [
            member
            for cls in {id(c): c for c in (*here, *related)}.values()
            for member in bases.methods(cls)
            if member.name == node.attr
        ]

    def returned(self, values: list[Value], node: ast.AST) -> Value:
        if not values:
            return HOST
        if len(values) == 1:
            return values[0]
        if all(v.kind is Kind.HOST for v in values):
            return carried(values)
        if all(v.kind is Kind.FEED for v in values):
            first, *others = values
            if any({f.symbol for f in o.data} != {f.symbol for f in first.data} for o in others):
                raise Blocked(node, "feed_dicts with other keys")
            return first
        if all(v.kind is values[0].kind for v in values):
            return Value(values[0].kind, values[0].data)
        return self.join(values, node)

    def module_frame(self, node: ast.AST | None = None) -> Frame:
        """The names of the file in which a definition stands; of the one at hand."""
        home = self.files.at(node).frame if node is not None else None
        if home is not None:
            return home
        frame = self.frame
        while frame.parent is not None:
            frame = frame.parent
        return frame

    def given(
        self, function: Function, node: ast.Call, owner: Value | None = None
    ) -> dict[str, Value]:
        """A call's arguments by parameter.

        Raises:
            Blocked: they can't be told.
        """
        args = function.node.args
        names = [a.arg for a in (*args.posonlyargs, *args.args)]
        given: dict[str, Value] = {}
        if owner is not None and names:
            given[names[0]] = owner
            names = names[1:]
        positional = list(node.args)
        if any(isinstance(a, ast.Starred) for a in positional) or any(
            k.arg is None for k in node.keywords
        ):
            values = self.arguments(node)
            if any(v.kind is not Kind.HOST for v in values):
                reason = "a call whose arguments are hidden by `*`"
                told_keywords.check(self, node, reason)
                raise Blocked(node, reason)
            positional = []
        for name, arg in zip(names, positional, strict=False):
            given[name] = self.expression(arg)
        if len(positional) > len(names):
            rest = [self.expression(a) for a in positional[len(names) :]]
            if args.vararg is None:
                raise Blocked(node, "too many arguments")
            given[args.vararg.arg] = self._collect(rest, list(enumerate(rest)), node)
        for keyword in node.keywords:
            if keyword.arg is not None:
                value = self.expression(keyword.value)
                if keyword.arg in names or keyword.arg in {a.arg for a in args.kwonlyargs}:
                    given[keyword.arg] = value
                elif value.kind is not Kind.HOST or args.kwarg is None:
                    raise Blocked(node, f"the argument `{keyword.arg}`")
        defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
        defaults |= {
            a.arg: d
            for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)
            if d is not None
        }
        for name in (*names, *(a.arg for a in args.kwonlyargs)):
            if name not in given:
                default = defaults.get(name)
                given[name] = self.expression(default) if default is not None else HOST
        for extra in (args.vararg, args.kwarg):
            if extra is not None:
                given.setdefault(extra.arg, HOST)
        return given

    def enter(self, function: Function, given: dict[str, Value], node: ast.Call) -> Value:
        """A function that runs a session: a region of its own, walked at its first call."""
        target = function.node
        assert isinstance(target, ast.FunctionDef)
        if self.frame.region is None:
            raise Blocked(node, f"`{target.name}` runs a session while a graph is built")
        for name, value in given.items():
            constant_inputs.same(self, target, name, value, node)
            if callable(getattr(value.data, "given", None)):
                given[name] = value.data.given(self, target, name, node)
                continue
            mixed = ("given", id(target), name) in self.kept and not hasattr(value.data, "element")
            if mixed and value.kind is not Kind.NONE and value.data != NOTHING:
                raise Blocked(node, f"`{target.name}` is called in another way before")
            if handed.given(self, target, name, value, node):
                continue
            if given_feeds.given(self, target, name, value, node):
                continue
            if value.kind is Kind.OPTIMIZER:
                anew.optimizer(self, target, name, value, node)
            elif value.kind not in (
                Kind.HOST,
                Kind.NONE,
                Kind.SESSION,
                Kind.FUNCTION,
                Kind.OBJECT,
                Kind.ENDPOINT,
                Kind.CLASS,
                Kind.VARIABLE,
            ) and not (hasattr(value.data, "method") or configures(value)):
                what = f"is given {described(value)}"
                if constant_inputs.lent(self, target, name, value):
                    continue
                training_helpers.once(self, target, node, what)
                from migrate.programs.graph.data import given_elements

                taken = given_elements.lent(self, target, name, value, node)
                if taken is None:
                    parted.fed(self, target, given, f"`{target.name}` {what}")
                    raise Blocked(node, f"`{target.name}` {what}")
                given[name] = taken
            if value.kind is Kind.SESSION or configures(value):
                self.session_params.setdefault(id(target), set()).add(name)
        if id(target) in self.entered:
            own = two_classes.followed(self, function, self.entered[id(target)], given, node)
            if own is not None:
                return self.enter(own, given, node)
        self.calls.append((node, target))
        if session_makers.of_another_program(self, target):
            del self.entered[id(target)]
        if id(target) in self.entered:
            region = self.entered[id(target)]
            if region.once:
                copied_at_once.met(self, region, node)
                lifted.met(self, region, node)
                raise Blocked(node, f"`{target.name}` builds its graph anew at every call")
            copied_at_once.again(self, region, node)
            renewals.again(self, region)
            self._of_one_class(region, given, node)
            if region.anew:
                anew.again(self, region, given, node)
            else:
                later_runs.met(self, target)
            return self._gives(region, node)
        loops, self.loops = self.loops, 0
        opened, region = (self.sessions, self.init_runs), Region(target, target.name)
        before, place = anew.standing(self), len(self.regions)
        self.kept[("first given", id(region))] = given
        self.entered[id(target)] = region
        self.regions.append(region)
        later_runs.entered(self, target)
        frame = Frame(target, function.frame, region)
        saved = (self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls)
        self.frame, self.nested, self.controls = frame, 0, []
        self.outer = Inner(self.outer)
        start = Step(-1, target, Kind.HOST)
        tf1_names.entered(self, node, target)
        try:
            for name, value in given.items():
                made = value.symbol
                if made is None or made.step.node is not target:
                    made = Symbol(name, start, value, alias=handed.is_part(value))
                frame.env[name] = made
            self.body(target.body)
        finally:
            self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls = saved
            tf1_names.left(self)
            self.loops = loops
        copied_at_once.in_branches(self, region, node)
        renewed = renewals.parts(self, region)
        started = self.stateful and opened[1] + renewed != self.init_runs
        if loops:
            renewals.again(self, region)
        region.once = started or any(
            s.moves or (s.kind in STATEFUL_KINDS and not copied_at_once.only_names(self, s))
            for s in region.steps
        )
        if region.once and region.gives is None:
            region.anew = anew.alone(self, target, self.regions[place:], before)
            region.once = not region.anew
        generators.check(region, opened != (self.sessions, self.init_runs), node)
        apart = region.anew or (not region.once and anew.alike(self, region))
        if loops and not apart and (region.once or opened[0] != self.sessions):
            copied_at_once.met(self, region, node)
            lifted.met(self, region, node)
            looped_sessions.written_there(self, target, node)
            raise Blocked(node, f"`{target.name}` is called in a loop")
        if region.gives is not None and any(v.kind is not region.gives.kind for v in frame.returns):
            raise Blocked(node, f"`{target.name}` returns an object or something else")
        return self._gives(region, node)

    def _of_one_class(self, region: Region, given: dict[str, Value], node: ast.AST) -> None:
        """A function that runs parts of an object is given those of one class.

        Raises:
            Blocked: another call gave it one of another class, whose functions are others.
        """
        first: dict[str, Value] = self.kept.get(("first given", id(region)), {})
        for name, value in given.items():
            self._one_class(region.name, first.get(name, HOST), value, node)
            objects_apart.given(self, region, first.get(name, HOST), value)

    @staticmethod
    def _one_class(name: str, first: Value, other: Value, node: ast.AST) -> None:
        if first.kind is other.kind is Kind.OBJECT:
            classes = [getattr(v.data, "node", None) for v in (first, other)]
            if classes[0] is not classes[1]:
                raise Blocked(node, f"`{name}` is given objects of two classes")

    def _gives(self, region: Region, node: ast.Call) -> Value:
        """What a call of a function that runs a session gives."""
        if region.gives is not None and region.gives.kind is Kind.SESSION:
            return session_makers.called(self, region, node)
        return region.gives or HOST

    def app(self, node: ast.Call) -> Value:
        """``tf.app.run``: the module's `main`, or what is given."""
        main: Value | None = None
        for at in [*node.args[:1], *(k.value for k in node.keywords if k.arg == "main")]:
            main = self.expression(at)
        if main is None or main.data is NOTHING:
            symbol = self.frame.env.get("main")
            main = symbol.value if symbol is not None else None
        if main is None or main.kind is not Kind.FUNCTION:
            return HOST
        if self.runs(main.data.node):
            self.enter(main.data, {a.arg: HOST for a in main.data.node.args.args}, node)
        return HOST


def _around(node: ast.Call) -> bool:
    """Whether a call is what Savers and summary writers are for, by its looks."""
    assert isinstance(node.func, ast.Attribute)
    first = ast.unparse(node.args[0]).lower() if node.args else ""
    if any(k.arg in ("sess", "session") for k in node.keywords):
        first = "sess"
    return node.func.attr == "add_summary" or (
        node.func.attr in ("save", "restore") and "sess" in first
    )
