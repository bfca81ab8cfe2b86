"""Native output for tf_keras, Keras 2 as a package, in place of TF 2.21's own Keras 3.

A program's native form is written for Keras 3 first. ``written`` brings what of it has another
spelling in tf_keras there, and stops at what has none; ``named`` gives the names, at the very end,
when the rules for the author's own Keras code are through.

https://pypi.org/project/tf_keras/
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.engine.document import edited, read
from migrate.engine.findings import Edit
from migrate.engine.functions import TF2
from migrate.engine.judged import names_of
from migrate.engine.source import SourceError
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.engine.document import Document
    from migrate.engine.functions import Between

KERAS = "tensorflow.keras"
PACKAGE = "tf_keras"
SAME = re.compile(r"tensorflow\.(?:contrib\.)?keras(?:\.|$)")
#: One made for each draw: an initializer of tf_keras gives the same numbers each time.
SEEDED = re.compile(
    rf"{TF2}\.keras\.initializers\.(?P<name>\w+)\((?P<given>(?:[^()]|\([^()]*\))*?)(?:, )?"
    rf"seed={TF2}\.keras\.random\.SeedGenerator\(\)\)(?!\s*\()"
)
IMAGES = re.compile(r"(?<![\w.])(BatchNormalization)\(")
#: Without TF 1's kernel, as its own fused=False said: tf_keras takes it for images by itself.
NORMS = re.compile(rf"\b{TF2}\.keras\.layers\.BatchNormalization\(")
NAMED = re.compile(rf"\b{TF2}\.keras\.([\w.]*\w)")
#: What only Keras 3's classes have.
INNER = re.compile(r"\b(?:_get_variable_index|reference_variable|add_optimizer_variables)\b")
#: Attributes of Keras 3's layers that checkpoints name.
HIDDEN = re.compile(r"(^|/)_(kernel|embeddings)$")
DEPTHWISE = re.compile(r"(^|/)depthwise_(kernel|weights)$")  # TF 1's, which Keras 3 calls kernel


def written(done: Mapping[str, Between]) -> dict[str, Between]:
    """The files of programs with tf_keras' spelling of what has another.

    Raises:
        Blocked: something has none.
    """
    found = {}
    unfused = any("fused" in between.before.text for between in done.values())
    for path, between in done.items():
        document = edited(between.document, list(_respelled(between.document.text, unfused)))
        after = replace(between, document=document, names=[_saved(n) for n in between.names])
        used = list(_used(document))
        for line, why in used:
            if why:
                at = ast.Pass(lineno=after.lines.get(line, line), col_offset=0)
                at.end_lineno, at.end_col_offset = at.lineno, 0
                error = Blocked(at, why)
                error.path = path
                raise error
        found[path] = after
    return found


def named(path: str, data: bytes) -> bytes:
    """A file's bytes with `tf_keras` for `tf.keras`, imported beside TensorFlow.

    Raises:
        SourceError: there is no place for the import.
    """
    document = read(path, data)
    edits = [
        Edit(*document.index.span(node), new)
        for node in walk(document.tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and (new := _imported(node))
    ]
    whole = list(_prefixes(document))
    edits += [Edit(*document.index.span(at), PACKAGE) for at in whole]
    classes_of_it = f"{PACKAGE}." in document.text
    if whole or (classes_of_it and not _imports_it(document.tree)):
        edits.append(_import(document))
    return edited(document, edits).data if edits else data


def _respelled(text: str, unfused: bool) -> Iterator[Edit]:
    """Classes over Keras 3's, normalizations, and initializers that draw anew each time."""
    from migrate.rewriters.legacy_keras import classes  # the room of sessions comes with it

    for ours, theirs in classes.pairs(TF2):
        start = text.find(ours)
        if start >= 0:
            end = start + len(ours)
            if not theirs:
                end += len(text[end:]) - len(text[end:].lstrip("\n"))
                for match in IMAGES.finditer(text):
                    if not start < match.start() < end:
                        yield Edit(match.start(), match.end() - 1, f"{TF2}.keras.layers.{match[1]}")
            yield Edit(start, end, theirs)
    for match in NORMS.finditer(text) if unfused else ():
        comma = "" if text[match.end()] == ")" else ", "
        yield Edit(match.end(), match.end(), f"fused=False{comma}")
    for match in SEEDED.finditer(text):
        inner = f"{TF2}.keras.initializers.{match['name']}({match['given']})"
        yield Edit(*match.span(), f"lambda shape, dtype=None: {inner}(shape, dtype)")


