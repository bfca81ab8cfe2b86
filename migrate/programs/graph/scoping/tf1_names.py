"""The names that TF 1 gives variables, as far as they can be told: a checkpoint has them.

A graph takes each op's name once, whatever the case of its letters, and counts those that are asked
for again; a variable scope counts the scopes that were opened in it under a default name. What a
loop or a branch makes is counted by nobody here: names that it may have taken are unknown.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.objects import properties
from migrate.programs.graph.scoping import handed_scopes
from migrate.programs.graph.scoping.op_names import op_name

CONTRIB = T + "contrib.layers."
# The scopes that layers open where they are given none.
LAYERS = {
    **{
        T + "layers." + name: name
        for name in (
            *("dense", "conv1d", "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose"),
            *("separable_conv1d", "separable_conv2d", "batch_normalization"),
        )
    },
    **dict.fromkeys(
        (CONTRIB + n for n in ("fully_connected", "relu", "linear")), "fully_connected"
    ),
    **dict.fromkeys((CONTRIB + n for n in ("conv1d", "conv2d", "conv3d", "convolution")), "Conv"),
    **{CONTRIB + f"conv{d}d_transpose": f"Conv{d}d_transpose" for d in (2, 3)},
    CONTRIB + "separable_conv2d": "SeparableConv2d",
    CONTRIB + "batch_norm": "BatchNorm",
    CONTRIB + "embed_sequence": "EmbedSequence",
    CONTRIB + "layer_norm": "LayerNorm",
    CONTRIB + "instance_norm": "InstanceNorm",
    CONTRIB + "group_norm": "GroupNorm",
}


# What gives a tensor of the name that it is told, and not of an op in a scope of that name.
SINGLE = frozenset(
    (
        *("nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.leaky_relu", "nn.softplus"),
        *("nn.softsign", "nn.sigmoid", "nn.tanh", "nn.softmax", "nn.log_softmax", "nn.l2_loss"),
        *("nn.conv2d", "nn.conv2d_transpose", "nn.depthwise_conv2d", "nn.separable_conv2d"),
        *("nn.max_pool", "nn.avg_pool", "nn.bias_add", "nn.xw_plus_b", "nn.relu_layer"),
        *("nn.lrn", "nn.local_response_normalization", "nn.l2_normalize"),
        *("nn.sigmoid_cross_entropy_with_logits", "sigmoid", "tanh", "identity", "square"),
        *("sqrt", "exp", "log", "abs", "negative", "reduce_mean", "reduce_sum", "reduce_max"),
        *("reduce_min", "transpose", "add", "multiply", "subtract", "divide", "maximum"),
        *("minimum", "pow", "matmul", "squared_difference", "reshape", "squeeze"),
        *("expand_dims", "concat", "stack", "pad", "slice", "tile", "gather", "one_hot"),
        *("add_n", "tensordot", "clip_by_value", "argmax", "stop_gradient"),
        *("placeholder", "constant"),
    )
)
# The name that moment_averages.py gives: of its op, which is in a scope.
AVERAGE = re.compile(r"moments/(?=Squeeze(?:_1)?/ExponentialMovingAverage$)")


@dataclass(slots=True, eq=False, repr=False)
class Naming:
    """The names of one graph."""

    taken: dict[str, int] = field(default_factory=dict)  # ops', in small letters
    counts: dict[str, int] = field(default_factory=dict)  # how often variable scopes were opened
    unsure: int = 0  # inside of loops and branches
    unknown: set[str] = field(default_factory=set)  # names that may be taken
    heads: set[str] = field(default_factory=set)  # what names begin with of which no more is known
    blind: set[str] = field(default_factory=set)  # scopes with layers whose names aren't known
    # The calls that are being followed, each with the arguments that it gives.
    callers: list[tuple[ast.Call, dict[str, ast.expr]]] = field(default_factory=list)
    known: dict[tuple[int, ...], str | None] = field(default_factory=dict)
    # The scopes that are open, ops' and variables', each with what it was opened under.
    scopes: list[tuple[str | None, str | None]] = field(default_factory=list)

    @property
    def ops(self) -> str | None:
        """The open scope of ops."""
        return self.scopes[-1][0] if self.scopes else ""

    @property
    def variables(self) -> str | None:
        """The open scope of variables."""
        return self.scopes[-1][1] if self.scopes else ""

    def once(self, node: ast.AST, asked: str | None, scope: str | None) -> str | None:
        """The unique name that a call gets for an op; the same when it is looked at again."""
        key = self.key(node)
        if key not in self.known:
            self.known[key] = self.unique(asked, scope)
        return self.known[key]

    def key(self, node: ast.AST) -> tuple[int, ...]:
        """What a call's name is known under: the calls that are being followed, and itself."""
        return (*(id(call) for call, _ in self.callers), id(node))

    def unique(self, asked: str | None, scope: str | None, head: str = "") -> str | None:
        """A name as TF 1's `Graph.unique_name` gives it; None where it can't be told.

        ``head`` is what the name begins with where it isn't known (then ``asked`` is None).
        """
        if scope is None:
            return None
        if asked is None:
            self.heads.add(f"{scope}/{head}".lower() if scope else head.lower())
            return None
        full = f"{scope}/{asked}" if scope else asked
        key = full.lower()
        parts = key.split("/")
        above = {"/".join(parts[: i + 1]) for i in range(len(parts))}
        if self.unsure:
            self.unknown.add(key)
            return None
        if above & self.unknown or self._hidden(key):
            return None
        count = self.taken.get(key, 0)
        self.taken[key] = count + 1
        if not count:
            return full
        base = key
        while key in self.taken:
            key = f"{base}_{count}"
            count += 1
        if key in self.unknown or self._hidden(
            key
        ):  # it may be taken: then it is another one, and so is the next
            self.unknown.add(base)
            return None
        self.taken[key] = 1
        return f"{full}_{count - 1}"

    def _hidden(self, key: str) -> bool:
        """Whether a name may be one of those that aren't known."""
        return any(key.startswith(head) for head in self.heads)

    def lose(self) -> None:
        """Something takes names that isn't looked at."""
        self.heads.add("")
        self.blind.add("*")

    def anew(self) -> Naming:
        """The names of another graph, in the same calls."""
        return Naming(callers=self.callers, scopes=[("", "") for _ in self.scopes])

    def opened(self, name: str | None, *, variables: bool, head: str = "") -> None:
        """A scope is opened; ``head``: what its name begins with where it isn't known."""
        ops, outer = self.ops, self.variables
        inner = outer
        if variables:
            inner = None if name is None or outer is None else "/".join(filter(None, (outer, name)))
            if inner is not None:
                self.counts[inner] = self.counts.get(inner, 0) + 1
        self.scopes.append((self.unique(name, ops, head), inner))

    def opened_again(self) -> None:
        """The open variable scope is opened again: its ops have another scope, nothing else."""
        last = self.variables and self.variables.rpartition("/")[2]
        self.scopes.append((self.unique(last, self.ops) if last else self.ops, self.variables))

    def closed(self, count: int = 1) -> None:
        """The last scopes are closed; a variable scope's own ones count anew."""
        for _ in range(count):
            _, inner = self.scopes.pop()
            if inner and inner != self.variables:
                for name in [n for n in self.counts if n.startswith(inner + "/")]:
                    del self.counts[name]

    def place(self, node: ast.AST) -> int:
        """How many names were given before a call that makes variables."""
        self.known.setdefault((*self.key(node), 1), None)
        return len(self.known)

    def layer(self, node: ast.AST, own: str | None, default: str | None) -> str | None:
        """The scope of a layer's variables: its own, or its default one with a number."""
        key = (*self.key(node), 0)  # it is no op of its own
        if key not in self.known:
            self.known[key] = self._layer(own, default)
        return self.known[key]

    def _layer(self, own: str | None, default: str | None) -> str | None:
        outer, name = self.variables, own or default
        if outer is None or name is None:
            return None
        full = f"{outer}/{name}" if outer else name
        if own is None and (
            self.unsure or full.lower() in self.unknown or self.blind & {outer, "*"}
        ):
            self.unknown.add(full.lower())
            return None
        found, number = full, 0
        while own is None and self.counts.get(found):
            number += 1
            found = f"{full}_{number}"
        self.counts[found] = self.counts.get(found, 0) + 1
        self.unique(found[len(outer) + 1 :] if outer else found, self.ops)
        return found


