"""Import statements: what they name now, what is added, what goes. Once per file, at the end."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from migrate import symbols
from migrate.engine.calls import _find, _first_token
from migrate.engine.findings import Edit
from migrate.engine.functions import TF2
from migrate.engine.names import ROOTS, Binding, free_name, from_shim
from migrate.engine.rule import Import, Result
from migrate.engine.site import NOT_IMPORTABLE, V1, FileContext
from migrate.engine.switch import (
    anchor_of,
    first_statement,
    indent_of,
    is_top,
    newline_of,
    switch_off,
)
from migrate.engine.trees import walk
from migrate.symbols.outcomes import Same

Statement = ast.Import | ast.ImportFrom


@dataclass(slots=True)
class Target:
    """What an alias of an import statement is to name; ``module`` "" for `import x`."""

    module: str
    name: str
    bound: str

    def clause(self, plain: str) -> str:
        """The text of the alias; ``plain`` is what the name binds without `as`."""
        return self.name if self.bound == plain else f"{self.name} as {self.bound}"


@dataclass(slots=True)
class ImportPlan:
    """The edits to a file's imports."""

    edits: list[Edit] = field(default_factory=list)


def plan_imports(
    file: FileContext, results: list[Result], *, switch: bool, call: bool
) -> ImportPlan:
    """Edits to the imports of a file whose places have been planned.

    ``switch``: names of `tensorflow` become names of compat.v1. ``call``: v2 behaviour is switched
    off in this file.
    """
    plan = ImportPlan()
    unused = dropped(file, results)
    if call:  # it is made under a name that the file has
        unused -= _switch_bindings(file)
    wanted: list[Import] = []
    for result in results:
        for item in result.imports:
            if item not in wanted:
                wanted.append(item)
    lines = {_line(item): item for item in wanted}
    removed: list[Statement] = []
    named: list[tuple[ast.stmt, str]] = []
    for stmt, _, _ in file.names.imports:
        bindings = [
            b for bs in _bindings(file) for b in bs if b.stmt is stmt and b.kind == "import"
        ]
        gone = [b for b in bindings if b in unused or _twice(file, b)]
        moved = {
            b: t
            for b in bindings
            if b not in gone and (t := _destination(file, b, switch)) is not None
        }
        named.extend((stmt, t.bound) for t in moved.values() if not t.module and t.name == V1)
        _statement(file, stmt, gone, moved, plan.edits, removed, bool(lines))
    name = ""
    if call:
        name = _name_for_switch(file, named, switch)
        if not name:
            name = "tf" if free_name("tf", file.text) else "tf1"
            lines[f"import {V1} as {name}"] = Import(name, V1)
    if lines:
        _add(file, sorted(lines), removed, plan.edits)
    gone_statements = list(removed)  # without the one whose place the new imports took
    for stmt in removed:
        plan.edits.append(remove_statement(file, stmt))
    if call:
        plan.edits.extend(switch_off(file, name, named, gone_statements))
    return plan


def _twice(file: FileContext, binding: Binding) -> bool:
    """Whether `import tensorflow.contrib.x` would bind `tensorflow` as another import does."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    if binding not in file.renamed or alias.asname or not isinstance(binding.stmt, ast.Import):
        return False
    return any(
        isinstance(b.node, ast.alias) and b.node.name == "tensorflow" and b.kind == "import"
        for bindings in _bindings(file)
        if binding in bindings
        for b in bindings
    )


def _switch_bindings(file: FileContext) -> set[Binding]:
    """The imports of TensorFlow that the call to switch v2 behaviour off may use."""
    found = {file.module_name(file.names.module, V1), file.module_name(file.names.module)}
    return {
        binding for name in found if name for binding in file.names.module.bindings.get(name, ())
    }


def _name_for_switch(file: FileContext, named: list[tuple[ast.stmt, str]], switch: bool) -> str:
    """A name for compat.v1 where the switch is called; "" if there is none yet."""
    top = [name for stmt, name in named if stmt in file.tree.body or is_top(file, stmt)]
    if top:
        return top[0]
    if named and not isinstance(anchor_of(file), (ast.Import, ast.ImportFrom, ast.Try)):
        return named[0][1]  # the switch stands in functions too
    known = file.module_name(file.names.module, V1)
    plain = file.module_name(file.names.module)
    if known is None and plain is not None and not switch:
        return f"{plain}.compat.v1"
    return known or ""


def import_bindings(file: FileContext) -> list[Binding]:
    """The bindings that TensorFlow's imports make, in the order of the file."""
    found = [
        b
        for bindings in _bindings(file)
        for b in bindings
        if b.kind == "import" and b.target.partition(".")[0] in ROOTS
    ]
    return sorted(found, key=lambda b: (b.node.lineno, b.node.col_offset))  # type: ignore[attr-defined]


