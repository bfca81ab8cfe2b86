"""What is computed for each element of a dataset: the statements that a mapped function takes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.queues.files import Summary
from migrate.rewriters.sessions.queues.module import Module, loaded, short, stored

PARSING = (
    *("decode_csv", "parse_single_example", "parse_example", "decode_raw"),
    "parse_single_sequence_example",
)
LOADING = ("read_file", "decode_jpeg", "decode_png", "decode_image")
CHANGES = ("set_shape", "append", "extend", "insert", "update", "pop")
NOT_A_QUEUES = "what isn't a queue's"
PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Assert)
SIMPLE = (*PLAIN, ast.If, ast.For, ast.With)
BLOCKS = frozenset({"control_dependencies", "name_scope", "device"})


@dataclass(slots=True, eq=False, repr=False)
class Flow:
    """Elements of a dataset that come one by one, and what is done to each."""

    source: str  # the dataset
    names: list[str]  # an element's parts
    several: bool | None  # whether an element is a tuple; None: unknown
    start: ast.stmt
    floor: int  # the last line before it
    wish: str  # what to call the dataset
    target: str  # the author's, where the elements are used by runs
    first: str = ""  # what the mapped function begins with
    body: list[ast.stmt] = field(default_factory=list)
    floors: dict[int, int] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)  # names of what depends on an element
    unpacked: bool = False  # whether its parts have names of their own
    placed: bool = False  # the dataset has its name already, from the statement it starts with
    lazy: tuple[ast.stmt, ...] | None = None  # an iterator's: what goes where it is mapped
    alone: bool = False  # whether an element is a list of one
    joined: bool = False  # several readers' elements, of which each is one
    shown: bool = False  # an iterator of it is written
    ended: bool = False  # something else uses the elements
    trail: list[ast.stmt] = field(default_factory=list)  # summaries of what it becomes
    left: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)  # of parted branches
    summaries: tuple[Summary, ...] = ()  # those that the function it is of left to its caller
    kept: list[str] = field(default_factory=list)  # statements that keep what these are of

    def __post_init__(self) -> None:
        self.own.update(self.names)


def takes(module: Module, stmt: ast.stmt, flow: Flow) -> bool:
    """Whether a statement only computes, from an element and from what the host has.

    It may set items of a list that is made for each element.
    """
    made = set().union(*(stored(s) for s in flow.body)) - set(flow.names)
    if not isinstance(stmt, SIMPLE):
        return False
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if not module.endpoint(call) and call.func.attr not in CHANGES:
            return False  # a method of an object that is more than an element
    for n in walk(stmt):
        if isinstance(n, ast.With) and not all(
            module.endpoint(i.context_expr) in BLOCKS and i.optional_vars is None for i in n.items
        ):
            return False
        if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Return, ast.Yield, ast.Try)):
            return False
        if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load):
            item = isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
            if not (item and isinstance(n.value, ast.Name) and n.value.id in made):
                return False
        if isinstance(n, ast.Call) and not computes(module, n):
            return False
    return True


def computes(module: Module, node: ast.Call, seen: frozenset[int] = frozenset()) -> bool:
    name = module.endpoints.get(id(node.func), "")
    if name:
        if short(name) in BLOCKS:
            return True
        made = name in meaning.VARIABLES | meaning.LAYERS | meaning.ASSIGNS | meaning.PLACEHOLDERS
        known = meaning.is_op(name) or meaning.is_host(name)
        summary = name.startswith(meaning.T + "summary.")
        return known and not (made or summary or name in meaning.OPTIMIZERS)
    if isinstance(node.func, ast.Attribute):
        called = node.func.attr
        if called in ("run", "eval") or called.lstrip("_")[:1].isupper():  # another file's class
            return False
    if isinstance(node.func, ast.Name):
        callee = module.walker._module_function(node.func, (ast.FunctionDef, ast.ClassDef))
        if isinstance(callee, ast.ClassDef):
            return False
        if callee is not None and id(callee) not in seen:
            deeper = seen | {id(callee)}
            return all(computes(module, n, deeper) for n in all_of(callee, ast.Call))
    return True


def function(
    module: Module, flow: Flow, results: str, indent: str, taken: set[str]
) -> tuple[str, str]:
    """The function that is mapped: its text, before the statement that maps it, and its name.

    Raises:
        Blocked: it couldn't be moved there as it is.
    """
    stores = set(flow.names).union(*(stored(s) for s in flow.body))
    known = set(flow.names) | ({"value"} if flow.first else set())
    for stmt in flow.body:
        early = _early(stmt, stores, known)
        if early:
            raise Blocked(stmt, f"`{min(early)}` means something else before the queue's")
        known |= stored(stmt)
    params = ", ".join(flow.names)
    if not flow.unpacked and flow.several is not False:
        if flow.several is None:
            raise Blocked(flow.start, "how many parts an element has isn't seen")
        params = f"*{params}"
    nl, deeper = module.text.newline, indent + module.text.unit
    if not flow.body and not flow.first and len(results) < 60:
        several = isinstance(ast.parse(f"({results})", mode="eval").body, ast.Tuple)
        listed = f"({results})" if several else results
        return "", f"lambda {params}: {listed}"
    inside = [
        module.endpoints.get(id(n.func), "").rpartition(".")[2]
        for s in flow.body
        for n in all_of(s, ast.Call)
    ]
    wish = "preprocess"
    wish = "load" if flow.first or any(n in LOADING for n in inside) else wish
    wish = "parse" if any(n in PARSING for n in inside) else wish
    name = next(n for n in (wish, *(f"{wish}_{i}" for i in range(2, 99))) if n not in taken)
    taken.add(name)
    blank = 1 if indent else 2
    text = f"{OPEN}{blank}{nl}{indent}def {name}({params}):{nl}"
    if flow.first:
        text += f"{deeper}{flow.first}{nl}"
    text += "".join(f"{deeper}{line}{nl}" for line in flow.kept)
    for stmt in flow.body:
        piece = module.text.piece(stmt, flow.floors[id(stmt)])
        left = flow.left.get(id(stmt), ())
        text += module.text.render(piece.first, piece.last, piece.indent, deeper, left)
    return f"{text}{deeper}return {results}{nl}{CLOSE}{blank}{nl}", name


def results(module: Module, node: ast.expr, flow: Flow) -> tuple[str, bool | None]:
    """What a mapped function returns, and whether that is several things."""
    if isinstance(node, (ast.List, ast.Tuple)):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            raise Blocked(node, "what is batched is hidden by `*`")
        parts = [module.source(e) for e in node.elts]
        return ", ".join(parts), len(parts) > 1
    if isinstance(node, ast.Dict):
        return module.source(node), False
    if isinstance(node, ast.Name):
        if node.id in flow.names and flow.unpacked and not _bound(node.id, flow):
            return node.id, False
        if _display(node.id, flow):
            return node.id, True
        return node.id, flow.several if [node.id] == flow.names and not flow.body else None
    return module.source(node), None


def _bound(name: str, flow: Flow) -> bool:
    return any(name in stored(s) for s in flow.body)


def _display(name: str, flow: Flow) -> bool:
    """Whether a name was last given several things, one after the other: ``both = [a, b]``."""
    bound = [s for s in flow.body if name in stored(s)]
    last = bound[-1] if bound else None
    if not isinstance(last, ast.Assign) or len(last.targets) != 1:
        return False
    value, named = last.value, isinstance(last.targets[0], ast.Name)
    if not isinstance(value, (ast.List, ast.Tuple)):
        return False
    starred = any(isinstance(e, ast.Starred) for e in value.elts)
    return named and not starred and len(value.elts) > 1


def _early(stmt: ast.stmt, stores: set[str], known: set[str]) -> set[str]:
    """The names of these that a statement reads before they are bound."""
    if not isinstance(stmt, (ast.If, ast.For, ast.With)):
        loops = all_of(stmt, ast.comprehension)
        return (loaded(stmt) & stores) - known - set().union(*(stored(n.target) for n in loops))
    heads: list[ast.AST] = [i.context_expr for i in getattr(stmt, "items", ())]
    heads += [n for n in (getattr(stmt, "test", None), getattr(stmt, "iter", None)) if n]
    found = set().union(*((loaded(n) & stores) - known for n in heads))
    bound = stored(stmt.target) if isinstance(stmt, ast.For) else set()
    for body in (stmt.body, getattr(stmt, "orelse", ())):
        inner = known | bound
        for one in body:
            found |= _early(one, stores, inner)
            inner |= stored(one)
    return found
