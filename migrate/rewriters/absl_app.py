"""TFM123 tf-flags: `tf.app.run` and `tf.app.flags`, which are wrappers around absl's.

`tf.app.run` is absl's `app.run` with two differences, and `tf.flags.FLAGS` is absl's `FLAGS` with
one: `tf.app.run` looks for `main` in the module `__main__` and tolerates flags that nobody defined;
`tf.flags.FLAGS` parses the command line when a flag is first read, absl only in `app.run`. So a
file moves to absl where it calls `app.run` itself and reads its flags only in functions that
can't run before. Everywhere else `tf.compat.v1.flags` and `tf.compat.v1.app` are kept: they work
in TF 2, and share their flags with absl. `FLAGS._parse_flags()`, which TF 1.5 dropped, becomes
`FLAGS(sys.argv, known_only=True)`.

https://abseil.io/docs/python/quickstart
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from migrate.engine.calls import Unbound, layout
from migrate.engine.findings import Edit
from migrate.engine.imports import remove_line
from migrate.engine.names import Binding, Reference, Scope
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import V1, FileContext, MethodSite, Site

FLAGS = Rule(
    "TFM123",
    "tf-flags",
    "tf.app and tf.flags, TensorFlow's wrappers around absl",
    module=__name__,
    doc=__doc__,
    url="https://abseil.io/docs/python/quickstart",
)
MODULES = ("tensorflow.app.flags", "tensorflow.flags")
VALUES = tuple(f"{module}.FLAGS" for module in MODULES)
PARSE = tuple(f"{value}._parse_flags" for value in VALUES)
# What the wrappers of these functions still take.
OLD_ARGUMENTS = {"flag_name": "name", "default_value": "default", "docstring": "help"}
OTHER_PARSERS = re.compile(r"\b(argparse|optparse|getopt|docopt|sys\.argv)\b")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says of its flags; the reasons are "" where absl can take over."""

    flags: str  # why its flags stay with tf.compat.v1
    run: str  # why its app.run does
    flags_name: str
    app_name: str


def _is_run(ref: Reference) -> bool:
    return ref.name in ("tensorflow.app.run", f"{V1}.app.run") and ref.call is not None


def _in_function(scope: Scope) -> bool:
    where: Scope | None = scope
    while where is not None:
        if isinstance(where.node, FUNCTIONS):
            return True
        where = where.parent
    return False


def _is_guard(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.If)
        and isinstance(stmt.test, ast.Compare)
        and isinstance(stmt.test.left, ast.Name)
        and stmt.test.left.id == "__name__"
    )


def _before_run(tree: ast.Module, runs: set[int]) -> tuple[list[ast.stmt], ast.Call | None]:
    """What runs when the file is started, up to `app.run`, and that call."""
    seen: list[ast.stmt] = []
    for stmt in tree.body:
        for inner in stmt.body if isinstance(stmt, ast.If) and _is_guard(stmt) else [stmt]:
            value = inner.value if isinstance(inner, ast.Expr) else None
            if isinstance(value, ast.Call) and id(value) in runs:
                return seen, value
            seen.append(inner)
    return seen, None


def _runs_early(stmts: list[ast.stmt], local: set[str]) -> bool:
    """Whether one of them uses a function or class of the file other than by defining it."""
    for stmt in stmts:
        if isinstance(stmt, FUNCTIONS):
            parts: list[ast.AST] = [*stmt.decorator_list, stmt.args]
        elif isinstance(stmt, ast.ClassDef):
            if _runs_early(stmt.body, local):
                return True
            parts = [*stmt.decorator_list, *stmt.keywords]
        else:
            parts = [stmt]
        for part in parts:
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id in local:
                    return True
    return False


