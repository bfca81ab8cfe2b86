"""TFM111 lost-import: an import from TensorFlow that TF 2.21 can't make.

`from tensorflow.contrib import slim` fails before a line of the program runs, used or not. Where
what is imported has moved, the import moves; where its uses are all rewritten, or there are none
and no shim has it, it goes; the rest is reported at the import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate import symbols
from migrate.engine import private_keras
from migrate.engine.findings import Applicability, Level
from migrate.engine.imports import dropped, import_bindings, versions
from migrate.engine.names import Binding
from migrate.engine.plan import canonical
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import all_of, walk
from migrate.rewriters.lost import family
from migrate.rewriters.tutorials_reader import READERS, lent
from migrate.symbols import shims
from migrate.symbols.outcomes import CompatV1, Gone, Renamed, Shim

LOST = Rule(
    "TFM111",
    "lost-import",
    "an import from TensorFlow that TF 2.21 can't make",
    module=__name__,
    doc=__doc__,
)


@LOST.file
def imports(file: FileContext) -> Iterator[Result]:
    """Every import that would fail."""
    gone = dropped(file, file.results)
    for binding in import_bindings(file):
        if binding in gone or binding in file.renamed:
            continue
        if versions(file, binding) and not _last(file, binding):
            continue
        result = _judge(file, binding) or _core(file, binding)
        if result is not None:
            yield result


def _last(file: FileContext, binding: Binding) -> bool:
    """Whether an import stands in for what may fail, and nothing catches its own failure."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    others = (n for n in all_of(file.tree, ast.alias) if n is not alias)
    if any((n.asname or n.name) == (alias.asname or alias.name) for n in others):
        return False
    tries = all_of(file.tree, ast.Try)
    stands = [t for t in tries for h in t.handlers if binding.stmt in h.body]
    caught = (s for t in tries for s in t.body)
    return bool(stands) and not any(n is binding.stmt for s in caught for n in walk(s))


def _judge(file: FileContext, binding: Binding) -> Result | None:
    alias = binding.node
    assert isinstance(alias, ast.alias)
    name = canonical(binding.target if isinstance(binding.stmt, ast.ImportFrom) else alias.name)
    if name in ("tensorflow", V1) or name.startswith(("tensorflow.compat.", "tensorflow.keras")):
        return None
    if symbols.private_status(name) == "same path":
        return _keras(file, binding, name)
    endpoint = name
    if symbols.split(name) is None:
        public = symbols.public(name)
        if (public or "").startswith("tensorflow.contrib.keras."):
            public = private_keras.public(name) or public
        home = shims.home(name) if public is None and file.level is Level.COMPAT else None
        if home is not None:
            file.renamed[binding] = home
            message = f"{name} is gone; {home} gives it back"
            return Result(LOST, alias, message, name, home, applicability=Applicability.SAFE)
        if public is None:
            module = private_keras.module_of(file, binding, name)
            if module is not None:
                file.renamed[binding] = module
                return _fixed(binding, name, "tf" + module.removeprefix("tensorflow"))
            return None if symbols.resolves(name) else _unknown(file, binding, name)
        endpoint = public
    found = symbols.split(endpoint)
    record = symbols.outcome(found[0]) if found else None
    if record is None:
        return _unknown(file, binding, name)
    shown = "tf" + endpoint.removeprefix("tensorflow")
    if file.level is Level.COMPAT and record.compat != "lost":
        if symbols.resolves(name) and endpoint == name and record.target == name:
            return None
        if endpoint != name:
            file.renamed[binding] = V1 + endpoint.removeprefix("tensorflow")
        result = _fixed(binding, shown, "tf.compat.v1" + shown[2:])
        result.switch = True
        return result
    if symbols.resolves(name):
        return None
    if isinstance(record.outcome, (Shim, Gone)):
        reason = record.outcome.reason
        blocks = isinstance(record.outcome, Shim)
        rule = family(found[0] if found else name)
        if name in READERS and _idle(file, binding):
            reader = lent(file, binding, rule, shown)
            if reader is not None:
                return reader
        home = shims.home(endpoint)
        if home is not None and file.level is Level.COMPAT:
            file.renamed[binding] = home
            message = f"{shown} is gone: {reason}; {home} gives it back"
            return Result(rule, alias, message, shown, home, applicability=Applicability.SAFE)
        if _idle(file, binding):
            return _needless(file, binding, rule, f"{shown} is gone: {reason}", shown)
        return Result(rule, alias, f"{shown} is gone: {reason}", shown, blocks=blocks)
    target = record.target
    if not isinstance(record.outcome, (Renamed, CompatV1)):
        target = V1 + endpoint.removeprefix("tensorflow")  # the same name, the same meaning
    if target is None or not symbols.resolves(target):
        return _unknown(file, binding, name)
    file.renamed[binding] = target
    return _fixed(binding, shown, "tf" + target.removeprefix("tensorflow"))


def _keras(file: FileContext, binding: Binding, name: str) -> Result | None:
    """What TF 2.21's private copy of Keras 2 still has, as Keras 3's."""
    if not private_keras.leaves(file):
        return None
    new = private_keras.public(name) or private_keras.module_of(file, binding, name)
    if new is None:
        return None
    file.renamed[binding] = new
    message = f"{name} is of TF 2.21's private Keras 2, whose models don't train eagerly"
    shown = "tf" + new.removeprefix("tensorflow")
    return Result(LOST, binding.node, message, name, shown, applicability=Applicability.SAFE)


def _core(file: FileContext, binding: Binding) -> Result | None:
    """What 1.15 and 2.0 called the package itself, which TF 2.21 has by its public name only."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    name = binding.target if isinstance(binding.stmt, ast.ImportFrom) else alias.name
    if name.partition(".")[0] != "tensorflow_core" or binding in file.renamed:
        return None
    new = canonical(name)
    if isinstance(binding.stmt, ast.Import) and not alias.asname:  # its uses spell it, too
        return Result(LOST, alias, f"{name} can't be imported from TF 2.21; instead: {new}", name)
    file.renamed[binding] = new
    return _fixed(binding, name, new)


def _fixed(binding: Binding, shown: str, new: str) -> Result:
    return Result(
        LOST,
        binding.node,
        f"the import of {shown} fails in TF 2.21",
        shown,
        new,
        applicability=Applicability.SAFE,
    )


def _unknown(file: FileContext, binding: Binding, name: str) -> Result | None:
    if not file.tf1 and name.startswith("tensorflow.python."):
        return None  # code for TF 2 may name private modules that TF 1 hadn't
    message = f"{name} can't be imported from TF 2.21"
    if not _idle(file, binding):
        return Result(LOST, binding.node, message, name)
    return _needless(file, binding, LOST, message, name)


def _needless(file: FileContext, binding: Binding, rule: Rule, message: str, name: str) -> Result:
    """An import that fails in TF 2.21, and that nothing uses, goes."""
    file.idle.add(binding)
    return Result(
        rule,
        binding.node,
        f"{message}, and nothing here uses it",
        name,
        "no import",
        applicability=Applicability.SAFE,
    )


def _idle(file: FileContext, binding: Binding) -> bool:
    """Whether a name is imported for nothing: not used here, and not meant for others."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    if file.path.endswith("__init__.py") or (file.starred and isinstance(binding.stmt, ast.Import)):
        return False
    if isinstance(binding.stmt, ast.Import) and not alias.asname:
        return False  # it binds `tensorflow`
    bound = alias.asname or alias.name
    return not any(
        (isinstance(node, ast.Name) and node.id == bound)
        or (isinstance(node, ast.Constant) and node.value == bound)
        for node in walk(file.tree)
    )