def _bindings(file: FileContext) -> list[list[Binding]]:
    seen: list[list[Binding]] = list(file.names.module.bindings.values())
    known = {id(file.names.module)}
    for reference in file.names.references:
        scope = reference.scope
        while scope is not None and id(scope) not in known:
            known.add(id(scope))
            seen.extend(scope.bindings.values())
            scope = scope.parent  # type: ignore[assignment]
    return seen


def _line(item: Import) -> str:
    if item.attribute:
        bound = f" as {item.name}" if item.name != item.attribute else ""
        return f"from {item.module} import {item.attribute}{bound}"
    return f"import {item.module}" + (f" as {item.name}" if item.name != item.module else "")


def dropped(file: FileContext, results: list[Result]) -> set[Binding]:
    """Import bindings of which every use is rewritten to something else, or that have none."""
    said = {id(r.node) for r in results}
    idle = {binding for binding in file.idle if id(binding.node) in said}
    gone = {id(r.drops) for r in results if r.drops is not None}
    uses: dict[Binding, list[bool]] = {}
    for reference in file.names.references:
        for binding in reference.bindings:
            if binding.kind == "import":
                uses.setdefault(binding, []).append(id(reference.root) in gone)
    # Functions for sessions name TensorFlow by a name that stands for the import's.
    kept = "tensorflow" if TF2 in file.text else None
    return idle | {
        b
        for b, all_gone in uses.items()
        if all(all_gone) and b not in file.used and b.target != kept
    }