def word(walker: Any, node: ast.expr | None) -> tuple[bool, Any]:
    """Whether what an expression says is known, and what it is: words that calls are given.

    What begins with a known word and isn't known is ``(False, word)``.
    """
    if node is None or isinstance(node, ast.Constant):
        return True, getattr(node, "value", None)
    if isinstance(node, ast.Name):
        callers = walker.naming.callers
        if callers and node.id in callers[-1][1]:
            last = callers.pop()
            try:
                return word(walker, last[1][node.id])
            finally:
                callers.append(last)
        symbol = walker.symbol_of(node)
        if symbol is not None and (full := _of_name_scope(walker, symbol)):
            return True, f"{full}/"
        made = symbol.step.node if symbol is not None else None
        if isinstance(made, ast.Assign) and isinstance(made.value, ast.Constant):
            if [ast.unparse(t) for t in made.targets] == [node.id]:
                return True, made.value.value
        return False, ""
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return _of_scope(walker, node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        (known, left), (other, right) = word(walker, node.left), word(walker, node.right)
        if isinstance(node.op, ast.Add):
            both = isinstance(left, str) and isinstance(right, str)
            if known and other and both:
                return True, left + right
            return False, (left + (right if known else "")) if both else ""
        if known and isinstance(left, str):
            if other and isinstance(right, (str, int)):
                return True, left % right
            return False, left.partition("%")[0]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        for each in node.values:
            known, value = word(walker, each)
            if not known or value:
                break
        return known, value
    if isinstance(node, ast.JoinedStr):
        parts = ""
        for value in node.values:
            inside = value.value if isinstance(value, ast.FormattedValue) else value
            known, part = word(walker, inside)
            if not known:
                return False, parts + str(part)
            parts += str(part)
        return True, parts
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        known, text = word(walker, node.func.value)
        if known and node.func.attr == "format" and isinstance(text, str):
            return False, text.partition("{")[0]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and len(node.args) == 1:
        known, value = word(walker, node.args[0])
        return (True, str(value)) if known else (False, "")
    return False, ""


def _of_scope(walker: Any, node: ast.expr) -> tuple[bool, Any]:
    """``scope.name`` of the innermost variable scope."""
    symbol = walker.symbol_of(node) if isinstance(node, ast.Name) else None
    last = next((s for s in reversed(walker.scopes) if not s.ops_only), None)
    full = walker.naming.variables
    if symbol is None or last is None or symbol.value.node is not last.opened or not full:
        return False, ""
    return True, full


def _of_name_scope(walker: Any, symbol: Any) -> str:
    """``with tf.name_scope("conv1") as scope:`` the innermost one's whole name; empty otherwise."""
    last = walker.scopes[-1] if walker.scopes else None
    if last is None or not last.ops_only or symbol.value.node is not last.opened:
        return ""
    return walker.naming.ops or ""


def entered(walker: Any, call: ast.Call, definition: ast.AST, *, method: bool = False) -> None:
    """A function is followed at a call."""
    args = getattr(definition, "args", None)
    names = [a.arg for a in (*args.posonlyargs, *args.args)] if args is not None else []
    defaults = args.defaults if args is not None else []
    given: dict[str, ast.expr] = dict(zip(reversed(names), reversed(defaults), strict=False))
    places = names[1:] if method else names
    given.update(zip(places, call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        given = {}
    for node in walk(definition):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            given.pop(node.id, None)  # bound anew
    walker.naming.callers.append((call, given))


def left(walker: Any) -> None:
    """A call's end."""
    walker.naming.callers.pop()


def scope(walker: Any, node: ast.Call, *, variables: bool) -> None:
    """A scope is opened by a call."""
    given = walker.bound(walker.endpoints[id(node.func)], node)
    own = given.get("name_or_scope", given.get("name"))
    if handed_scopes.current(walker, own):
        walker.naming.opened_again()
        return
    known, name = word(walker, properties.constant(walker, own) or own)
    if name is None and not variables:
        known, name = word(walker, given.get("default_name"))
    if known and isinstance(name, str):
        walker.naming.opened(name, variables=variables)
    else:
        head = name if not known and isinstance(name, str) else ""
        walker.naming.opened(None, variables=variables, head=head)


def variable(walker: Any, endpoint: str, node: ast.Call) -> str | None:
    """The name of a `tf.Variable` or a `tf.get_variable`."""
    naming: Naming = walker.naming
    known, name = word(walker, walker.bound(endpoint, node).get("name"))
    if endpoint == T + "Variable":
        name = "Variable" if name is None and known else name
        scope = naming.ops
    else:
        scope = naming.variables
    if not known:
        naming.unique(None, scope, name)
        return None
    if endpoint == T + "Variable" and isinstance(name, str) and AVERAGE.match(name):
        # A slot: in the scope of variables, after the op whose average it is.
        ops = walker.kept.get("moments")
        if ops is None or naming.variables is None:
            return None
        full = "/".join(filter(None, (naming.variables, ops, AVERAGE.sub("", name))))
        return naming.once(node, full, "")
    if endpoint == T + "Variable" or scope is None or not isinstance(name, str):
        return naming.once(node, name, scope)
    full = f"{scope}/{name}" if scope else name
    if naming.unsure:
        # its own name, wherever it is made
        return naming.known.setdefault(naming.key(node), full)
    return naming.once(node, full, "")


def layer(walker: Any, endpoint: str, node: ast.Call, own: ast.expr | None) -> str | None:
    """The scope of a layer's variables."""
    known, name = word(walker, own)
    naming: Naming = walker.naming
    if not known or not (name is None or isinstance(name, str)):
        naming.blind.add(naming.variables or "")
        return None
    return naming.layer(node, name, LAYERS.get(endpoint))


def op(walker: Any, endpoint: str, node: ast.Call) -> None:
    """Another op of TensorFlow's takes a name.

    One whose name isn't known here may take a variable's, too: then no checkpoint has the name that
    is told, and a conversion says so. Only variables can be taken for one another.
    """
    if endpoint in meaning.VARIABLES | meaning.SCOPES | meaning.MAKING:
        return
    said = next((k.value for k in node.keywords if k.arg == "name"), None)
    first = node.args[0] if node.args else said
    if endpoint.startswith(T + "summary.") and isinstance(first, ast.Constant):
        name: str | None = re.sub(r"[^-/\w.]", "_", str(first.value)).lstrip("/")
    else:
        name = op_name(walker, node)
    naming: Naming = walker.naming
    known = walker.kept.setdefault(("told ops",), {})
    known.pop(id(node), None)
    told = said is not None and meaning.is_op(endpoint) and word(walker, said)
    if name is not None and told and told[0] and isinstance(told[1], str):
        name = told[1]
        whole = name.endswith("/")  # a name scope's own name: the op has it as it is
        own = name[:-1] if whole else naming.once(node, name, naming.ops)
        if endpoint.removeprefix(T) in SINGLE:
            known[id(node)] = own
    elif name is not None:
        naming.once(node, name, naming.ops)
    if endpoint == T + "nn.moments":
        walker.kept["moments"] = naming.known.get(naming.key(node))