@lru_cache(maxsize=2)
def facts(file: FileContext) -> Facts:
    """Whether the file's flags can be absl's."""
    names = file.names
    runs = {id(r.call) for r in names.references if _is_run(r)}
    local = {n.name for n in ast.walk(file.tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
    early, run = _before_run(file.tree, runs)
    words = {n.id for n in ast.walk(file.tree) if isinstance(n, ast.Name)} | local
    words |= {n.arg for n in ast.walk(file.tree) if isinstance(n, ast.arg)}
    words |= {
        (a.asname or a.name).partition(".")[0]
        for n in ast.walk(file.tree)
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    reason = ""
    if run is None:
        reason = "flags may be read before they are parsed: nothing here calls app.run"
    elif _runs_early(early, local):
        reason = "functions run before app.run, and may read flags"
    elif any(_reads_early(ref, names.references) for ref in names.references):
        reason = "flags are read before app.run parses them"
    name = _flags_name(file)
    if not reason and name is None and "flags" in words:
        name = "absl_flags" if "absl_flags" not in words else None
        reason = "" if name else "`flags` is taken"
    run_reason = ""
    if OTHER_PARSERS.search(file.text):
        run_reason = "the command line has another reader: tf.app.run tolerates unknown flags"
    elif "app" in words and "absl_app" in words:
        run_reason = "`app` is taken"
    return Facts(reason, run_reason, name or "flags", "absl_app" if "app" in words else "app")


def _reads_early(ref: Reference, every: list[Reference]) -> bool:
    """Whether a reference to FLAGS is more than a name for it, outside every function."""
    if not ref.name.startswith(VALUES):
        return False
    if ref.name in PARSE:
        return True
    return not _in_function(ref.scope) and not (
        ref.name in VALUES and isinstance(ref.parent, ast.Assign)
    )


def _alias(ref: Reference, tree: ast.Module) -> str | None:
    """The one module-level name of `flags = tf.app.flags`."""
    parent = ref.parent
    if not isinstance(parent, ast.Assign) or parent not in tree.body or len(parent.targets) != 1:
        return None
    target = parent.targets[0]
    if not isinstance(target, ast.Name) or not isinstance(ref.node, ast.Attribute):
        return None
    return target.id if len(ref.scope.bindings.get(target.id, ())) == 1 else None


def _flags_name(file: FileContext) -> str | None:
    """The name that the file has for the flags already."""
    for stmt in file.tree.body:
        if isinstance(stmt, ast.ImportFrom) and stmt.module == "absl":
            for item in stmt.names:
                if item.name == "flags":
                    return item.asname or item.name
    for ref in file.names.references:
        if ref.name in MODULES and (name := _alias(ref, file.tree)) is not None:
            return name
    for name, bindings in file.names.module.bindings.items():
        if len(bindings) == 1 and bindings[0].target in MODULES:
            return name
    return None


def _through(binding: Binding) -> bool:
    """Whether a name of the file's own stands for the module or for a part of it."""
    return binding.kind == "alias" or (binding.kind == "import" and binding.target.count(".") > 0)


def _kept(site: Site, reason: str) -> Result | None:
    if site.ref.binding.kind == "alias":
        return None  # the assignment says what it means
    target = V1 + site.endpoint.removeprefix("tensorflow")
    return site.renamed_result(FLAGS, target, f"{site.shown} is only in tf.compat.v1: {reason}")


@FLAGS.endpoint(*MODULES, *(f"{module}.*" for module in MODULES))
def flags(site: Site) -> Result | None:
    """Take absl's flags where they mean the same."""
    found = facts(site.file)
    reason = found.flags or ("" if site.ref.literal is None else "getattr() takes it")
    binding, name = site.ref.binding, found.flags_name
    leaf = site.endpoint.rpartition(".")[2] if site.endpoint not in MODULES else ""
    if not reason and not _through(binding) and not site.file.visible(name, site.ref.scope):
        reason = f"`{name}` is something else here"
    keywords = [] if reason else _keywords(site)
    if reason or keywords is None:
        return _kept(site, reason or "`**` may hold old names of its arguments")
    message = f"{site.shown} is absl's `flags{'.' * bool(leaf)}{leaf}`"
    needed = [Import(name, "absl", "flags")]
    alias = _alias(site.ref, site.file.tree) if not leaf else None
    if alias == name:
        assert isinstance(site.ref.parent, ast.Assign)
        edits = [remove_line(site.file, site.ref.parent)]
        return site.result(
            FLAGS, message, fix="from absl import flags", edits=edits, imports=needed, drops=True
        )
    if binding.kind == "import" and binding.target in (*MODULES, site.endpoint):
        moved = "absl.flags" if binding.target in MODULES else f"absl.flags.{leaf}"
        site.file.renamed[binding] = moved
        return site.result(FLAGS, message, fix="from absl import flags", edits=keywords)
    if binding.kind == "alias":
        return site.result(FLAGS, message, fix=leaf, edits=keywords) if keywords else None
    start, end = site.file.index.span(site.node)
    text = f"{name}.{leaf}" if leaf else name
    edits = [Edit(start, end, text), *keywords]
    return site.result(FLAGS, message, fix=text, edits=edits, imports=needed, drops=True)


def _keywords(site: Site) -> list[Edit] | None:
    """The edits that give a definition's keywords their new names."""
    if site.call is None or not site.endpoint.rpartition(".")[2].startswith("DEFINE"):
        return []
    edits = []
    for piece in layout(site.file.text, site.file.index, site.call).pieces:
        if piece.star == "**":
            return None
        if piece.keyword in OLD_ARGUMENTS:
            end = piece.start + len(piece.keyword)
            edits.append(Edit(piece.start, end, OLD_ARGUMENTS[piece.keyword]))
    return edits


@FLAGS.method("_parse_flags")
def parse(site: MethodSite) -> Result | None:
    """TF 1.4's way of parsing the command line, at both levels."""
    use = site.use
    names = [r.name for r in site.file.names.references if r.node is use.node]
    if not names or names[0].replace(V1, "tensorflow") not in PARSE:
        return None
    message = "FLAGS._parse_flags went in TF 1.5"
    if use.call is None or use.call.args or use.call.keywords:
        return FLAGS.report(use.node, message)
    start = site.file.index.span(use.node.value)[1]
    edit = Edit(start, site.file.index.span(use.call)[1], "(sys.argv, known_only=True)")
    result = FLAGS.fixed(use.node, message, "FLAGS(sys.argv, known_only=True)", [edit])
    result.imports.append(Import("sys", "sys"))
    return result


@FLAGS.endpoint("tensorflow.app.run")
def run(site: Site) -> Result | None:
    """Call absl's `app.run` with the main function."""
    found = facts(site.file)
    reason = found.run
    main = any(isinstance(s, FUNCTIONS) and s.name == "main" for s in site.file.tree.body)
    edits: list[Edit] = []
    try:
        call = site.bind()
        if not call.args and not call.hidden:
            edits.append(Edit(call.layout.open + 1, call.layout.open + 1, "main"))
            reason = reason or ("" if main else "no function `main` stands in this file")
        elif set(call.args) != {"main"} or call.hidden:
            reason = reason or "it is given the command line"
    except Unbound as error:
        reason = str(error)
    if _through(site.ref.binding) or site.ref.literal is not None:
        reason = reason or "it goes by a name of its own"
    if reason:
        return _kept(site, reason)
    start, end = site.file.index.span(site.node)
    return site.result(
        FLAGS,
        "tf.app.run is absl's app.run, which stops at a flag that nobody defined",
        fix=f"{found.app_name}.run",
        edits=[Edit(start, end, f"{found.app_name}.run"), *edits],
        imports=[Import(found.app_name, "absl", "app")],
        drops=True,
    )
