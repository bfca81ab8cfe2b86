"""The tutorials' MNIST reader in a program without a graph: the file is given a reader of its own.

What runs a graph gets it where its session becomes functions; this is for programs of NumPy, of
another framework, or of eager execution, which only read their data by TensorFlow.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set

from migrate.engine.findings import Applicability, Edit, Level
from migrate.engine.names import Binding
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext, Site
from migrate.engine.switch import indent_of, newline_of
from migrate.engine.trees import walk

MODULES = (
    "tensorflow.examples.tutorials.mnist.input_data",
    "tensorflow.contrib.learn.datasets.mnist",
    "tensorflow.contrib.learn.python.learn.datasets.mnist",
)
READERS = frozenset(f"{module}.read_data_sets" for module in MODULES)
KNOWN = ("train_dir", "one_hot", "validation_size", "reshape", "seed")
IMPORTS = (
    Import("gzip", "gzip"),
    Import("np", "numpy"),
    Import("os", "os"),
    Import("SimpleNamespace", "types", "SimpleNamespace"),
)
NAMES = frozenset({"Mnist", "read_data_sets"})
FIX = "read_data_sets, in the file: it reads the four files of train_dir and downloads nothing"


def given(site: Site, rule: Rule) -> Result | None:
    """What becomes of a place that names the reader; None where it isn't followed."""
    if site.level is not Level.NATIVE or site.endpoint not in (*MODULES, *READERS):
        return None
    place = site.file.memo.setdefault("own reader", _place(site.file))
    if place is None:
        return None
    if site.endpoint in MODULES:
        return site.result(rule, f"{site.shown} goes", fix="read_data_sets, in the file")
    call = site.call
    assert call is not None
    lo, hi = site.file.index.span(call.func)
    edits = (
        [Edit(lo, hi, "read_data_sets")] if site.file.source(call.func) != "read_data_sets" else []
    )
    made = site.file.memo.setdefault("own reader made", site.ref.node)
    if made is site.ref.node:
        from migrate.rewriters.sessions.mnist import SOURCE

        edits.append(defined(site.file, place, SOURCE))
    result = site.result(
        rule,
        f"{site.shown} went with the tutorials: the file has a reader with the same batches",
        fix=FIX,
        edits=edits,
        imports=list(IMPORTS),
        drops=True,
    )
    result.applicability = Applicability.SAFE
    return result


def lent(file: FileContext, binding: Binding, rule: Rule, shown: str) -> Result | None:
    """The reader that a file imports for others alone, as the tutorials' `input_data.py` does.

    None where the import has another name or stands in a block, or something in the file has the
    names that the reader needs.
    """
    alias, stmt = binding.node, binding.stmt
    if file.level is not Level.NATIVE or not isinstance(alias, ast.alias) or alias.asname:
        return None
    if stmt not in file.tree.body or taken(file.tree, IMPORTS, NAMES | {"FakeMnist"}):
        return None
    from migrate.rewriters.sessions.mnist import source

    place, reader = behind(file, [binding]), source(typed=True, batched=True, faked=True)
    file.idle.add(binding)
    return Result(
        rule,
        alias,
        f"{shown} went with the tutorials: the file has a reader with the same batches",
        shown,
        FIX,
        [defined(file, len(file.text) if place is None else place, reader)],
        list(IMPORTS),
        Applicability.SAFE,
    )


def _place(file: FileContext) -> int | None:
    """Where a file gets its reader; None where it can't have it."""
    if "set_random_seed" in file.text or "set_seed" in file.text:
        return None
    if taken(file.tree, IMPORTS, NAMES):
        return None
    ours: list[Binding] = []
    for ref in file.names.references:
        if not ref.name.startswith(MODULES):
            continue
        if ref.name not in READERS or ref.call is None or ref.guarded or len(ref.bindings) != 1:
            return None
        if ref.binding.kind != "import" or ref.binding.guard is not None:
            return None
        if ref.binding.stmt not in file.tree.body:
            return None
        args = ref.call.args
        if any(isinstance(a, ast.Starred) for a in args) or len(args) > 1:
            return None
        if any(k.arg not in KNOWN for k in ref.call.keywords):
            return None
        ours.append(ref.binding)
    return behind(file, ours) if ours else None


def behind(file: FileContext, imports: Sequence[Binding]) -> int | None:
    """Where a definition stands behind some of a file's imports; None: nowhere."""
    body = file.tree.body
    first = max(body.index(b.stmt) for b in imports if b.stmt is not None)
    for stmt in body[first + 1 :]:
        if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
            start = min([stmt.lineno, *(d.lineno for d in getattr(stmt, "decorator_list", ()))])
            while file.text[: file.index.line_start(start)].splitlines()[-1].startswith("#"):
                start -= 1  # what is said of the statement stays above it
            lo = file.index.line_start(start)
            return lo if indent_of(file, file.index.span(stmt)[0]) == "" else None
    return None


def defined(file: FileContext, place: int, source: str) -> Edit:
    """A definition at a place, with its blank lines."""
    above, end = file.text[:place], newline_of(file)
    blanks = above[len(above.rstrip("\r\n")) :].count("\n") - 1
    return Edit(place, place, ("\n" * max(0, 2 - blanks) + f"{source}\n\n").replace("\n", end))


def taken(tree: ast.Module, imports: Sequence[Import], names: Set[str]) -> bool:
    """Whether a name of a definition, or one that it needs, means something else in the file."""
    meant = {item.name: f"{item.module}.{item.attribute}".rstrip(".") for item in imports}
    for node in walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                whole = alias.name if alias.asname or module else name
                if meant.get(name, module + whole) != module + whole or (
                    name in names and (name != alias.name or not module.startswith("tensorflow"))
                ):
                    return True
            continue
        bound = getattr(node, "name", None) or getattr(node, "arg", None)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound = node.id
        other = not isinstance(node, (ast.alias, ast.keyword))
        if other and (bound in meant or bound in names):
            return True
    return False
