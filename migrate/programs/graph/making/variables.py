"""Variables, their scopes and initial values; learning rates that decay."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import handed, meaning
from migrate.programs.graph.expressions import Expressions
from migrate.programs.graph.feeding import fed_starts, specs
from migrate.programs.graph.layering import shaped
from migrate.programs.graph.listing import own_collections
from migrate.programs.graph.listing.collections import Owned, path_of
from migrate.programs.graph.made import Decay, Made, Schedule, Scope
from migrate.programs.graph.making import (
    found_again,
    given_initializers,
    looped_variables,
    own_initializers,
    own_steps,
    owned_branches,
    repeated,
    trainable_types,
)
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    Blocked,
    Kind,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.recurrence import own_cells, recurrent
from migrate.programs.graph.scoping import computed_scopes, scopes, tf1_names
from migrate.programs.graph.scoping.scopes import DEFAULTS, scope_name
from migrate.programs.graph.sizing import static_shapes


class Variables(Expressions):
    """Variables, their scopes and initial values; learning rates that decay."""

    def variable(self, name: str, node: ast.Call) -> Value:
        """A variable; what it starts with must be there when it is made."""
        cells = own_cells.variable(self, node)
        if cells is not None:
            return cells
        self.stateful = True
        trainable_types.check(self, name, node)
        repeated.looped(self, node)
        if any(s.reuse is True for s in self.scopes) and name.endswith("get_variable"):
            found_again.check(self, node)
            raise Blocked(node, found_again.REASON)
        sink = self.sink
        self.sink = Step(-1, sink.node, Kind.HOST)
        values = self.arguments(node)
        inner, self.sink = self.sink, sink
        for symbol in specs.only_asked(node, inner.uses):
            del inner.uses[symbol]  # its spec has them
        sink.uses.update(inner.uses)
        sink.hosts |= inner.hosts
        for value in values:
            if value.kind is Kind.TENSOR and self._initial(inner):
                self.kept.setdefault("early calls", []).append(node)
                continue
            if value.kind is Kind.PLACEHOLDER and fed_starts.noted(self, name, node):
                return Value(Kind.VARIABLE, name, node=node)
            if value.kind not in (Kind.HOST, Kind.CONST, Kind.ENDPOINT, Kind.FUNCTION, Kind.NONE):
                if value.kind is Kind.TENSOR:
                    static_shapes.check(self, node)
                raise Blocked(node, f"a variable starts with {described(value)}")
        for step in (s.step for s in inner.uses):
            if step.kind is Kind.PLACEHOLDER:
                raise Blocked(node, "a variable starts with what is fed")
        if name == T + "Variable":
            self.scoped(node)
            own_collections.plain(self, node)
        full = None
        if name == T + "get_variable":
            given = scopes.filled(self, self.bound(name, node), node)
            own = given.get("name")
            tail = scope_name(own)
            open_scopes = [s.name for s in self.scopes if not s.ops_only]
            if tail is not None and None not in open_scopes:
                full = "/".join([*(s for s in open_scopes if s), tail])
            elif open_scopes:
                raise Blocked(node, "a variable whose name is computed in a scope")
            if full is not None and self.loops and "{" not in full:
                looped_variables.check(self, node)
                raise Blocked(node, looped_variables.REASON)
            if "collections" in given:
                own_collections.put(self, node, given["collections"])
            told = None
            initializer = given.get("initializer")
            if initializer is not None:
                told = self.described(initializer)
            if full is not None:
                computed_scopes.met(self, full, node)
            computed = "{" in (full or "") and not any(s.reuse for s in self.scopes)
            if (
                full is not None
                and not computed
                and self.frame.region is not None
                and any(
                    m.name == full and m.call is not node and key not in self.past
                    for key, m in self.made.items()
                )
                and not computed_scopes.noted(self, full, node)
            ):
                raise Blocked(node, computed_scopes.FOUND.format(full))
            known = self.made.get(id(node))
            if known is not None and any(known.given.get(a) is not given.get(a) for a in DEFAULTS):
                raise Blocked(node, "a variable whose scopes give it other things each time")
            # A helper's, called in several scopes or in one that its caller computes, has only its
            # own name.
            other = known is not None and known.name != full
            other |= self.frame.region is None and not all(map(self._seen, self.scopes))
            self.made[id(node)] = Made(node, given, None if other else full, told)
            self.past.discard(id(node))
        path = tf1_names.variable(self, name, node)
        order, key = len(self.naming.known), self.naming.key(node)
        return Value(Kind.VARIABLE, name, node=node, path=path, order=order, key=key, scoped=full)

    def scoped(self, node: ast.Call) -> None:
        """A `tf.Variable` that is named in scopes gets its full name."""
        own = next((k.value for k in node.keywords if k.arg == "name"), None)
        tail = scope_name(own)
        names = [s.name for s in self.scopes]
        if own is None or tail is None or None in names:
            return
        if self.frame.region is None and not all(map(self._seen, self.scopes)):
            return
        if not names and id(own) not in self.scoped_names:
            self.scoped_names[id(own)] = ""
            return
        full = "/".join([*(n for n in names if n), tail])
        quote = ast.unparse(own)[0] if isinstance(own, ast.Constant) else '"'
        if "'" in full:
            quote = '"'
        written = f"{'f' * ('{' in full)}{quote}{full}{quote}"
        known = self.scoped_names.setdefault(id(own), written)
        if known == written:
            self.rewrites[id(own)] = lambda _: written
        else:  # a helper's, called in several scopes: it has only its own name
            self.rewrites[id(own)] = lambda writer: str(writer.text.source(own))

    def _seen(self, scope: Scope) -> bool:
        """Whether what a scope's name is computed of is seen in the function at hand."""
        opened = scope.opened is not None and holds(self.frame.node, scope.opened)
        return opened or "{" not in str(scope.name)

    def described(self, node: ast.expr) -> tuple[str, ast.Call | None] | None:
        """The initializer that an expression is; None for a value."""
        value = self.expression(node)
        if value.kind is Kind.ENDPOINT:
            return value.data, None
        if value.kind is Kind.HOST and isinstance(value.data, tuple):
            if given_initializers.made(self, node, computed=True):
                return given_initializers.CALLED, None
            endpoint, call = value.data
            symbol = self.frame.env.get(node.id) if isinstance(node, ast.Name) else None
            region = self.frame.region
            if symbol is not None and region is not None and symbol.step.node is region.node:
                self.kept.setdefault(("given initializers",), set()).add(id(node))
            return endpoint, self._as_called(node, call)
        if value.kind is Kind.FUNCTION:
            return own_initializers.described(self, node, value.data)
        return (given_initializers.CALLED, None) if given_initializers.made(self, node) else None

    def _as_called(self, node: ast.expr, made: Any) -> Any:
        """An initializer that a function of the program gives, with what its call says.

        Raises:
            Blocked: what it is given is a part of something.
        """
        if not isinstance(node, ast.Call) or not isinstance(made, ast.Call) or made is node:
            return made
        function = self.expression(node.func)
        if function.kind is not Kind.FUNCTION:
            return made
        args = function.data.node.args
        names = [a.arg for a in args.args]
        defaults = zip(reversed(names), reversed(args.defaults), strict=False)
        given: dict[str, ast.expr] = dict(defaults)
        given |= dict(zip(names, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg is not None}

        def said(part: ast.expr) -> ast.expr:
            if isinstance(part, ast.Name) and part.id in given:
                return given[part.id]
            if any(isinstance(n, ast.Name) and n.id in names for n in walk(part)):
                raise Blocked(node, "an initializer that a function computes of what it is given")
            return part

        new = copy.copy(made)
        new.args = [said(a) for a in made.args]
        new.keywords = [ast.keyword(k.arg, said(k.value)) for k in made.keywords]
        return new

    def _initial(self, inner: Step) -> bool:
        """Whether nothing of a run is in it: random, or another variable's first value."""
        return all(map(self._early, inner.uses))

    def _early(self, symbol: Symbol) -> bool:
        """Whether a value can be there when variables are made, and nothing of a run is in it."""
        step = symbol.step
        if shaped.is_input(symbol, self.frame.region):
            return True  # whose shape is there
        if symbol.value.kind is not Kind.TENSOR:
            ready = {Kind.HOST, Kind.CONST, Kind.VARIABLE, Kind.FUNCTION, Kind.OBJECT, Kind.CLASS}
            ready |= {Kind.ENDPOINT, Kind.NONE}
            return symbol.value.kind in ready and not step.moves
        calls = {id(n) for n in walk(step.node)}
        plain = _assigns(step.node) and not step.after
        plain = plain and (step.impure is None or isinstance(step.node, ast.If))
        plain = plain and step.region is not None and not calls & {*self.layers, *self.gradients}
        plain = plain and shaped.only_shapes(step)
        if not plain or not all(self._early(s) for s in step.uses if s.step is not step):
            return False
        self.kept.setdefault("early", {})[step] = None
        return True

    def default(self, node: ast.Call) -> None:
        """A placeholder with a default that Python can hold."""
        given = self.bound(T + "placeholder_with_default", node)
        value = given.get("input")
        if isinstance(value, ast.UnaryOp):
            value = value.operand
        kinds = {bool: "bool", int: "int32", float: "float32"}
        kind = kinds.get(type(value.value)) if isinstance(value, ast.Constant) else None
        if kind is None:
            raise Blocked(node, "a placeholder whose default isn't a number")
        self.defaults[id(node)] = (given, kind)

    @staticmethod
    def bound(endpoint: str, node: ast.Call) -> dict[str, ast.expr]:
        """A call's arguments by TF 1's names."""
        from migrate import symbols

        signature = symbols.signature(endpoint)
        names = [p.name for p in signature.params if p.name != "self"] if signature else []
        if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
            raise Blocked(node, "these arguments aren't followed")
        given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Blocked(node, "`**` hides arguments")
            if signature and not signature.takes(keyword.arg):
                what = endpoint.replace("tensorflow.", "tf.", 1)
                raise Blocked(node, f"`{keyword.arg}` isn't an argument of {what}")
            given[keyword.arg] = keyword.value
        return given

    def schedule(self, name: str, node: ast.Call) -> Value:
        """A decayed learning rate: a Keras schedule, where one optimizer does the counting."""
        given = self.bound(name, node)
        step = given.pop("global_step", given.pop("x", None))
        if step is None:
            raise Blocked(node, "a decay without a global step")
        counter = self.expression(step)
        computed = counter.kind in (Kind.TENSOR, Kind.PLACEHOLDER)
        if not computed and (counter.kind is not Kind.VARIABLE or counter.symbol is None):
            raise Blocked(step, "the step of a decay isn't a variable")
        for value in given.values():
            self.host(value)
        if computed:  # `batch * batch_size`: a part of the runs that need it
            one = Decay(name, node, given)
            self.rewrites[id(node)] = lambda writer: writer.decayed(one, step)
            return Value(Kind.TENSOR)
        assert counter.symbol is not None
        self.schedules[id(node)] = found = Schedule(name, node, given, counter.symbol)
        self.rewrites[id(node)] = lambda writer: writer.decay(found)  # unless it is kept whole
        return Value(Kind.OTHER, found, node=node)

    def global_step(self, name: str, node: ast.Call) -> Value:
        """The graph's global step: made once, found again by its name."""
        self.arguments(node)
        known = self.found_step()
        if known is not None and self.frame.region is not None:
            own_steps.again(self, node, known)
            self.sink.uses[known] = None
            self.rewrites[id(node)] = lambda writer: writer.ref(known)
            return known.value
        own_steps.check(self, node)
        if name.endswith(".get_global_step"):
            own_steps.none(self, node)
        self.stateful = True
        if self.nested or self.frame.region is None:
            raise Blocked(node, "a global step in a loop, a branch or a helper")
        if name.endswith(".get_global_step"):
            raise Blocked(node, "a global step that isn't seen")
        if any(m.name == "global_step" for k, m in self.made.items() if k not in self.past):
            raise Blocked(node, own_steps.REASON)
        self.made[id(node)] = Made(node, {}, "global_step")
        return Value(Kind.VARIABLE, name, node=node, path="global_step")

    def found_step(self) -> Symbol | None:
        """The variable that is called global_step, where it has a name here."""
        for symbol in [s for names in self._visible() for s in names.values()]:
            call = symbol.value.node
            if symbol.value.kind is not Kind.VARIABLE or not isinstance(call, ast.Call):
                continue
            if id(call) in self.past or id(symbol.step) in self.forgotten:
                continue
            made = self.made.get(id(call))
            if made is not None and made.name == "global_step":
                return symbol
            if any(
                o.path == "global_step" and o.place is not None and o.place[1] is symbol.step.node
                for o in self.owned
            ):
                return symbol
        return None

    def _visible(self) -> list[dict[str, Symbol]]:
        """The names of the function at hand, and those of the module that it sees."""
        node = self.frame.node
        if isinstance(node, ast.Module):
            return [self.frame.env]
        own = {n.id for n in all_of(node, ast.Name)} & set(self.frame.env)
        outer = self.module_frame(node).env
        return [self.frame.env, {k: s for k, s in outer.items() if k not in own}]

    def makes(self, node: ast.AST) -> bool:
        """Whether an expression makes variables, itself or through what it calls."""
        for n in walk(node):
            if self.endpoints.get(id(n)) in meaning.VARIABLES:
                return True
            if id(n) in self.making:  # a local function, a method of another object
                return True
            if isinstance(n, ast.Call) and id(n) not in self.layers:  # which own theirs
                callee = self._module_function(n.func)
                if callee is not None and self._variables_made(callee) and not self._cells(callee):
                    return True
                # What a method of the class's own graph makes, its own statements make.
                methods = self._methods(n.func) if isinstance(n.func, ast.Attribute) else []
                made = [m for m in methods if id(m) not in self.entered]
                if any(self._variables_made(m) and not self._cells(m) for m in made):
                    return True
        return False

    def _cells(self, node: ast.AST) -> bool:
        """Whether all that a function makes is cells, whose variables are there once they run."""
        others = meaning.VARIABLES | meaning.MAKING
        return recurrent.makes_cells(self, node) and not handed.reaches(self, node, others)

    def trains(self, node: ast.AST | None) -> bool | None:
        """Whether a variable is trained by default, from its call; None where it is computed."""
        name = self.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
        if name not in meaning.VARIABLES or not isinstance(node, ast.Call):
            return True
        said = self.bound(name, node).get("trainable")
        if said is None:
            return True
        if not isinstance(said, ast.Constant):
            return None
        return said.value is None or bool(said.value)

    def _chosen(self, node: ast.AST | None) -> str | None:
        """The parameter of a function that makes a variable and is told whether it is trained."""
        region = self.frame.region
        name = self.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
        if region is None or region.inputs is None or not isinstance(node, ast.Call):
            return None
        said = self.bound(name, node).get("trainable")
        symbol = self.frame.env.get(said.id) if isinstance(said, ast.Name) else None
        given = symbol is not None and symbol.step.node is region.node
        return symbol.name if given and symbol is not None else None

    def frozen(self, node: ast.AST) -> bool:
        """Whether all the variables that an expression makes say that they aren't trained."""
        calls = all_of(node, ast.Call)
        made = [n for n in calls if self.endpoints.get(id(n.func)) in meaning.VARIABLES]
        callees = [f for n in calls if (f := self._module_function(n.func)) is not None]
        inside = any(self._variables_made(f) for f in callees)
        return bool(made) and not inside and all(self.trains(n) is False for n in made)

    def own(self, target: ast.expr, value: Value, *, frozen: bool = False) -> None:
        """Remember variables under their names in TF 1; ``frozen``: none of them is trained."""
        ref = ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
        if value.kind is not Kind.VARIABLE or self.nested:
            when = owned_branches.asked(self, ref, value) if self.trains(value.node) else None
            place = (self.frame.node, self.stmt) if when is not None else None
            if when is not None:
                self.kept.setdefault("asked again", {})[id(value.node)] = ref, when, place
            made = Owned(None, None, trained=not frozen, when=when, branch=ref, place=place)
            call = value.node
            region = self.frame.region
            if when is not None and region is not None and region.inputs is not None:
                put = own_collections.of(self, call)
                path = value.scoped or self.full_name(call)
                made = replace(made, path=path, collections=put, value=value)
            looped = isinstance(call, ast.Call) and repeated.each_round(self, value)
            if isinstance(call, ast.Call) and looped and when is None and not frozen:
                place = (self.frame.node, self.stmt)
                made = replace(made, path=self.full_name(call), looped=call, place=place)
            self.owned.append(made)
            return
        if value.items is None and value.data != "container":
            trained = self.trains(value.node)
            chosen = self._chosen(value.node) if trained is None else None
            if trained is None and chosen is None:
                self.owned.append(Owned(None, None))
            else:
                path = value.scoped or self.full_name(value.node)
                self.owned.append(
                    Owned(
                        path,
                        ref,
                        trained=trained is not False,
                        place=(self.frame.node, self.stmt),
                        collections=own_collections.of(self, value.node),
                        value=value,
                        chosen=chosen,
                    )
                )
            return
        for key, item in value.items or ():
            trained = self.trains(item.node)
            named = item.kind is Kind.VARIABLE and ref is not None and item.items is None
            if not named or trained is None:
                self.owned.append(Owned(None, None))
            else:
                path = item.scoped or self.full_name(item.node)
                place = (self.frame.node, self.stmt)
                own = f"{ref}[{key!r}]"
                self.owned.append(Owned(path, own, trained=trained, place=place, value=item))
        if not value.items:
            self.owned.append(Owned(None, None, trained=not frozen))

    def full_name(self, node: ast.AST | None) -> str | None:
        """A variable's name in TF 1, in braces where it is computed; None where it isn't seen."""
        made = self.made.get(id(node))
        if made is not None:
            return made.name
        if not isinstance(node, ast.Call):
            return None
        own = next((k.value for k in node.keywords if k.arg == "name"), None)
        name = "Variable" if own is None else scope_name(own)
        return path_of(self.scopes, name, ops=True, computed=True)

    def unpacked(self, targets: list[ast.expr], value: Value) -> bool:
        """Whether ``w, b = make([n])`` names variables, each of which is remembered then."""
        names = targets[0].elts if isinstance(targets[0], ast.Tuple) and len(targets) == 1 else []
        items = value.items or ()
        if (
            self.nested
            or not names
            or value.kind is not Kind.VARIABLE
            or [key for key, _ in items] != list(range(len(names)))
            or len({n.id for n in names if isinstance(n, ast.Name)}) < len(names)
            or not all(v.items is None and v.data != "container" for _, v in items)
        ):
            return False
        for name, (_, item) in zip(names, items, strict=True):
            assert isinstance(name, ast.Name)
            trained = self.trains(item.node)
            self.own(name, item)
            if trained or trained is None:
                self.created.append(name.id if trained else None)
        return True

    def record(self, targets: list[ast.expr], node: ast.expr, value: Value) -> None:
        """The trainable variables that a statement makes, by name."""
        if self.frame.region is None:
            return
        if not self.makes(node):
            return
        frozen = self.frozen(node)
        if self.unpacked(targets, value):
            return
        self.own(targets[0], value, frozen=frozen)
        target = targets[0]
        name = ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
        if value.kind is not Kind.VARIABLE or self.nested:
            if not frozen:
                self.created.append(None)
        elif value.items is None and value.data != "container":
            trained = self.trains(value.node)
            if trained or trained is None:
                self.created.append(name if trained else None)
        elif value.items and name is not None and all(self.trains(v.node) for _, v in value.items):
            keyed = isinstance(value.items[0][0], str)
            self.created.append(f"*{name}.values()" if keyed else f"*{name}")
        elif not frozen:
            self.created.append(None)


def _assigns(node: ast.AST) -> bool:
    """Whether a statement gives names values, also as a branch that does no more."""
    if isinstance(node, ast.If):
        return all(map(_assigns, (*node.body, *node.orelse)))
    return isinstance(node, ast.Assign)