def _destination(file: FileContext, binding: Binding, switch: bool) -> Target | None:
    """What an import names now, where that changes."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    stmt = binding.stmt
    bound = alias.asname or alias.name
    renamed = file.renamed.get(binding)
    if renamed is not None and isinstance(stmt, ast.Import) and not alias.asname:
        # `import tensorflow.contrib.x` binds `tensorflow`, which is all that is left of it.
        return Target("", V1 if switch else "tensorflow", "tensorflow")
    if renamed is not None:
        module, _, name = _importable(renamed).rpartition(".")
        return Target(module, name, bound)
    if not switch or versions(file, binding):
        return None
    if isinstance(stmt, ast.Import):
        if alias.name == "tensorflow":
            return Target("", V1, bound)
        if alias.asname and _in_v1(alias.name):
            return Target("", V1 + alias.name.removeprefix("tensorflow"), bound)
        return None
    assert isinstance(stmt, ast.ImportFrom)
    name = f"{stmt.module}.{alias.name}"
    if stmt.module == "tensorflow" or _in_v1(stmt.module or ""):
        found = symbols.split(name)
        record = symbols.outcome(found[0]) if found else None
        if record is None or record.compat == "lost":
            return None
        if isinstance(record.outcome, Same) and record.kind != "module":
            return None
        if alias.name in NOT_IMPORTABLE and alias.name == "keras":
            return None
        return Target(V1 + (stmt.module or "").removeprefix("tensorflow"), alias.name, bound)
    return None


def _importable(target: str) -> str:
    """A name below a module that compat.v1 has as an attribute only, by the path that imports."""
    head, _, rest = target.removeprefix(f"{V1}.").partition(".")
    if not rest or not target.startswith(f"{V1}.") or head not in NOT_IMPORTABLE:
        return target
    plain = "tensorflow" + target.removeprefix(V1)
    return plain if symbols.resolves(plain) else target


def versions(file: FileContext, binding: Binding) -> bool:
    """Whether the author imports one of several under this name, for several versions."""
    alias = binding.node
    for bindings in _bindings(file):
        if binding in bindings:
            others = [b for b in bindings if b is not binding and b.node is not alias]
            # Bound to something else that is no stand-in for "not installed".
            return any(
                b.target != binding.target and (b.kind != "other" or _is_import(b) or from_shim(b))
                for b in others
            )
    return False


def _is_import(binding: Binding) -> bool:
    return isinstance(binding.node, ast.alias)


def _in_v1(module: str) -> bool:
    """Whether a public sub-module can be imported from compat.v1."""
    if not module.startswith("tensorflow.") or module.startswith("tensorflow.compat."):
        return False
    first = module.split(".")[1]
    if first in NOT_IMPORTABLE or first in ("python", "core", "contrib", "examples"):
        return False
    return symbols.is_module(module) and symbols.resolves(V1 + module.removeprefix("tensorflow"))


def _statement(
    file: FileContext,
    stmt: Statement,
    gone: list[Binding],
    moved: dict[Binding, Target],
    edits: list[Edit],
    removed: list[Statement],
    replaced: bool,
) -> None:
    """Edit one import statement."""
    if not gone and not moved:
        return
    by_alias = {id(b.node): t for b, t in moved.items()}
    lost = {id(b.node) for b in gone}
    if len(gone) == len(stmt.names):
        removed.append(stmt)
        return
    if isinstance(stmt, ast.Import):
        moving = [by_alias[id(a)] for a in stmt.names if id(a) in by_alias]
        froms = [f"from {t.module} import {t.clause(t.name)}" for t in moving if t.module]
        if len(froms) + len(lost) == len(stmt.names):
            start, end = file.index.span(stmt)
            indent = indent_of(file, start)
            joint = "; " if indent is None else newline_of(file) + indent
            edits.append(Edit(start, end, joint.join(froms)))
            return
        for alias in stmt.names:
            target = by_alias.get(id(alias))
            if target is not None and target.module:
                lost.add(id(alias))
            elif target is not None:
                lo, hi = file.index.span(alias)
                edits.append(Edit(lo, hi, target.clause(target.name)))
        for line in froms:
            _before(file, stmt, line, edits)
        _drop_aliases(file, stmt, lost, edits)
        return
    module = stmt.module or ""
    groups: dict[str, list[ast.alias]] = {}
    for alias in stmt.names:
        if id(alias) not in lost:
            target = by_alias.get(id(alias))
            groups.setdefault(target.module if target else module, []).append(alias)
    main = module if module in groups else max(groups, key=lambda m: len(groups[m]))
    if main != module:
        lo, hi = _module_span(file, stmt)
        edits.append(Edit(lo, hi, main))
    for name, aliases in groups.items():
        if name != main:
            clauses = ", ".join(_clause(by_alias, a) for a in aliases)
            _before(file, stmt, f"from {name} import {clauses}", edits)
            lost.update(id(a) for a in aliases)
        else:
            for alias in aliases:
                text = _clause(by_alias, alias)
                lo, hi = file.index.span(alias)
                if id(alias) in by_alias and file.text[lo:hi] != text:
                    edits.append(Edit(lo, hi, text))
    _drop_aliases(file, stmt, lost, edits)


def _clause(by_alias: dict[int, Target], alias: ast.alias) -> str:
    target = by_alias.get(id(alias))
    if target is None:
        return alias.name + (f" as {alias.asname}" if alias.asname else "")
    if target.name == alias.name and alias.asname:
        return f"{alias.name} as {alias.asname}"
    return target.clause(target.name)


def _module_span(file: FileContext, stmt: ast.ImportFrom) -> tuple[int, int]:
    start, end = file.index.span(stmt)
    at = _first_token(file.text, start + len("from"), end)
    stop = at
    while file.text[stop] not in " \t\\\r\n":
        stop += 1
    return at, stop


def _drop_aliases(file: FileContext, stmt: Statement, lost: set[int], edits: list[Edit]) -> None:
    text, index = file.text, file.index
    names = stmt.names
    kept = [i for i, a in enumerate(names) if id(a) not in lost]
    for number, alias in enumerate(names):
        if id(alias) not in lost:
            continue
        lo, hi = index.span(alias)
        if kept and number < kept[-1]:
            following, _ = index.span(names[number + 1])
            comma = _find(text, hi, following, ",")
            if "#" in text[hi:following]:
                edits.append(Edit(lo, comma + 1, ""))
            else:
                edits.append(Edit(lo, following, ""))
        else:
            _, before = index.span(names[number - 1])
            comma = _find(text, before, lo, ",")
            edits.append(Edit(comma, hi, "") if "#" not in text[comma:lo] else Edit(lo, hi, ""))
            if "#" in text[comma:lo]:
                edits.append(Edit(comma, comma + 1, ""))


def _before(file: FileContext, stmt: ast.stmt, line: str, edits: list[Edit]) -> None:
    start, _ = file.index.span(stmt)
    decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
    if decorators:
        start = file.text.rindex("@", 0, file.index.span(decorators[0])[0])
    indent = indent_of(file, start)
    joint = "; " if indent is None else newline_of(file) + indent
    edits.append(Edit(start, start, line + joint))


def _add(file: FileContext, lines: list[str], removed: list[Statement], edits: list[Edit]) -> None:
    anchor = anchor_of(file) or first_statement(file)
    present = {
        ast.unparse(s) for s in file.tree.body if isinstance(s, (ast.Import, ast.ImportFrom))
    }
    lines = [line for line in lines if line not in present]
    if not lines:
        return
    used = min((ref.node.lineno for ref in file.names.references), default=0)
    for stmt in removed:
        if used and used < stmt.lineno:
            continue  # what is imported is asked for above
        if stmt in file.tree.body and indent_of(file, file.index.span(stmt)[0]) is not None:
            lo, hi = file.index.span(stmt)
            edits.append(Edit(lo, hi, newline_of(file).join(lines)))
            removed.remove(stmt)
            return
    for line in lines:
        _before(file, anchor, line, edits)


def _names_tensorflow(stmt: Statement) -> bool:
    modules = [a.name for a in stmt.names] if isinstance(stmt, ast.Import) else [stmt.module or ""]
    return any(module.startswith("tensorflow") for module in modules)


def remove_statement(file: FileContext, stmt: ast.stmt) -> Edit:
    """Take a statement away; a block that it was all of keeps a `pass`."""
    lo, hi = file.index.span(stmt)
    if _alone(file.tree, stmt):
        return Edit(lo, hi, "pass")
    line, _ = file.index.position(lo)
    last, _ = file.index.position(hi)
    start, end = file.index.line_start(line), file.index.line_start(last + 1)
    if file.text[start:lo].strip() or file.text[hi:end].strip():
        after = _first_token(file.text, hi, end)
        if after < end and file.text[after] == ";":
            return Edit(lo, _first_token(file.text, after + 1, end), "")
        return Edit(lo, hi, "pass" if file.text[start:lo].strip() else "")
    return Edit(start, end, "")


def remove_line(file: FileContext, stmt: ast.stmt) -> Edit:
    """Take a statement away, and of the blank lines on both sides of it the one behind."""
    edit = remove_statement(file, stmt)
    ahead = file.text[: edit.start].rstrip(" \t")
    if edit.new == "pass" and ahead.endswith(";") and not _alone(file.tree, stmt):
        return Edit(len(ahead) - 1, edit.end, "")
    if not edit.new and file.text[edit.end :].lstrip(" \t").startswith("#"):
        return Edit(edit.start, _first_blank_end(file.text, edit.end), "")
    before, after = file.text[: edit.start], file.text[edit.end :]
    if edit.new or not before.endswith(("\n\n", "\n\r\n")):
        return edit
    for blank in ("\n", "\r\n"):
        if after.startswith(blank):
            return Edit(edit.start, edit.end + len(blank), "")
    return edit


def _first_blank_end(text: str, at: int) -> int:
    while text[at] in " \t":
        at += 1
    return at


def _alone(tree: ast.Module, stmt: ast.stmt) -> bool:
    for node in walk(tree):
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None) == [stmt]:
                return True
    return False
