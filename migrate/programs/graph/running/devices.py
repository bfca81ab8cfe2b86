"""`tf.device` and a session's configuration: what goes with the graph, and what is said of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.fetching import profiled
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.running import device_names, device_setters, placed

# The CPU or the first GPU, where TF 2 puts ops by itself.
FIRST = re.compile(r"(?i)/?(?:device:)?(?:cpu|gpu)(?::0)?|/job:localhost/.*:0|")
# Another one, which a program may have instead of the first.
ANY = re.compile(r"(?i)/?(?:device:)?gpu(?::(\d+))?")
# The same, and another one of the CPU's, as a program may put ops side by side.
LOCAL = re.compile(
    r"(?i)(?:/job:localhost)?(?:/replica:0)?(?:/task:0)?/?(?:device:)?(?P<kind>cpu|gpu):(?P<at>\d+)"
)
# Its beginning, with a number's place behind it.
PREFIX = re.compile(r"(?i)/?(?:device:)?(?P<kind>cpu|gpu):(?:%[ds]|\{0?\})?")
SAID = "said by "  # before a setting that isn't a number, among the GPUs
OPENED = ("graphs' devices",)  # among what a walk keeps: ``graph.device(…)``
# A field of a configuration: what does the same in TF 2.
FIELDS = {
    "allow_growth": "tf.config.experimental.set_memory_growth",
    "per_process_gpu_memory_fraction": "tf.config.set_logical_device_configuration",
    "visible_device_list": "tf.config.set_visible_devices",
    "device_count": "tf.config.set_visible_devices",
    "intra_op_parallelism_threads": "tf.config.threading.set_intra_op_parallelism_threads",
    "inter_op_parallelism_threads": "tf.config.threading.set_inter_op_parallelism_threads",
    "log_device_placement": "tf.debugging.set_log_device_placement",
    "allow_soft_placement": "tf.config.set_soft_device_placement",
    "global_jit_level": "tf.config.optimizer.set_jit",
    "graph_options": "tf.config.optimizer.set_experimental_options",
}


@family(T + "device")
def device(walker: Any, name: str, node: ast.Call) -> Value:
    """One device for all that stands in a block.

    Raises:
        Blocked: it may be another one than TF 2 would take.
    """
    walker.arguments(node)
    found = walker.bound(name, node).get("device_name_or_function")
    if found is not None and _of_towers(walker, node, found):
        return Value(Kind.SETTING, name, node=node)
    constants = device_names.of(walker, found) if found is not None else []
    if not constants and _of_command_line(walker, found) and (said := _setting(walker, found)):
        _one(walker, node, f"{SAID}{said}")
        return Value(Kind.SETTING, name, node=node)
    if not constants and found is not None and (chosen := _chosen(walker, found)):
        if chosen != placed.CPU:
            _one(walker, node, chosen)
        return Value(Kind.SETTING, name, node=node)
    if not constants:
        raise Blocked(node, "ops are put on a device that is computed")
    for constant in constants:
        _first(walker, node, constant.value)
    return Value(Kind.SETTING, name, node=node)


def _of_towers(walker: Any, node: ast.Call, where: ast.expr) -> bool:
    """Whether a loop that builds puts each round on a device of its own, ``'/gpu:%d' % i``.

    Its block stays in the loop. Where there is no such device, TF 2 takes another one by itself.
    """
    loop = walker.sink.node
    if not walker.loops or walker.frame.region is None or not isinstance(loop, ast.For):
        return False
    if holds(loop, node):
        device_setters.check(walker, where)
    text = _numbered(where)[0]
    return text is not None and holds(loop, node) and bool(PREFIX.fullmatch(str(text.value)))


def _numbered(node: ast.expr) -> tuple[ast.Constant | None, ast.expr | None]:
    """The text and the number of ``'/gpu:%d' % i``, in any of its forms."""
    match node:
        case ast.BinOp(ast.Constant() as text, ast.Add() | ast.Mod(), number):
            return text, number
        case ast.Call(ast.Attribute(ast.Constant() as text, "format"), [number], []):
            return text, number
        case ast.JoinedStr([ast.Constant() as text, ast.FormattedValue(number, -1, None)]):
            return text, number
    return None, None


def of_graph(walker: Any, node: ast.Call) -> Value:
    """``graph.device("/cpu:0")``: a block of that graph."""
    found = device(walker, T + "device", node)
    walker.kept.setdefault(OPENED, []).append(node)
    return found


def _first(walker: Any, node: ast.Call, where: object) -> None:
    gpu, local = ANY.fullmatch(str(where)), LOCAL.fullmatch(str(where))
    if gpu is not None:
        _one(walker, node, gpu[1] or "0")
    elif local is not None and (local["at"] != "0" or local["kind"].lower() == "gpu"):
        cpu = local["kind"].lower() == "cpu"
        _one(walker, node, f"{placed.CPU if cpu else ''}{local['at']}")
    elif where is not None and not (isinstance(where, str) and FIRST.fullmatch(where)):
        raise Blocked(node, f"ops are put on the device {where!r}")


def _one(walker: Any, node: ast.Call, number: str) -> None:
    """Take note of a GPU: with another one, each op goes where it was put."""
    walker.kept.setdefault("gpus", set()).add(number)
    if placed.several(walker):
        walker.kept.setdefault(placed.SEVERAL, node)


def _chosen(walker: Any, node: ast.expr) -> str:
    """The number of a GPU that a setting of the whole program says: ``'/gpu:%d' % FLAGS.gpu``.

    A CPU's number isn't told: there is one, where no configuration says how many.
    """
    if isinstance(node, ast.Name):
        value = _set_once(walker, node.id)
        return _chosen(walker, value) if value is not None else ""
    text, number = _numbered(node)
    prefix = PREFIX.fullmatch(str(text.value)) if text is not None else None
    if prefix is None:
        return ""
    if prefix["kind"].lower() == "cpu":
        return "" if _counted(walker) else placed.CPU
    if isinstance(number, ast.Call) and ast.unparse(number.func) == "str" and number.args:
        number = number.args[0]
    if isinstance(number, ast.Constant):
        return str(number.value) if type(number.value) is int else ""
    return _setting(walker, number)


def _of_command_line(walker: Any, node: ast.expr | None) -> bool:
    """Whether an expression is what the command line says: ``FLAGS.device``, ``args.device``."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    value = _set_once(walker, node.value.id)
    flags = value is not None and ast.unparse(value).endswith("flags.FLAGS")
    return flags or _given_at_start(walker.files.at(node).tree, node.value.id)


