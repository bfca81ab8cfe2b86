"""Names of scopes and of objects: what they are bound to, in order."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace

from migrate.engine.python2_tables import BUILTINS as PYTHON2
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import handed, lent_parts
from migrate.programs.graph.feeding import feeds
from migrate.programs.graph.fetching import choices
from migrate.programs.graph.layering import given_makers, held_functions
from migrate.programs.graph.listing import inner_lists, list_names, unread_lists
from migrate.programs.graph.made import Frame, Function
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Instance,
    Kind,
    Symbol,
    Value,
    described,
    described_all,
)
from migrate.programs.graph.modules import Module
from migrate.programs.graph.objects import local_attributes, parts
from migrate.programs.graph.recurrence.cells import Cells, carried, gathered
from migrate.programs.graph.running import set_sessions
from migrate.programs.graph.scoping import shown_names
from migrate.programs.graph.state import State
from migrate.programs.graph.wording import (
    dict_entries,
    idle_partials,
    inner_helpers,
    lambdas,
    nested_dicts,
    spelled,
)

LISTED = frozenset({Kind.TENSOR, Kind.PLACEHOLDER, Kind.CONST})  # what a list of tensors gets


class Names(State):
    """Names of scopes and of objects: what they are bound to, in order."""

    def define(self, name: str, value: Value) -> Symbol:
        frame = self.frame
        if name in frame.outer and frame.parent is not None:
            frame = frame.parent
            while frame.parent is not None and name not in frame.env:
                frame = frame.parent
            if value.kind is not Kind.HOST:
                raise Blocked(self.stmt, f"a function sets the global `{name}`")
        symbol = Symbol(name, self.sink, value)
        self.note(symbol)
        frame.env[name] = symbol
        if self.frame.region is not None:
            self.sink.defs.append(symbol)
            if value.symbol is None and value is not HOST:
                value.symbol = symbol
        return symbol

    def note(self, symbol: Symbol) -> None:
        """Remember the type of a placeholder."""
        made = symbol.value.node
        if id(made) in self.defaults:
            return
        if symbol.value.kind is Kind.PLACEHOLDER and isinstance(made, ast.Call):
            dtype = self.bound(T + "placeholder", made).get("dtype")
            name = f"self.{symbol.name}" if symbol.attribute else symbol.name
            self.placeholders[name] = ast.unparse(dtype) if dtype is not None else ""

    def bind(self, target: ast.expr, value: Value) -> None:
        """An assignment to one target."""
        if hasattr(value.data, "bind"):
            value.data.bind(self, target, value)
        elif isinstance(target, ast.Name):
            if value is HOST or value.kind is Kind.HOST:
                self.define(target.id, value)
            else:
                each = value.each
                if value.kind is not Kind.OBJECT and (
                    each is None or not (each.data == "pair" or _lasting(each))
                ):
                    each = None
                named = replace(value, symbol=None, each=each)
                shown_names.bound(self, value, named)
                self.define(target.id, named)
                if value.kind is Kind.OPTIMIZER and value.data.symbol is None:
                    value.data.symbol = self.frame.env[target.id]
        elif isinstance(target, (ast.Tuple, ast.List)):
            for place, inner in enumerate(target.elts):
                if isinstance(inner, ast.Starred):
                    self.bind(inner.value, self.element(value, inner))
                elif value.items is not None and place < len(value.items):
                    self.bind(inner, value.items[place][1])
                else:
                    self.bind(inner, self.element(value, inner))
        elif isinstance(target, ast.Subscript):
            if feeds.put(self, target, value) or handed.keyed(self, target, value):
                return
            choices.put(self, target)
            try:
                self.mutate(target.value, value, target)
            except Blocked as blocked:
                if type(blocked) is Blocked:
                    dict_entries.check(self, target.value)
                raise
            self.host(target.slice)
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            if owner.kind is Kind.OBJECT:
                self.set_attribute(owner.data, target, value)
                return
            if hasattr(owner.data, "keep"):
                owner.data.keep(self, target, value)
                return
            if isinstance(owner.data, Module):
                raise Blocked(target, "a name of another file is set")
            if owner.kind is Kind.METHOD and owner.data[0].kind is Kind.SETTING:
                owner = owner.data[0]
            if owner.kind is Kind.SETTING and not self.nested:
                self.sink.kind = Kind.SETTING
                return
            flag = owner.kind is Kind.ENDPOINT and owner.data.endswith("flags.FLAGS")
            itself = flag or owner.kind is Kind.HOST or hasattr(owner.data, "attribute")
            itself = itself or self._notes(owner, target, value)
            plain = value.kind in (Kind.HOST, Kind.CONST) or lambdas.of_python(self, value)
            if not itself or not plain:
                raise Blocked(target, "a part of the graph is kept in an attribute")
        else:
            raise Blocked(target, "this target isn't followed")

    def _notes(self, owner: Value, target: ast.Attribute, value: Value) -> bool:
        """Whether a function is given an attribute, ``vgg_16.default_image_size = 224``."""
        if owner.kind is not Kind.FUNCTION or not isinstance(target.value, ast.Name):
            return False
        if self.module_frame() is not self.frame or value.kind is not Kind.HOST:
            return False
        known = self.kept.setdefault(("noted",), {})
        key = (id(owner.data.node), target.attr)
        given = self.stmt.value if isinstance(self.stmt, ast.Assign) else None
        first, said = known.setdefault(key, (target, given))
        again = False
        if isinstance(given, ast.Constant) and isinstance(said, ast.Constant):
            again = given.value == said.value
        # Of what is given anew a function would read what it is at last.
        return (first is target or again) and not self.nested

    def _by_itself(self, instance: Instance, value: Value) -> bool:
        """Whether a method that runs an object's graph keeps its Saver."""
        region, cls = self.frame.region, getattr(instance.region, "node", None)
        method = region is not None and region.node is self.frame.node and not self.nested
        return (
            method
            and isinstance(cls, ast.ClassDef)
            and self.frame.node in cls.body
            and hasattr(value.data, "restores")  # a Saver
        )

    def set_attribute(self, instance: Instance, target: ast.Attribute, value: Value) -> None:
        """``self.x = …``: a name of the object."""
        if instance.region is not None:
            dict_entries.attribute(self, target)
        if value.kind is not Kind.HOST:
            own = instance.region is self.frame.region or hasattr(value.data, "written")
            own = own or self._by_itself(instance, value)
            if not own and not set_sessions.kept(self, instance, target, value):
                reason = "a part of the graph is set from outside of its class"
                local_attributes.check(self, target, reason)
                raise Blocked(target, reason)
            parted = value.each is not None and _lasting(value.each)
            parted = parted or parts.item(value) is not None
            each = value.each if value.kind is Kind.OBJECT or parted else None
            value = replace(value, symbol=None, each=each)
        symbol = Symbol(target.attr, self.sink, value, True)
        self.note(symbol)
        if value.kind is not Kind.HOST:
            value.symbol = symbol
            if value.kind is Kind.OPTIMIZER and value.data.symbol is None:
                value.data.symbol = symbol
                older = instance.attrs.get(target.attr)
                if older is not None and older.value.kind is Kind.OPTIMIZER and self.nested:
                    symbol.value = self.instead(older.value, value, target)
        instance.attrs[target.attr] = symbol
        self.attributes[id(target)] = symbol
        self.sink.defs.append(symbol)

    def mutate(self, container: ast.expr, value: Value, node: ast.AST) -> None:
        """A container gets one more item."""
        if parts.grows(self, container, value) or nested_dicts.put(self, container, value, node):
            return
        owner = self.expression(container)
        if isinstance(value.data, Cells) and isinstance(container, ast.Name):
            self.define(container.id, gathered(carried([owner, value])))
            return
        if value.kind in (Kind.HOST, Kind.CONST) and owner.kind is Kind.HOST:
            return
        if value.kind is Kind.VARIABLE:
            self.once(owner, node)
        if isinstance(container, ast.Attribute) and self.held(container, owner, value):
            return
        if isinstance(container, ast.Attribute) and self._listed(container, owner, value):
            return
        if not isinstance(container, ast.Name):
            reason = "a part of the graph is put into something that isn't a name"
            if isinstance(container, ast.Attribute):
                spelled.empty_list(self, self.attributes.get(id(container)), node, reason)
            unread_lists.check(self, container)
            raise Blocked(node, reason)
        symbol = self.frame.env.get(container.id)
        if symbol is None:
            reason = f"`{container.id}` belongs to another scope"
            inner_helpers.check(self, container, reason)
            raise Blocked(node, reason)
        if owner.kind is Kind.FEED:
            raise Blocked(node, "a feed_dict is changed after it was made")
        if inner_lists.filled(self, container, owner, value):
            return
        if owner.kind is Kind.HOST and isinstance(owner.node, ast.Assign):
            # The display that it began with: it belongs to whatever it is filled with.
            kinds = {Kind.TENSOR: Kind.TENSOR, Kind.PLACEHOLDER: Kind.TENSOR}
            kind = kinds.get(value.kind, value.kind)
            if kind is Kind.OBJECT:
                each = Value(Kind.OBJECT, value.data)
                self.define(container.id, Value(Kind.OBJECT, value.data, each=each))
                return
            nones = inner_lists.of_nones(owner.node.value)
            if kind not in (Kind.TENSOR, Kind.VARIABLE) or (nones and kind is Kind.VARIABLE):
                raise Blocked(node, f"a list of {described_all(value.kind)}")
            symbol.step.kind = kind
            symbol.value.kind = kind
            symbol.value.each = parts.item(value)
            if kind is Kind.VARIABLE:  # whoever gave a method the list has it under another name
                symbol.value.data = "container"
            self.sink.hosts.discard(container.id)
            owner = symbol.value
        if owner.kind is Kind.OBJECT and value.kind is Kind.OBJECT and owner.data is value.data:
            return
        both = owner.kind is value.kind is Kind.VARIABLE
        joined = value if both else self.join([owner, value], node)
        if joined.kind not in (Kind.TENSOR, Kind.VARIABLE) or joined.kind is not owner.kind:
            reason = f"a list of {described_all(owner.kind)} gets {described(value)}"
            spelled.empty_list(self, symbol, node, reason)
            raise Blocked(node, reason)
        list_names.grown(self, container)
        made = Value(joined.kind, "container", node=owner.node)
        made.each = parts.among(owner, value) if both else None
        self.define(container.id, made)

    def held(self, container: ast.Attribute, owner: Value, value: Value) -> bool:
        """Whether a container of an object, which `__init__` began, gets one more variable."""
        symbol = self.attributes.get(id(container))
        begun = owner.kind is Kind.HOST and isinstance(owner.node, ast.Assign)
        if symbol is None or value.kind is not Kind.VARIABLE or symbol.value is not owner:
            return False
        if symbol.step.region is not self.frame.region or not (
            begun or (owner.kind is Kind.VARIABLE and owner.data == "container")
        ):
            return False
        owner.each = parts.item(value) if begun else parts.among(owner, value)
        if begun:
            symbol.step.kind = owner.kind = Kind.VARIABLE
            owner.data = "container"
        if self.sink.kind is Kind.HOST and not self.nested:
            self.sink.kind = Kind.VARIABLE
        return True

    def _listed(self, container: ast.Attribute, owner: Value, value: Value) -> bool:
        """Whether a list of an object, which its class began, gets one more tensor."""
        symbol, whose = self.attributes.get(id(container)), self.expression(container.value)
        made = owner.node if owner.kind is Kind.HOST else None
        begun = (
            isinstance(made, ast.Assign)
            and isinstance(made.value, ast.List)
            and len(made.targets) == 1
        )
        if symbol is None or symbol.value is not owner or value.kind not in LISTED:
            return False
        region = self.frame.region
        if symbol.step.region is not region or not isinstance(whose.data, Instance):
            return False
        if region is None or not isinstance(region.node, ast.ClassDef):
            return False
        if begun:
            symbol.step.kind = owner.kind = Kind.TENSOR
        elif owner.kind is not Kind.TENSOR or (owner.items is None and owner.data != "container"):
            return False
        list_names.grown(self, container)
        longer = Symbol(symbol.name, self.sink, Value(Kind.TENSOR, "container"), True)
        longer.value.symbol = longer
        whose.data.attrs[symbol.name] = longer
        self.sink.defs.append(longer)
        return True

    def once(self, owner: Value, target: ast.AST) -> None:
        """An item of a container of variables is set in one place, as functions read it later."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
            return
        made = owner.node if owner.node is not None else owner
        places = self.items.setdefault(id(made), {})
        first = places.setdefault(target.slice.value, (target, made))[0]
        if first is not target and not self.nested:
            raise Blocked(target, f"`{ast.unparse(target)}` means another variable from here on")

    def follow(self, symbol: Symbol, node: ast.AST) -> None:
        """A function that uses a part of its region's graph goes where that goes."""
        if self.carries(symbol):
            return
        frame: Frame | None = self.frame
        while frame is not None and not isinstance(frame.node, (ast.FunctionDef, ast.Lambda)):
            frame = frame.parent
        if frame is not None and isinstance(frame.node, ast.Lambda) and frame.parent is not None:
            if any(
                s.step.kind is Kind.TENSOR and getattr(s.value.data, "node", None) is frame.node
                for s in frame.parent.env.values()
            ):
                return  # its statement is one of those that read it
        what = symbol.value.kind.value
        raise Blocked(node, f"a function uses the {what} `{symbol.name}` of its module")

    def carries(self, symbol: Symbol) -> bool:
        """Whether a function of the region that makes a part of the graph goes where that goes."""
        frame: Frame | None = self.frame
        while frame is not None and not isinstance(frame.node, (ast.FunctionDef, ast.Lambda)):
            frame = frame.parent
        if frame is None or not isinstance(frame.node, ast.FunctionDef) or frame.parent is None:
            return False
        made = frame.parent.env.get(frame.node.name)
        if made is None or made.step.node is not frame.node or frame.parent.region is None:
            return False
        if made.step.region is not symbol.step.region:
            return False
        made.step.kind = Kind.TENSOR
        made.step.uses[symbol] = None
        return True

    def handed(self, function: Function) -> None:
        """A function that is given away: what it uses counts as used here."""
        node = function.node
        lent_parts.check(self, node, function.frame, set(free_names(node)))
        self._of_objects(function)
        if not isinstance(node, ast.FunctionDef):
            return  # a lambda's names were looked up where it stands
        made = function.frame.env.get(node.name)
        if made is None or made.step.node is not node or function.frame.region is None:
            return
        if self._variables_made(node):
            variants = idle_partials.of(self.tree).get(node.name, ())
            if self.stmt in variants or any(idle_partials.makes(s, self.frame) for s in variants):
                return
            if held_functions.only(self, node):
                return
            reason = f"`{node.name}` makes variables and is given to an op"
            given_makers.check(self, node, function.frame.node, reason)
            raise Blocked(node, reason)
        for name in free_names(node):
            symbol = function.frame.env.get(name)
            if symbol is None or symbol is made:
                continue
            if symbol.value.kind is Kind.FUNCTION and isinstance(symbol.value.data, Function):
                if symbol.value.data.node is not node and symbol not in made.step.uses:
                    made.step.uses[symbol] = None
                    self.handed(symbol.value.data)
            if symbol.value.kind in RUNTIME or symbol.step.moves:
                made.step.kind = Kind.TENSOR
            made.step.uses[symbol] = None
            if symbol.value.kind is Kind.HOST:
                made.step.hosts.add(name)
            else:
                self.sink.uses[symbol] = None

    def _of_objects(self, function: Function) -> None:
        """What a function that is given away reads of objects counts as used here, too."""
        node = function.node
        made = function.frame.env.get(getattr(node, "name", ""))
        read: dict[int, ast.Attribute] = {}
        for n in walk(node):
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
                read[id(n.value)] = n
        names = set(free_names(node))
        for n in walk(node):
            owner = function.frame.env.get(n.id) if isinstance(n, ast.Name) else None
            if owner is None or owner.value.kind is not Kind.OBJECT or owner.name not in names:
                continue
            instance, place = owner.value.data, read.get(id(n))
            symbol = instance.attrs.get(place.attr) if instance is not None and place else None
            if symbol is None or place is None:  # a method: what it reads isn't seen
                self.kept.setdefault(("opaque",), set()).add(id(node))
            elif symbol.value.kind is not Kind.HOST:
                if symbol.value.kind in RUNTIME or symbol.step.moves:
                    if made is None or made.step.node is not node:
                        continue
                    made.step.kind = Kind.TENSOR
                self.attributes[id(place)] = symbol
                self.sink.uses[symbol] = None
                if made is not None and made.step.node is node:
                    made.step.uses[symbol] = None

    def lookup(self, node: ast.Name) -> Value:
        """What a name means here; its use is noted."""
        frame: Frame | None = self.frame
        inside = True
        while frame is not None:
            symbol = frame.env.get(node.id)
            if symbol is not None:
                break
            frame = frame.parent
            inside = False
        else:
            known = hasattr(builtins, node.id) or node.id in PYTHON2  # which get new names
            if known or node.id in ("__file__", "__name__"):
                return Value(Kind.HOST, "builtin")
            return HOST  # bound further down, or not at all: the module says
        if symbol.alias and symbol.value.kind in handed.PARTS | {Kind.VARIABLE}:
            origin = symbol.value.symbol
            if origin is not None and symbol.value.kind is not Kind.FETCH:
                self.aliases[id(node)] = (node, origin)
                self.sink.uses[origin] = None
            return symbol.value
        if frame is not None and frame.region is not None:
            moved = symbol.value.kind in RUNTIME or symbol.step.moves
            fed = self.keying and symbol.value.kind is Kind.PLACEHOLDER
            if not inside and self.frame.region is None and moved and not fed:
                self.follow(symbol, node)
            self.sink.uses[symbol] = None
            own = symbol.step.node is self.sink.node and symbol not in self.partly
            if symbol.value.kind is Kind.HOST and not own:
                self.sink.hosts.add(node.id)
            if hasattr(symbol.value.data, "read"):
                symbol.value.data.read(self, node)
            if symbol.value.kind is Kind.FETCH:
                self.fetch_loads.setdefault(symbol, {})[id(node)] = node
        self.meant[id(node)] = symbol
        return symbol.value


def free_names(node: ast.FunctionDef | ast.Lambda) -> list[str]:
    """The names that a function takes from around it, in order of use."""
    bound = {a.arg for a in all_of(node, ast.arg)}
    bound |= {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in all_of(node, ast.FunctionDef) if n is not node}
    used = (n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Load))
    return [name for name in dict.fromkeys(used) if name not in bound]


def _lasting(each: Value) -> bool:
    """Whether what a container has is told by more than its kind."""
    return parts.item(each) is not None or each is nested_dicts.INNER
