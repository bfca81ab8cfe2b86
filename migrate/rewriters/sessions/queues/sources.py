"""What queues were filled from, as datasets: files, rows of arrays, records of files."""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.queues.module import Module

READERS = frozenset(
    [
        *("TextLineReader", "TFRecordReader", "WholeFileReader", "FixedLengthRecordReader"),
        "IdentityReader",
    ]
)
NUMBERS = "train.range_input_producer"
FILES = "train.string_input_producer"
ITEMS = "train.input_producer"
# What says nothing of the elements or their order.
QUIET = frozenset({"capacity", "shared_name", "name", "num_threads"})


def files(module: Module, node: ast.Call) -> str:
    """`string_input_producer`: the names of files, epoch after epoch."""
    given = module.bound(node)
    _only(given, {"string_tensor", "num_epochs", "shuffle", "seed"}, "string_input_producer")
    names = given["string_tensor"]
    source, count = module.source(names), _count(module, names)
    if module.endpoint(names).endswith("train.match_filenames_once"):
        pattern = module.bound(names)["pattern"]  # type: ignore[arg-type]
        order = given.get("shuffle")
        if isinstance(order, ast.Constant) and not order.value:
            told = ", shuffle=False"
        elif order is None or isinstance(order, ast.Constant):
            told = f", seed={module.source(given['seed'])}" if "seed" in given else ""
        else:
            raise Blocked(node, "files of a pattern in an order that is computed")
        made = f"{module.tf}.data.Dataset.list_files({module.source(pattern)}{told})"
        return made + _again(module, given)
    made = f"{module.tf}.data.Dataset.from_tensor_slices({source})"
    return made + _order(module, node, given, count) + _again(module, given)


def rows(module: Module, node: ast.Call) -> str:
    """`slice_input_producer`: rows of arrays, epoch after epoch."""
    given = module.bound(node)
    _only(given, {"tensor_list", "num_epochs", "shuffle", "seed"}, "slice_input_producer")
    arrays = given["tensor_list"]
    if isinstance(arrays, (ast.List, ast.Tuple)):
        parts = [module.source(a) for a in arrays.elts]
        source = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        count = f"len({parts[0]})" if isinstance(arrays.elts[0], ast.Name) else None
    else:
        source = f"tuple({module.source(arrays)})"
        count = f"len({module.source(arrays)}[0])" if isinstance(arrays, ast.Name) else None
    made = f"{module.tf}.data.Dataset.from_tensor_slices({source})"
    return made + _order(module, node, given, count) + _again(module, given)


def items(module: Module, node: ast.Call) -> str:
    """`input_producer`: the rows of an array, epoch after epoch."""
    given = module.bound(node)
    known = {"input_tensor", "element_shape", "num_epochs", "shuffle", "seed"}
    _only(given, known, "input_producer")
    array = given["input_tensor"]
    made = f"{module.tf}.data.Dataset.from_tensor_slices({module.source(array)})"
    return made + _order(module, node, given, _count(module, array)) + _again(module, given)


def numbers(module: Module, node: ast.Call) -> str:
    """`range_input_producer`: numbers from 0 on, epoch after epoch."""
    given = module.bound(node)
    _only(given, {"limit", "num_epochs", "shuffle", "seed"}, "range_input_producer")
    limit, tf = given["limit"], module.tf
    # A limit may be a tensor, whose type isn't that of a shuffle's size.
    plain = isinstance(limit, ast.Constant) or (
        isinstance(limit, ast.Call) and isinstance(limit.func, ast.Name) and limit.func.id == "len"
    )
    count = module.source(limit) if plain else None
    made = f"{tf}.data.Dataset.from_tensor_slices({tf}.range({module.source(limit)}))"
    return made + _order(module, node, given, count) + _again(module, given)


def records(module: Module, reader: ast.Call, queue: str, keyed: bool) -> tuple[str, bool]:
    """What a reader takes from a queue of files; and whether the file's name stands for it.

    Raises:
        Blocked: the keys that it gives are its own.
    """
    kind, given, tf = module.endpoint(reader), module.bound(reader), module.tf
    if kind == "WholeFileReader":
        return (queue, True) if keyed else (f"{queue}.map({tf}.read_file)", False)
    if keyed:
        raise Blocked(reader, f"the keys of a {kind}")
    if kind == "IdentityReader":
        return queue, False
    if kind == "TextLineReader":
        skipped = given.get("skip_header_lines")
        if skipped is None or (isinstance(skipped, ast.Constant) and not skipped.value):
            return f"{tf}.data.TextLineDataset({queue})", False
        lines = f"{tf}.data.TextLineDataset(filename).skip({module.source(skipped)})"
        return f"{queue}.flat_map(lambda filename: {lines})", False
    if kind == "TFRecordReader":
        if "options" in given:
            raise Blocked(reader, "a TFRecordReader with options")
        return f"{tf}.data.TFRecordDataset({queue})", False
    _only(given, {"record_bytes", "header_bytes", "footer_bytes"}, kind)
    said = [f"{k}={module.source(v)}" for k, v in given.items() if k not in ("name",)]
    return f"{tf}.data.FixedLengthRecordDataset({', '.join([queue, *said])})", False