def _setting(walker: Any, number: ast.expr | None) -> str:
    """A setting of the whole program that nothing changes, as it is written: ``FLAGS.gpu``."""
    root = number
    while isinstance(root, ast.Attribute):
        root = root.value
    if number is None or not isinstance(root, ast.Name):
        return ""
    if isinstance(number, ast.Name) and _parsed(_set_once(walker, number.id)):
        number = _set_once(walker, number.id)
        root = number.value if isinstance(number, ast.Attribute) else root
    assert number is not None
    assert isinstance(root, ast.Name)
    if _given_at_start(walker.files.at(number).tree, root.id):
        return "" if _stored(walker, ast.unparse(number)) else ast.unparse(number)
    value, said = _set_once(walker, root.id), ast.unparse(number)
    # By the module itself: not in a loop, nor in a function that may be called again.
    once = any(isinstance(s, ast.Assign) and s.value is value for s in walker.tree.body)
    return said if once and not _stored(walker, said) else ""


def _stored(walker: Any, said: str) -> bool:
    """Whether an attribute is set anywhere in the file."""
    return any(
        isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) and ast.unparse(n) == said
        for n in walk(walker.tree)
    )


def _parsed(value: ast.expr | None) -> bool:
    """Whether a value may be a setting: ``args.gpu``."""
    return isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)


def _given_at_start(tree: ast.AST, name: str) -> bool:
    """Whether a name of a file is what the command line says, wherever that is parsed."""
    value = _bound_once(tree, name)
    func = value.func if isinstance(value, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == "parse_args"


def _counted(walker: Any) -> bool:
    """Whether the program says how many CPUs there are."""
    return any(
        "device_count" in (getattr(n, "arg", ""), getattr(n, "attr", ""))
        for tree in walker.program()
        for n in walk(tree)
    )


def _set_once(walker: Any, name: str) -> ast.expr | None:
    """What a name was set to, if that was done just once in the whole program."""
    return _bound_once(walker.tree, name)


def _bound_once(tree: ast.AST, name: str) -> ast.expr | None:
    nodes = list(walk(tree))
    stores = [
        n
        for n in nodes
        if (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, (ast.arg, ast.alias)) and name in (getattr(n, "arg", ""), _as(n)))
    ]
    set_by = [n for n in nodes if isinstance(n, ast.Assign) and n.targets == stores]
    return set_by[0].value if set_by else None


def _as(node: ast.AST) -> str:
    return (node.asname or node.name) if isinstance(node, ast.alias) else ""


def told(walker: Any) -> list[tuple[ast.AST, str]]:
    """What a report says of devices and settings that went."""
    found: list[tuple[ast.AST, str]] = []
    opened = (item.context_expr for r in walker.regions for stmt in r.flat for item in stmt.items)
    which = "TF 2 takes the first GPU, if there is one"
    gpus: set[str] = walker.kept.get("gpus", set())
    settings = {number for number in gpus if number.startswith(SAID)}
    for said in settings:
        which += f"; for what {said.removeprefix(SAID)} says: tf.config.set_visible_devices"
    for number in gpus - {"0"} - settings:
        which += f"; for another: tf.config.set_visible_devices(gpus[{number}], 'GPU')"
    others = set(map(id, walker.kept.get(OPENED, ())))
    found += [
        (call, f"`tf.device` goes: {which}")
        for call in opened
        if isinstance(call, ast.Call)
        and not placed.several(walker)
        and (walker.endpoints.get(id(call.func)) == T + "device" or id(call) in others)
    ]
    made = (n for n in all_of(walker.tree, ast.Call))
    calls = [n for n in made if walker.endpoints.get(id(n.func)) == T + "ConfigProto"]
    if calls:
        what = f"the session's configuration goes{instead(walk(walker.tree))}"
        found += [(call, what) for call in calls]
    return [*found, *profiled.told(walker)]


def instead(nodes: Iterable[ast.AST]) -> str:
    """What a report says TF 2 has for the settings of a session's configuration."""
    fields: set[str] = set()
    for n in nodes:
        field = n.arg if isinstance(n, ast.keyword) else getattr(n, "attr", None)
        if field in FIELDS:
            fields.add(FIELDS[field])
    return f"; TF 2 has {', '.join(sorted(fields))}" if fields else ""
