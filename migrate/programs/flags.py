"""What a file says of its command line: whether absl can parse its flags as TensorFlow did."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, replace
from functools import lru_cache

from migrate.engine.names import Reference, Scope
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import all_of, walk

MODULES = ("tensorflow.app.flags", "tensorflow.flags")
VALUES = tuple(f"{module}.FLAGS" for module in MODULES)
PARSE = tuple(f"{value}._parse_flags" for value in VALUES)
OTHER_PARSERS = re.compile(r"\b(argparse|optparse|getopt|docopt|sys\.argv)\b")
# What a file may import without a program's own module, which may read the command line.
PLAIN = sys.stdlib_module_names | {
    *("tensorflow", "absl", "six", "future", "numpy", "scipy", "pandas", "sklearn", "matplotlib"),
    *("PIL", "cv2", "tqdm", "h5py", "keras"),
}
# Names of settings that a command line may have given.
SETTINGS = re.compile(
    r"(?i)(^|_)(flags?|args?|arguments?|opts?|options?|conf|config\w*|configure|params?|settings?"
    r"|hparams?|hyperparams?|pars(er|e)|cli)(_|$)"
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says of its flags; the reasons are "" where absl can take over."""

    flags: str  # why its flags stay with tf.compat.v1
    run: str  # why its app.run does
    flags_name: str
    app_name: str
    tolerant: bool = False  # `run` is only for flags that nobody defined
    parser_name: str = "flags"  # where the file has none of TensorFlow's
    parsed: Parsed | None = None  # where they are parsed, as nothing here calls app.run first


@dataclass(frozen=True, slots=True)
class Parsed:
    """Where flags that are read without `app.run` are parsed, and by what name."""

    told: ast.expr  # the name that says so: the module's alias, or that of the last definition
    stmt: ast.stmt  # behind it
    values: str  # what the file calls FLAGS


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
            for node in walk(part):
                if isinstance(node, ast.Name) and node.id in local:
                    return True
    return False


@lru_cache(maxsize=2)
def facts(file: FileContext) -> Facts:
    """Whether the file's flags can be absl's."""
    names = file.names
    runs = {id(r.call) for r in names.references if _is_run(r)}
    local = {n.name for n in walk(file.tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
    early, run = _before_run(file.tree, runs)
    words = {n.id for n in all_of(file.tree, ast.Name)} | local
    words |= {n.arg for n in all_of(file.tree, ast.arg)}
    words |= {
        (a.asname or a.name).partition(".")[0]
        for n in walk(file.tree)
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
    parsed = None
    if reason:
        parsed = _parsed(file, local, run)
        reason = "" if parsed is not None else reason
    if not reason and name is None and "flags" in words:
        name = "absl_flags" if "absl_flags" not in words else None
        reason = "" if name else "`flags` is taken"
    run_reason, tolerant = "", True
    if OTHER_PARSERS.search(file.text):
        run_reason = "the command line has another reader: tf.app.run tolerates unknown flags"
    elif not any(_of_flags(r.name) for r in names.references) and _others(file.tree):
        run_reason = "its settings are another file's, which may read the command line"
    else:
        tolerant = False
    app = next((n for n in ("app", "absl_app") if n not in words), "")
    parser = name or next((n for n in ("flags", "absl_flags") if n not in words), "")
    mine = any(_of_flags(r.name) for r in names.references)
    if not app:
        run_reason, tolerant = "`app` is taken", False
    tolerant = tolerant and bool(parser) and not (mine and reason)
    if parsed is not None and not parsed.values:
        parsed = replace(parsed, values=f"{name or 'flags'}.FLAGS")
    parsed = None if reason else parsed
    return Facts(reason, run_reason, name or "flags", app, tolerant, parser, parsed)


def _parsed(file: FileContext, local: set[str], run: ast.Call | None) -> Parsed | None:
    """Where a file that defines all its flags at its beginning may parse them before it reads one.

    TF 1 did so when the first one was read, by a parser that stops at unknown ones, too.
    """
    if run is not None:
        return None  # absl parses them a second time then
    tree, references = file.tree, file.names.references
    defined: list[ast.Call] = []
    for ref in references:
        if _of_flags(ref.name) and ref.name.rpartition(".")[2].startswith("DEFINE"):
            if ref.call is None or not any(
                isinstance(s, ast.Expr) and s.value is ref.call for s in tree.body
            ):
                return None
            defined.append(ref.call)
        elif ref.name in PARSE:
            return None
    if not defined:
        return None
    last = max(defined, key=lambda call: call.lineno)
    values = [s for s in tree.body if isinstance(s, ast.Assign) and _is_values(s, references)]
    modules = [r for r in references if r.name in MODULES and alias_of(r, tree) is not None]
    told = modules[0].node if modules else last.func
    end = max([last.lineno, *(s.lineno for s in values)])
    named = values[0].targets[0] if len(values) == 1 else None
    said = named.id if isinstance(named, ast.Name) else ""
    reads = {id(r.node) for r in references if r.name.startswith(VALUES) and r.name not in VALUES}
    reads |= {id(n.value) for n in walk(tree) if isinstance(n, ast.Attribute)} & {
        id(r.node) for r in references if r.name in VALUES
    }
    for stmt in tree.body:
        plain = not isinstance(stmt, (*FUNCTIONS, ast.ClassDef)) and not (
            isinstance(stmt, ast.If) and _is_guard(stmt)  # another file may call what it calls
        )
        early = not isinstance(stmt, ast.If) and _runs_early([stmt], local)
        inside = [stmt] if plain else stmt.body if isinstance(stmt, ast.ClassDef) else []
        if early or any(id(n) in reads for one in inside for n in walk(one)):
            if stmt.lineno <= end:
                return None
            behind = next(s for s in tree.body if s.lineno == end)
            return Parsed(told, behind, said)
    return None


def _is_values(stmt: ast.Assign, references: list[Reference]) -> bool:
    """``FLAGS = tf.app.flags.FLAGS``."""
    return any(r.node is stmt.value and r.name in VALUES for r in references)


def _of_flags(name: str) -> bool:
    """Whether a name is one of TensorFlow's flags."""
    return name.replace(V1, "tensorflow").startswith(MODULES)


def _others(tree: ast.Module) -> bool:
    """Whether a file without absl's flags takes settings from a module of its program."""
    found = False
    for node in walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.startswith("absl") and any(a.name == "flags" for a in node.names):
                return False
            own = bool(node.level) or module.partition(".")[0] not in PLAIN
            names = [module.rpartition(".")[2], *(a.name for a in node.names)]
            found = found or (own and any(n == "*" or SETTINGS.search(n) for n in names))
        elif isinstance(node, ast.Import):
            if any(a.name == "absl.flags" for a in node.names):
                return False
            own_names = (a.name for a in node.names if a.name.partition(".")[0] not in PLAIN)
            found = found or any(SETTINGS.search(n.rpartition(".")[2]) for n in own_names)
    return found


def _reads_early(ref: Reference, every: list[Reference]) -> bool:
    """Whether a reference to FLAGS is more than a name for it, outside every function."""
    if not ref.name.startswith(VALUES):
        return False
    if ref.name in PARSE:
        return True
    return not _in_function(ref.scope) and not (
        ref.name in VALUES and isinstance(ref.parent, ast.Assign)
    )


def alias_of(ref: Reference, tree: ast.Module) -> str | None:
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
        if ref.name in MODULES and (name := alias_of(ref, file.tree)) is not None:
            return name
    for name, bindings in file.names.module.bindings.items():
        if len(bindings) == 1 and bindings[0].target in MODULES:
            return name
    return None