def _used(document: Document) -> Iterator[tuple[int, str]]:
    """The lines at which Keras is used, with what keeps them from being tf_keras'."""
    text, index = document.text, document.index
    for match in NAMED.finditer(text):
        yield index.position(match.start())[0], _missing(match[1])
    for match in INNER.finditer(text):
        yield index.position(match.start())[0], f"`{match[0]}` isn't a name of tf_keras' classes"
    for node in walk(document.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "keras":
                    yield node.lineno, "`keras` itself is Keras 3: tf_keras can't be beside it"
                elif alias.name.startswith(KERAS) and not _imported(node):
                    yield node.lineno, "this import of Keras isn't written for tf_keras"
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] == "keras" and not node.level:
                yield node.lineno, "`keras` itself is Keras 3: tf_keras can't be beside it"
            elif not _imported(node) and any(
                SAME.match(f"{module}.{alias.name}") for alias in node.names
            ):
                yield node.lineno, "this import of Keras isn't written for tf_keras"
    found = False
    for reference in names_of(document).references:
        keras = SAME.match(reference.name)
        if keras is not None:
            found = True
            why = _missing(reference.name[keras.end() :])
            why = why or ("Keras by `getattr`" if reference.literal is not None else "")
            yield reference.node.lineno, why
        elif ".keras." in f"{reference.name}.":
            name = "tf" + reference.name.removeprefix("tensorflow")
            yield reference.node.lineno, f"`{name}` isn't written for tf_keras"
    if (found or NAMED.search(text)) and _place(document) is None:
        yield 1, "no place for `import tf_keras`"


def _missing(name: str) -> str:
    return "" if not name or name in _known() else f"tf_keras has no `{name}`"


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    text = (Path(__file__).parent / "names.txt").read_text(encoding="ascii")
    return frozenset(text.split())


def _prefixes(document: Document) -> Iterator[ast.expr]:
    """What means Keras by way of TensorFlow's name, as far as `keras`."""
    for reference in names_of(document).references:
        if not f"{reference.name}.".startswith(f"{KERAS}."):
            continue
        at: ast.expr = reference.node
        while isinstance(at, ast.Attribute) and at.attr != "keras":
            at = at.value
        if isinstance(at, ast.Attribute):
            yield at


def _imported(node: ast.Import | ast.ImportFrom) -> str | None:
    """An import of Keras as one of tf_keras."""
    if isinstance(node, ast.Import):
        if not any(f"{a.name}.".startswith(f"{KERAS}.") for a in node.names):
            return None
        if len(node.names) > 1 or node.names[0].asname is None:
            return None
        alias = node.names[0]
        return f"import {PACKAGE}{alias.name.removeprefix(KERAS)} as {alias.asname}"
    module = node.module or ""
    if node.level:
        return None
    if module == "tensorflow" and [a.name for a in node.names] == ["keras"]:
        return f"import {PACKAGE} as {node.names[0].asname or 'keras'}"
    if not f"{module}.".startswith(f"{KERAS}."):
        return None
    names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names)
    return f"from {PACKAGE}{module.removeprefix(KERAS)} import {names}"


def _imports_it(tree: ast.Module) -> bool:
    return any(isinstance(n, ast.Import) and n.names[0].name == PACKAGE for n in tree.body)


def _place(document: Document) -> tuple[ast.stmt, bool] | None:
    """The statement beside which tf_keras is imported, and whether after it."""
    for node in document.tree.body:
        if isinstance(node, ast.Import) and any(a.name == "tensorflow" for a in node.names):
            return node, True
    for node in document.tree.body:
        if isinstance(node, ast.Import) or (
            isinstance(node, ast.ImportFrom) and node.module != "__future__"
        ):
            return node, False
    return None


def _import(document: Document) -> Edit:
    place = _place(document)
    if place is None:
        raise SourceError("no place for `import tf_keras`")
    start, end = document.index.span(place[0])
    if not place[1]:
        return Edit(start, start, f"import {PACKAGE}\n")
    line = document.text.find("\n", end)
    end = len(document.text) if line < 0 else line
    return Edit(end, end, f"\nimport {PACKAGE}")


def _saved(section: Any) -> Any:
    """A saver's names: layers have no hidden attributes, an optimizer's slots follow its count."""
    if isinstance(section, dict):
        found = {key: _saved(value) for key, value in section.items()}
        for key, value in found.items():
            if DEPTHWISE.search(key) and isinstance(value, str) and value.endswith("/kernel"):
                found[key] = value.removesuffix("kernel") + "depthwise_kernel"
        return {**found, "first": 1} if "first" in found else found
    if isinstance(section, list):
        return [_saved(value) for value in section]
    return HIDDEN.sub(r"\1\2", section) if isinstance(section, str) else section