def taken(call: ast.Call) -> tuple[ast.expr, ast.expr | None] | None:
    """The queue that a reader reads, and how many records at once; None where that isn't seen."""
    known = {"read": ["queue", "name"], "read_up_to": ["queue", "num_records", "name"]}
    names = known.get(getattr(call.func, "attr", ""), [])
    given = dict(zip(names, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg in names}
    whole = len(given) == len(call.args) + len(call.keywords)
    if not whole or "queue" not in given or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if "num_records" in names and "num_records" not in given:
        return None
    return given["queue"], given.get("num_records")


def at_once(module: Module, reader: ast.Call, queue: str, size: ast.expr) -> str:
    """`read_up_to`: as many records as there are left in a file, and no more than that.

    Raises:
        Blocked: another reader is asked.
    """
    kind, given, tf = module.endpoint(reader), module.bound(reader), module.tf
    if kind not in ("TextLineReader", "TFRecordReader") or "options" in given:
        raise Blocked(reader, f"what a {kind} reads at once")
    if any(isinstance(n, ast.Name) and n.id == "filename" for n in walk(size)):
        raise Blocked(size, "a number of records of the name `filename`")
    made = f"{tf}.data.TFRecordDataset(filename)"
    if kind == "TextLineReader":
        made = f"{tf}.data.TextLineDataset(filename)"
        skipped = given.get("skip_header_lines")
        if skipped is not None and not (isinstance(skipped, ast.Constant) and not skipped.value):
            made += f".skip({module.source(skipped)})"
    return f"{queue}.flat_map(lambda filename: {made}.batch({module.source(size)}))"


def numbered(
    module: Module, reader: ast.Call, queue: str, name: str, indent: str
) -> tuple[str, str]:
    """Lines with what a `TextLineReader` calls them, ``path:3``; and the function of a file."""
    skipped = module.bound(reader).get("skip_header_lines")
    skip = ""
    if skipped is not None and not (isinstance(skipped, ast.Constant) and not skipped.value):
        skip = f".skip({module.source(skipped)})"
    tf, nl, deeper = module.tf, module.text.newline, indent + module.text.unit
    blank = 1 if indent else 2
    key = f'{tf}.string_join([filename, ":", {tf}.as_string(n)])'
    text = (
        f"{OPEN}{blank}{nl}{indent}def {name}(filename):{nl}"
        f"{deeper}lines = {tf}.data.TextLineDataset(filename).enumerate(1){skip}{nl}"
        f"{deeper}return lines.map(lambda n, line: ({key}, line)){nl}{CLOSE}{blank}{nl}"
    )
    return f"{queue}.flat_map({name})", text


def _only(given: dict[str, ast.expr], known: set[str], what: str) -> None:
    for name, value in given.items():
        if name not in known | QUIET:
            raise Blocked(value, f"`{name}` of {what}")


def _count(module: Module, names: ast.expr) -> str | None:
    if isinstance(names, (ast.List, ast.Tuple)):
        if any(isinstance(n, ast.Starred) for n in names.elts):
            return None
        return str(len(names.elts))
    return f"len({names.id})" if isinstance(names, ast.Name) else None


def _order(module: Module, node: ast.Call, given: dict[str, ast.expr], count: str | None) -> str:
    """A shuffle of all that there is, anew in each epoch, as chance has it."""
    shuffle = given.get("shuffle")
    if isinstance(shuffle, ast.Constant) and not shuffle.value:
        return ""
    if count == "1":
        return ""
    seed = given.get("seed")
    if seed is not None and not (isinstance(seed, ast.Constant) and seed.value is None):
        raise Blocked(seed, "a queue whose order comes from a seed")
    if count is None:
        raise Blocked(node, "a queue in an order of chance, over what has no name")
    if shuffle is not None and not isinstance(shuffle, ast.Constant):
        count = f"{count} if {module.source(shuffle)} else 1"
    return f".shuffle({count})"


def _again(module: Module, given: dict[str, ast.expr]) -> str:
    epochs = given.get("num_epochs")
    if epochs is None or (isinstance(epochs, ast.Constant) and epochs.value is None):
        return ".repeat()"
    if isinstance(epochs, ast.Constant) and epochs.value == 1:
        return ""
    return f".repeat({module.source(epochs)})"
