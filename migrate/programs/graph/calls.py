"""Calls: of TensorFlow, of methods, of what isn't of the module."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph import imports, meaning, numpys, one_result, reasons
from migrate.programs.graph.classes import Classes
from migrate.programs.graph.data import own_queues, sparse, threads
from migrate.programs.graph.expressions import listed
from migrate.programs.graph.feeding import (
    branch_placeholders,
    fed_labels,
    feeds,
    helper_placeholders,
    listed_placeholders,
    looped_placeholders,
)
from migrate.programs.graph.fetching import choices, constant_lists, printable, static_outputs
from migrate.programs.graph.fetching.callables import Callable
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.layering import functions_in_dicts, held_functions, regularizers, shaped
from migrate.programs.graph.listing import layer_variables, looped_names, sorted_alike
from migrate.programs.graph.made import DISPLAYS, FAMILIES, MUTATORS, Schedule
from migrate.programs.graph.making import changed_shapes
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    INPUT,
    PARAMETER,
    RUNTIME,
    Blocked,
    Kind,
    Value,
    described,
    described_all,
)
from migrate.programs.graph.objects import bases, named_tuples, parts, unnamed_objects
from migrate.programs.graph.recurrence import recurrent, recurrent_runs
from migrate.programs.graph.recurrence.cell_classes import Chosen
from migrate.programs.graph.recurrence.cells import Cells, carried
from migrate.programs.graph.running import devices, given_runs, looped_sessions, named_graphs
from migrate.programs.graph.saving import loaded_graphs
from migrate.programs.graph.scoping import named_ops, scopes, shown_names, tf1_names
from migrate.programs.graph.sizing import static_arrays, static_dims, static_shapes
from migrate.programs.graph.summarizing import tagged_summaries
from migrate.programs.graph.wording import (
    chosen_functions,
    lambdas,
    mixed_branches,
    partials,
    replaced_functions,
    spelled,
    unbound,
)

# What only gathers ops that are there already.
GATHER = frozenset({T + "group", T + "get_collection", T + "no_op"})
CHECKS = ("Assert", "assert_")
# What only looks where a class stands.
LOOKS = frozenset({"inspect.getfile", "inspect.getsourcefile", "inspect.getmodule"})
CHECK = "check"  # of what only sees that something holds
PURE_BUILTINS = frozenset(
    [
        "len",
        "range",
        "xrange",  # of `six.moves`
        "int",
        "float",
        "str",
        "list",
        "tuple",
        "dict",
        "zip",
        "enumerate",
        "sum",
        "max",
        "min",
        "abs",
        "isinstance",
        "sorted",
        "reversed",
        "map",
        "filter",
        "hasattr",
        "getattr",
        "type",
        "bool",
        "round",
        "set",
        "repr",
        "any",
        "all",
        "slice",
        "divmod",
        "pow",
        "iter",
        "complex",
        "bytes",
        "frozenset",
        "ord",
        "chr",
        "callable",
        "id",
    ]
)
EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
PURE_METHODS = frozenset(
    [
        "format",
        "join",
        "split",
        "get",
        "items",
        "keys",
        "values",
        "index",
        "count",
        "lower",
        "upper",
        "as_list",
        "copy",
        "strip",
        "startswith",
        "endswith",
        "replace",
        "ndims",
        "is_fully_defined",
        "is_compatible_with",
        "num_elements",
        "astype",
        "reshape",
        "flatten",
        "mean",
        "sum",
        "min",
        "max",
        "tolist",
        "transpose",
        "item",
        "encode",
        "decode",
        # NumPy's arrays
        "argmax",
        "argmin",
        "argsort",
        "std",
        "var",
        "prod",
        "any",
        "all",
        "dot",
        "round",
        "clip",
        "squeeze",
        "ravel",
        "cumsum",
    ]
)


class Calls(Classes):
    """Calls: of TensorFlow, of methods, of what isn't of the module."""

    def _on_call(self, node: ast.Call) -> Value:
        # An op that is made where it is run, `step.assign(1).eval()`, is no part of a graph.
        fetching = self.fetching
        ran = isinstance(node.func, ast.Attribute) and node.func.attr in ("eval", "run")
        self.fetching = fetching or (ran and isinstance(node.func.value, ast.Call))  # type: ignore[attr-defined]
        func = self.expression(node.func)
        self.fetching = fetching
        if func.kind is Kind.HOST and isinstance(node.func, ast.Attribute):
            func = held_functions.called(self, node) or func
        if isinstance(func.data, Cells):
            return recurrent_runs.called(self, func, node)
        value = self.called(func, node)
        unnamed_objects.check(self, node, value)
        if isinstance(value.data, Cells):
            self.kept.setdefault("cell makers", set()).add(id(node))
        return value

    def holds(self, place: ast.expr, at: ast.AST) -> None:
        """The name of a recurrent cell must still mean it."""
        recurrent_runs.holds(self, place, at)

    def called(self, func: Value, node: ast.Call) -> Value:
        """What a call of something gives."""
        if func.kind is Kind.ENDPOINT:
            return shown_names.noted(self, node, self.endpoint(func.data, node))
        if func.kind is Kind.METHOD:
            owner, attribute = func.data
            return self.method(owner, attribute, node)
        if func.kind is Kind.FUNCTION:
            chosen_functions.of_attribute(self, node)
            return self.user(func.data, node)
        if func.kind is Kind.CLASS:
            return self.instantiate(func.data, node)
        if isinstance(func.data, (parts.Held, parts.Itself)):
            return parts.method(self, func, "__call__", node)
        if func.kind in (Kind.VARIABLE, Kind.TENSOR, Kind.CONST):
            raise Blocked(node, "a value of the graph is called")
        if func.kind is Kind.OBJECT and func.data is not None and func.each is None:
            member = bases.find(self, func.data.node, "__call__")
            if member is not None:
                return bases.called(self, func.data, member, node)
        if func.kind is Kind.OBJECT:
            raise Blocked(node, "an object is called")
        if isinstance(func.data, (Callable, Chosen)):
            return func.data.call(self, node)
        if regularizers.is_one(func):
            return regularizers.applied(self, func.data[1], node)
        if func.kind is not Kind.HOST:
            chosen_functions.check(self, node)
            replaced_functions.check(self, node)
            raise Blocked(node, f"{described(func)} is called")
        return self.foreign(func, node)

    def foreign(self, func: Value, node: ast.Call) -> Value:
        """A call of something that isn't of the module and not TensorFlow's."""
        functions_in_dicts.check(self, node)
        lambdas.mapped(self, node)
        if (module := imports.called(self, node)) is not None:
            return module
        if (fed := listed_placeholders.fed(self, node)) is not None:
            return fed
        shown = printable.texts(self, node) if builtin_print(func, node) else None
        values = self.arguments(node, away=True) if shown is None else shown
        if threads.started(self, node):
            return HOST
        given_runs.followed(self, node, values)
        partials.met(self, node, values)
        region = self.frame.region
        if func.data == PARAMETER and isinstance(node.func, ast.Name) and region is not None:
            region.called.add(node.func.id)
            regularizers.noted(self, region, node, values)
            return Value(Kind.TENSOR) if _runless(values) is False else HOST
        if func.data == "builtin" and ast.unparse(node.func) == "super":
            return parts.above(self, node)
        kinds = {v.kind for v in values}
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        builtin = func.data == "builtin" and name in PURE_BUILTINS
        if builtin and name == "sorted" and Kind.VARIABLE in kinds:
            sorted_alike.otherwise(self, node)
        pure = builtin or (attribute in PURE_METHODS) or is_numpy(self, node.func)
        pure = pure or "loadmat" in (name, attribute)  # SciPy's: weights of a trained net
        pure = pure or bases.dotted(self, node.func) == "functools.partial"
        pure = pure or (func.data == "builtin" and name.endswith(("Error", "Exception")))
        pure = pure or held_functions.makes(self, node)
        if attribute in MUTATORS and (
            kinds - {Kind.HOST, Kind.CONST} or carried(values) is not HOST
        ):
            assert isinstance(node.func, ast.Attribute)
            fed = feeds.update(self, self.expression(node.func.value), node)
            if fed is not None:
                return fed
            if len(values) == 1 and hasattr(values[0].data, "written_from"):
                if values[0].data.written_from(self, node.func.value):
                    return Value(Kind.NONE)  # a `tf.Summary`
            if kinds == {Kind.OBJECT}:
                item = values[0]
            elif Kind.VARIABLE in kinds:
                item = (parts.item(values[0]) if len(values) == 1 else None) or Value(Kind.VARIABLE)
            else:
                item = self.join(values, node)
            self.mutate(node.func.value, item, node)
            return Value(Kind.NONE)
        given = any(v.data == INPUT for v in values)  # what variables are applied to
        looked = builtin_print(func, node) and (Kind.TENSOR in kinds or given)
        if looked and kinds <= {
            Kind.HOST,
            Kind.CONST,
            Kind.TENSOR,
            Kind.PLACEHOLDER,
            Kind.VARIABLE,
        }:
            if self.frame.region is None:
                return HOST
            if not self.nested:
                self.sink.kind, self.sink.rides = Kind.TENSOR, True
                return HOST
            if printable.beside(self, node):
                return HOST
        if kinds & {Kind.OTHER, Kind.PLACEHOLDER} and builtin_print(func, node):
            if printable.data(self, values, node):
                return HOST
        if (found := named_tuples.made(self, node, values)) is not None:
            return found
        if kinds & {Kind.TENSOR, Kind.PLACEHOLDER} and unbound.raises(self, node.func):
            return self.join(values, node)
        if not pure and not (kinds <= {Kind.HOST, Kind.NONE} and raised(self, func, node)):
            self.sink.impure = self.sink.impure or (node, f"`{ast.unparse(node.func)}` is called")
        if builtin_print(func, node) and kinds <= {Kind.HOST, Kind.NONE}:
            self.kept.setdefault(mixed_branches.PRINTS, set()).add(id(node))
        if builtin_print(func, node) and printable.stay(self, values, node.args):
            return HOST
        if builtin_print(func, node) and region is None and kinds <= printable.THERE:
            return HOST  # in a function, which `printable.helper` sees to
        if builtin and name == "dict" and kinds - {Kind.HOST, Kind.NONE}:
            spelled.display(node)
        if kinds <= {Kind.HOST, Kind.NONE}:
            if builtin and name == "dict" and not values:
                return Value(Kind.HOST, feeds.EMPTY)
            return carried(values) if builtin else HOST
        if builtin and name in ("enumerate", "zip", "reversed", "list") and Kind.OBJECT in kinds:
            return self.iterated(name, values, node)
        if builtin and name == "type" and kinds & {Kind.TENSOR} and printable.shown(self, node):
            return Value(Kind.TENSOR)  # where the tensor is
        if builtin and name in ("isinstance", "len", "hasattr", "type", "callable", "id"):
            return HOST
        if builtin and kinds <= {Kind.HOST, Kind.VARIABLE} and name in ("list", "sorted", "tuple"):
            return parts.listed(values)
        if builtin and name == "reversed" and len(values) == 1 and parts.item(values[0]):
            return parts.listed(values)
        if builtin:
            return self.paired(str(name), values, node)
        if is_numpy(self, node.func) and static_dims.product(self, node):
            return Value(Kind.TENSOR)
        if ast.unparse(node.func) == "copy.copy" and all(map(listed, values)):
            return Value(Kind.TENSOR, "container")
        if kinds <= {Kind.HOST, Kind.CLASS} and ast.unparse(node.func) in LOOKS:
            return HOST
        for value, at in zip(values, [*node.args, *(k.value for k in node.keywords)], strict=True):
            if value.kind is Kind.VARIABLE and unbound.is_size(node, at):
                continue
            if value.kind not in (Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.CONST):
                static_shapes.numpys(node, value)
                what = f"{described(value)} is given to `{ast.unparse(node.func)}`"
                looped_names.check(self, at, what)
                static_shapes.handed(self, at, what)
                told = static_dims.number(self, node) or static_arrays.computed(self, node, values)
                if is_numpy(self, node.func) and told:
                    return Value(Kind.TENSOR)
                raise Blocked(at, what)
        return HOST if not pure or Kind.CONST not in kinds else Value(Kind.CONST)

    def iterated(self, name: str, values: list[Value], node: ast.Call) -> Value:
        """What `enumerate` or `zip` over objects gives."""
        each = [self.element(v, node) for v in values]
        if name == "enumerate":
            each = [HOST, each[0]]
        if name in ("reversed", "list"):
            return Value(Kind.OBJECT, values[0].data, each=each[0])
        return Value(Kind.OTHER, "pairs", each=Value(Kind.OTHER, "pair", list(enumerate(each))))

    def paired(self, name: str, values: list[Value], node: ast.Call) -> Value:
        """What Python gives for parts of a graph; of a `zip`, what each of its items is."""
        joined = self.join(values, node)
        if joined.kind not in (Kind.TENSOR, Kind.VARIABLE) or node.keywords:
            return joined
        kinds = (Kind.HOST, Kind.VARIABLE, Kind.TENSOR)
        plain = all(v.kind in kinds for v in values)
        if name == "zip" and plain and not any(isinstance(a, ast.Starred) for a in node.args):
            each = [(i, self.element(v, node)) for i, v in enumerate(values)]
            return replace(joined, symbol=None, each=Value(Kind.OTHER, "pair", each))
        if name in ("list", "tuple") and len(values) == 1 and values[0].each is not None:
            return replace(joined, symbol=None, each=values[0].each)
        return joined

    def endpoint(self, name: str, node: ast.Call) -> Value:
        """A call of TensorFlow."""
        tf1_names.op(self, name, node)
        if name in static_outputs.CALLS:
            static_outputs.check(self, name, node)
        if name in FAMILIES:
            return FAMILIES[name](self, name, node)
        if name in meaning.PLACEHOLDERS:
            for value in self.arguments(node):
                if value.kind not in (Kind.HOST, Kind.ENDPOINT, Kind.CONST):
                    raise Blocked(node, "a placeholder is made from the graph")
            if self.nested or (self.frame.region is None and not self.specs):
                placed = branch_placeholders.check(self, node)
                if placed is not None:
                    return placed
                listed_placeholders.check(self, node)
                tagged_summaries.check(self, node)
                looped_placeholders.check(self, node, branch_placeholders.REASON)
                named_ops.kept(self, self.frame.node)
                helper_placeholders.check(self, self.frame.node, branch_placeholders.REASON)
                error = Blocked(node, branch_placeholders.REASON)
                helper_placeholders.built(self, self.frame.node, error)
                raise error
            if self.frame.region is not None and self.frame.region.inputs is not None:
                # What applies the function's variables would find a specification.
                helper_placeholders.check(self, self.frame.node, branch_placeholders.REASON, 1)
                raise Blocked(node, branch_placeholders.REASON)
            if name.endswith("_with_default"):
                self.default(node)
            return Value(Kind.PLACEHOLDER, name, node=node)
        if name in meaning.VARIABLES:
            return self.variable(name, node)
        if name in meaning.SESSIONS:
            self.arguments(node)
            session = named_graphs.session(self, node, name)
            with named_graphs.within(self, session):
                self.sessions += 1
                own_queues.opened(self, node)
                if self.loops:
                    looped_sessions.opened(self, node)
                elif self.sessions > 1:
                    self.again()
                    if self.stateful:
                        self.fresh = node
                self.latest = node
            return session
        if name in meaning.INITIALIZERS:
            values = self.arguments(node)
            if values and hasattr(values[0].data, "resets"):
                return Value(Kind.INIT, values[0].data, node=node)
            return Value(Kind.INIT, name, node=node)
        if name in meaning.SCOPES:
            self.arguments(node)
            if name.endswith(("variable_scope", "variable_op_scope")):
                scopes.checked(self, node)
            return Value(Kind.SETTING, name, node=node)
        if name == T + "layers.dropout":
            return self.dropout(name, node)
        if name in meaning.LAYERS:
            return self.layer(name, node)
        if name in meaning.SCHEDULES:
            return self.schedule(name, node)
        if name in meaning.GLOBAL_STEPS:
            return self.global_step(name, node)
        if name in meaning.SETTINGS:
            self.arguments(node)
            return Value(Kind.SETTING, name, node=node)
        if name == T + "Graph":
            return named_graphs.made(self, node)
        if name == T + "get_default_session":
            return Value(Kind.SESSION, name, node=node)
        if name == T + "app.run":
            return self.app(node)
        if name in meaning.OPTIMIZERS:
            return self.optimizer(name, node)
        if name == T + "gradients":
            return self.differentiate(node)
        if name in meaning.ASSIGNS:
            self.arguments(node)
            changed_shapes.check(self, name, node)
            return self.op(node, "assign")
        if name in (T + "group", T + "no_op"):
            values = self.arguments(node)
            if values and all(v.kind is Kind.INIT for v in values):
                return Value(Kind.INIT, name, node=node)
            for value in values:
                if value.kind not in (Kind.OP, Kind.TENSOR, Kind.HOST, Kind.FETCH):
                    raise Blocked(node, f"a group of {described_all(value.kind)}")
            spelled.grouped(self, node)
            return self.op(node, "group")
        if name == T + "control_dependencies":
            values = self.arguments(node)
            if values[0].kind not in (Kind.OP, Kind.TENSOR, Kind.FETCH):
                raise Blocked(node, "what these dependencies are isn't seen")
            listed = node.args[0] if node.args else node.keywords[0].value
            made = [
                n for n in all_of(listed, ast.Call) if self.endpoints.get(id(n.func)) not in GATHER
            ]
            own = self.nested or self.frame.region is None  # it stays where it stands
            if own and values[0].items and all(v.data == CHECK for _, v in values[0].items):
                return HOST
            if made:
                spelled.named_dependencies(self, listed, made)
            names = listed.elts if isinstance(listed, DISPLAYS) else [listed]
            if not all(map(_named, names)) and values[0].kind is not Kind.OP:
                raise Blocked(node, "a dependency that has no name")
            if made:
                raise Blocked(made[0], "an op that is made where it is waited for")
            return Value(Kind.OTHER, "controls")
        if name in meaning.VALUE_INITIALIZERS:
            self.arguments(node)
            self.descriptions[id(node)] = (name, node)
            return Value(Kind.HOST, (name, node))
        if name == T + "train.import_meta_graph":
            loaded_graphs.check(self, node)
            raise Blocked(node, loaded_graphs.REASON)
        if name.startswith(("tensorflow.examples.", "tensorflow.contrib.learn.")):
            raise Blocked(node, f"tf{name.removeprefix('tensorflow')} isn't followed yet")
        if meaning.is_host(name):
            self.arguments(node)
            if name.endswith("set_random_seed") and node.args:
                constant = isinstance(node.args[0], ast.Constant)
                self.seed = ast.unparse(node.args[0]) if constant else None
            return HOST
        if not meaning.is_op(name) and name not in meaning.STATEFUL | meaning.OBJECTS:
            raise Blocked(node, reasons.unfollowed(name))
        if name.startswith(T + "losses."):
            raise Blocked(node, f"tf{name.removeprefix('tensorflow')} isn't followed yet")
        values = self.arguments(node)
        odd = (Kind.SESSION, Kind.GRAPH, Kind.OPTIMIZER, Kind.FEED, Kind.OTHER)
        for value in values:
            if value.kind in odd and not isinstance(value.data, Schedule):
                reason = f"{described(value)} is given to an op"
                if wish := getattr(value.data, "wish", ""):
                    spelled.before(self, node, value.node, wish, reason)
                raise Blocked(node, reason)
        fed_labels.noted(self, name, node, values)
        sparse.handed(self, name, node, values)
        if name in meaning.STATEFUL and not name.rpartition(".")[2].startswith(CHECKS):
            self.sink.random = True
            return Value(Kind.TENSOR, "random" if _runless(values) else None)
        if name.rpartition(".")[2].startswith(CHECKS):
            self.sink.random = True
            return Value(Kind.TENSOR, CHECK)
        joined = self.join(values, node)
        kind = Kind.CONST if joined.kind is Kind.HOST else joined.kind
        if any(v.kind is Kind.FUNCTION for v in values):
            # A loop's body may use what comes of a run, though its first values don't.
            uses = self.sink.uses
            if any(s.value.kind in (*RUNTIME, Kind.VARIABLE) or s.step.moves for s in uses):
                kind = Kind.TENSOR
        if name in meaning.OBJECTS:
            kind = Kind.TENSOR  # it belongs to the run that writes into it
        one = name not in meaning.SEVERAL or one_result.given(self, name, node)
        several = None if one else "container"
        return Value(kind, several or sparse.given(name, values))

    def method(self, owner: Value, attribute: str, node: ast.Call) -> Value:
        kind = owner.kind
        if kind is Kind.SETTING and attribute == "reuse_variables":
            return scopes.reuse_variables(self, owner, node)
        if kind is Kind.FEED:
            fed = feeds.update(self, owner, node)
            if fed is not None:
                return fed
        if isinstance(owner.data, (parts.Held, parts.Itself)):
            return parts.method(self, owner, attribute, node)
        if isinstance(owner.data, Cells):
            return recurrent.method(self, owner, attribute, node)
        if isinstance(owner.data, Structure) or (
            kind is Kind.OTHER and hasattr(owner.data, "method")
        ):
            found: Value = owner.data.method(self, owner, attribute, node)
            return found
        if kind is Kind.OBJECT and owner.each is not None and attribute in MUTATORS:
            assert isinstance(node.func, ast.Attribute)
            for value in self.arguments(node):
                self.mutate(node.func.value, value, node)
            return Value(Kind.NONE)
        if kind is Kind.OBJECT:
            member = bases.find(self, owner.data.node, attribute)
            if member is not None:
                return bases.called(self, owner.data, member, node)
        if kind is Kind.CLASS:
            inherited = bases.by_class(self, owner, attribute, node)
            if inherited is not None:
                return inherited
        if kind is Kind.SESSION:
            return self.session(owner, attribute, node)
        if kind is Kind.GRAPH and attribute in ("as_default", "device", "finalize"):
            if attribute == "as_default":
                return named_graphs.entered(owner, node)
            if attribute == "device":
                return devices.of_graph(self, node)
            return Value(Kind.SETTING, node=node)
        if kind is Kind.GRAPH and attribute in ("as_graph_def", "get_operations"):
            if isinstance(self.stmt, ast.Expr) and self.stmt.value is node:
                return Value(Kind.SETTING, node=node)  # nothing is done with it
        if kind is Kind.GRAPH and attribute in ("get_tensor_by_name", "get_operation_by_name"):
            named_ops.looked_up(self, node)
        if kind is Kind.OPTIMIZER:
            return self.optimize(owner, attribute, node)
        valued = kind in (Kind.TENSOR, Kind.CONST, Kind.VARIABLE) or owner.data == "assign"
        valued = valued or isinstance(owner.data, Schedule) or hasattr(owner.data, "element")
        if attribute == "eval" and valued:
            return self.run_site(node, node.func.value, 0)  # type: ignore[attr-defined]
        if attribute == "run" and kind in (Kind.OP, Kind.INIT):
            return self.run_site(node, node.func.value, 0)  # type: ignore[attr-defined]
        if attribute == "get_shape":
            layer_variables.late(owner, node)
        if attribute == "get_shape" and not node.args:
            shape = shaped.read(self, owner, node.func.value)  # type: ignore[attr-defined]
            if shape is not None:
                return shape
        spec = kind is Kind.PLACEHOLDER and not hasattr(owner.data, "element")
        spec = spec and owner.data != INPUT
        if spec and attribute == "get_shape" and not node.args:
            self.static_shapes[id(node)] = node
            return HOST
        if kind is Kind.VARIABLE and attribute == "load":
            return self.load_value(owner, node)
        if kind is Kind.VARIABLE:
            if attribute in ("assign", "assign_add", "assign_sub", "scatter_update"):
                self.arguments(node)
                return self.op(node, "assign")
            if attribute in ("initialized_value", "read_value", "value"):
                if attribute != "initialized_value" and not node.args:
                    layer_variables.read(self, owner, node)
                return Value(Kind.TENSOR)
            if attribute in ("get_shape",):
                layer_variables.shape(self, owner, node)
                return HOST
            if attribute in ("items", "values", "keys", "append", "extend"):
                if attribute in ("append", "extend"):
                    value = self.join_variables(self.arguments(node), node)
                    assert isinstance(node.func, ast.Attribute)
                    self.mutate(node.func.value, value, node)
                    return Value(Kind.NONE)
                if attribute == "keys":
                    return HOST
                return Value(Kind.VARIABLE, "container", owner.items)
            if attribute == "reverse" and not node.args and owner.data == "container":
                assert isinstance(node.func, ast.Attribute)
                if isinstance(node.func.value, ast.Name) and not self.nested:
                    self.define(node.func.value.id, Value(Kind.VARIABLE, "container"))
                    return Value(Kind.NONE)
        if kind is Kind.TENSOR and attribute in ("assign", "assign_add", "assign_sub"):
            self.arguments(node)  # one of the variables of layers
            return self.op(node, "assign")
        if kind is Kind.TENSOR and attribute in ("value", "read_value") and not node.args:
            assert isinstance(node.func, ast.Attribute)
            owned = node.func.value
            self.rewrites[id(node)] = lambda writer: str(writer.source(owned))
            return Value(Kind.TENSOR)
        if attribute == "reverse" and kind is Kind.TENSOR and listed(owner) and not node.args:
            assert isinstance(node.func, ast.Attribute)
            self.mutate(node.func.value, Value(Kind.TENSOR, "container"), node)
            return Value(Kind.NONE)
        if attribute == "copy" and kind is Kind.TENSOR and not node.args and not node.keywords:
            return self.paired("list", [owner], node)  # tensors have no such method
        if kind in (Kind.TENSOR, Kind.CONST, Kind.PLACEHOLDER):
            if attribute == "append" and kind is Kind.CONST and constant_lists.grows(self, node):
                return Value(Kind.NONE)
            if attribute in MUTATORS and kind is Kind.TENSOR:
                assert isinstance(node.func, ast.Attribute)
                values = self.arguments(node)
                if attribute == "append" and any(v.kind is Kind.OP for v in values):
                    choices.named(self, node.func.value)
                value = self.join(values, node)
                self.mutate(node.func.value, value, node)
                return Value(Kind.NONE)
            if attribute in ("get_shape", "as_list", "items", "values", "set_shape", "keys"):
                self.arguments(node)
                looks = isinstance(self.stmt, ast.Expr) and self.stmt.value is node
                if attribute == "set_shape" and looks and kind is Kind.TENSOR and not self.nested:
                    if self.frame.region is not None:
                        self.sink.kind, self.sink.rides = Kind.TENSOR, True
                        return HOST
                return Value(Kind.TENSOR if kind is not Kind.CONST else Kind.HOST)
            if attribute in meaning.ARRAY_METHODS and kind is not Kind.PLACEHOLDER:
                self.arguments(node)
                return Value(Kind.TENSOR)
            if attribute in ("num_elements", "with_rank", "ndims"):
                return Value(Kind.TENSOR)
        if kind is Kind.FETCH and attribute == "append":
            choices.named(self, node.func.value)  # type: ignore[attr-defined]
        raise Blocked(node, f"`.{attribute}()` of a {kind.value} isn't followed")

    def load_value(self, owner: Value, node: ast.Call) -> Value:
        """``w.load(value, sess)``: a variable is set from Python."""
        assert isinstance(node.func, ast.Attribute)
        given = {**dict(zip(("value", "session"), node.args, strict=False))}
        given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
        value, session, variable = given.get("value"), given.get("session"), node.func.value
        if owner.items is not None or owner.data == "container" or value is None:
            raise Blocked(node, "`.load()` of a container of variables")
        if self.frame.region is None or set(given) - {"value", "session"}:
            raise Blocked(node, "a variable is loaded in a function that builds")
        if session is not None and self.expression(session).kind not in (Kind.SESSION, Kind.NONE):
            raise Blocked(session, "another session")
        self.host(value)
        self.again()
        self.kept["loaded"] = True
        self.rewrites[id(node)] = lambda writer: (
            f"{writer.module.here(variable, writer)}.assign({writer.module.here(value, writer)})"
        )
        return Value(Kind.NONE)

    def join_variables(self, values: list[Value], node: ast.AST) -> Value:
        if all(v.kind is Kind.VARIABLE for v in values):
            return parts.listed(values)
        return self.join(values, node)


def builtin_print(func: Value, node: ast.Call) -> bool:
    """Whether a call prints."""
    return func.data == "builtin" and isinstance(node.func, ast.Name) and node.func.id == "print"


def raised(walker: Any, func: Value, node: ast.Call) -> bool:
    """Whether a call makes one of Python's errors, which stops the program then and there."""
    if func.data != "builtin" or getattr(node.func, "id", "") not in EXCEPTIONS:
        return False
    return any(s.exc is node for s in all_of(walker.sink.node, ast.Raise))


def is_numpy(walker: Any, func: ast.expr) -> bool:
    """Whether a function is NumPy's and gives the same at every call."""
    if ast.unparse(func).startswith("os."):
        return True
    name = numpys.function(walker, func)
    return bool(name) and not name.startswith("random")


def _runless(values: Iterable[Value]) -> bool:
    return all(v.kind in (Kind.HOST, Kind.CONST, Kind.ENDPOINT, Kind.FUNCTION) for v in values)


def _named(node: ast.expr) -> bool:
    """Whether an item of dependencies is a name or an object's attribute: uses of it are noted."""
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
