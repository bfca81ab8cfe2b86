"""Local names of methods as attributes: functions that stand in other methods read them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Any

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Blocked, Returning, Step
from migrate.rewriters.sessions.apart import rewritten

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Hidden(Blocked):
    """Local names that functions in other methods of the class would read."""

    def __init__(
        self, node: ast.AST, names: Iterable[tuple[ast.AST, ast.AST, str]], above: int
    ) -> None:
        self.above = above  # the file's lines begin after this one
        # The functions' lines, the names, and the first line of what binds each.
        found: dict[tuple[int, str], int] = {}
        for made, function, name in names:
            key, line = (getattr(function, "lineno", 0), name), getattr(made, "lineno", 0)
            found[key] = min(line, found.get(key, line))
        self.names = [(line, name, since) for (line, name), since in found.items()]
        super().__init__(node, f"`{self.names[0][1]}` is a local name of another function")


def inner_functions(walker: Any, step: Step) -> list[tuple[ast.AST, ast.AST, str]]:
    """The functions of a method that a statement of its graph calls, where it has moved to another.

    Not those that make layers or variables, which stay where the method makes them.
    """
    method = step.function
    if not isinstance(method, ast.FunctionDef):
        return []
    inner = {s.name: s for s in method.body if isinstance(s, ast.FunctionDef)}
    made = {id(c.func) for c in all_of(step.node, ast.Call) if id(c) in walker.layers}
    called = {n.id for n in all_of(step.node, ast.Name) if id(n) not in made} & inner.keys()
    return [(inner[n], method, n) for n in sorted(called) if not walker._variables_made(inner[n])]


def attributes_taken(documents: Sequence[Document], document: Document) -> set[str]:
    """The attributes that there are for a document's objects.

    What another file's class, of which there are no kin, has for itself alone is another one's.
    """
    classes = [(d, c) for d in documents for c in all_of(d.tree, ast.ClassDef)]
    bases = {ast.unparse(b).rpartition(".")[2] for _, c in classes for b in c.bases}
    own = {c.name for d, c in classes if d is document}
    found: set[str] = set()
    for other in documents:
        apart: set[int] = set()
        for cls in (c for d, c in classes if d is other and d is not document):
            plain = all(ast.unparse(b) == "object" for b in cls.bases)
            if plain and not bases & {cls.name, *own}:
                apart |= {id(n) for m in cls.body for n in _of_itself(m)}
        found |= {n.attr for n in all_of(other.tree, ast.Attribute) if id(n) not in apart}
    return found


def _of_itself(member: ast.stmt) -> list[ast.Attribute]:
    """The attributes of its own object that a method reads or sets."""
    if not isinstance(member, ast.FunctionDef) or not member.args.args:
        return []
    itself = member.args.args[0].arg
    return [
        n
        for n in all_of(member, ast.Attribute)
        if isinstance(n.value, ast.Name) and n.value.id == itself
    ]


def kept(document: Document, hidden: Hidden, taken: set[str]) -> Document | None:
    """The document with such names as attributes of the object; None where that can't be.

    ``taken``: the attributes that there are.
    """
    edits: dict[int, Edit] = {}
    used = set(taken)
    for line, name, since in hidden.names:
        found = [
            member
            for node in all_of(document.tree, ast.ClassDef)
            for member in node.body
            if isinstance(member, ast.FunctionDef) and member.lineno == line - hidden.above
        ]
        uses = _uses(found[0], name) if len(found) == 1 else None
        if uses is None:
            return None
        method = found[0]
        itself = method.args.args[0].arg
        own = _own(document, method, name)
        uses = _since(method, uses, since - hidden.above) if own is None else uses
        scope = _scope(method, since - hidden.above)
        longer = f"{scope or _about(method)}_{name}"
        attribute = name if name not in used or own is not None else longer
        if attribute in used and own is None:
            return None
        used.add(attribute)
        if own is not None:  # it is kept under its name already
            hidden_by = set(map(id, walk(own)))
            others = [n for n in uses if id(n) not in hidden_by]
            uses = [n for n in others if n.lineno > own.lineno]
            before = [n for n in others if n.lineno < own.lineno]
            if len(own.targets) == 2:  # `self.cell = cell = …`: the local name goes
                first, second = (document.index.span(t) for t in own.targets)
                local = isinstance(own.targets[0], ast.Name)
                value = document.index.span(own.value)[0]
                gone = (first[0], second[0]) if local else (second[0], value)
                edits[gone[0]] = Edit(*gone, "")
            elif not uses and any(not _binds(n) for n in before):  # it is read before it is kept
                uses = before
                if not any(map(_binds, before)) or name in {a.arg for a in method.args.args}:
                    return None
                edits[document.index.span(own)[0]] = _without(document, own)
        elif (inner := _function(method, name)) is not None:
            uses = [n for n in uses if n.lineno > (inner.end_lineno or 0)]
            at = document.index.offset((inner.end_lineno or 0) + 1, 0)
            line_of = document.index.offset(inner.lineno, 0)
            indent = document.text[line_of : document.index.span(inner)[0]]
            edits[-at] = Edit(at, at, f"\n{indent}{itself}.{attribute} = {name}\n")
        elif name in {a.arg for a in all_of(method.args, ast.arg)}:
            begin = method.body[bool(ast.get_docstring(method))]
            at = document.index.offset(begin.lineno, 0)
            indent = document.text[at : document.index.span(begin)[0]]
            # Before the statement, where another one may begin with such a name, too.
            known = edits.get(-at, Edit(at, at, ""))
            edits[-at] = Edit(at, at, f"{known.new}{indent}{itself}.{attribute} = {name}\n")
        for use in uses:
            start, end = document.index.span(use)
            edits[start] = Edit(start, end, f"{itself}.{attribute}")
    return rewritten(document, list(edits.values()))


def _function(method: ast.FunctionDef, name: str) -> ast.FunctionDef | None:
    """A function that stands in a method, alone under its name, and isn't decorated."""
    found = [s for s in method.body if isinstance(s, ast.FunctionDef) and s.name == name]
    uses = [n for n in all_of(method, ast.Name) if n.id == name]
    if len(found) != 1 or any(map(_binds, uses)) or found[0].decorator_list:
        return None
    return found[0] if method.body[-1] is not found[0] else None


def _since(method: ast.FunctionDef, uses: list[ast.Name], line: int) -> list[ast.Name]:
    """The uses of a name from a statement on, where it meant something else in a loop."""
    stmt = next((n for n in all_of(method, ast.Assign) if n.lineno == line), None)
    targets = stmt.targets if stmt is not None else []
    if not any(n in uses for t in targets for n in walk(t)):
        return uses  # the statement reads it
    before = [n for n in uses if n.lineno < line]
    looped = {id(n) for f in all_of(method, ast.For) for n in walk(f)}
    apart = all(id(n) in looped for n in before) and not any(id(n) in looped for n in targets)
    return [n for n in uses if n.lineno >= line] if apart and targets else uses


def _scope(method: ast.FunctionDef, line: int) -> str:
    """The name of the innermost scope around a line, where it can be a part of a name."""
    found = ""
    for block in walk(method):
        if isinstance(block, ast.With) and block.lineno < line <= (block.end_lineno or 0):
            for call in (item.context_expr for item in block.items):
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("_scope"):
                    said = _said(call)
                    found = said if said.isidentifier() else found
    return found


def _said(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    said = first.value if isinstance(first, ast.Constant) else None
    return said if isinstance(said, str) else ""


def _without(document: Document, stmt: ast.stmt) -> Edit:
    """A statement goes, with its line where nothing else is in it."""
    start, end = document.index.span(stmt)
    line = document.index.offset(stmt.lineno, 0)
    after = document.index.offset((stmt.end_lineno or stmt.lineno) + 1, 0)
    if document.text[line:start].strip() or document.text[end:after].strip():
        rest = len(document.text[end:after]) - len(document.text[end:after].lstrip(" \t"))
        return Edit(start, end + rest, "")
    return Edit(line, after, "")


def _about(method: ast.FunctionDef) -> str:
    """What a method builds, by its name."""
    name = re.sub(r"^_*(?:(?:add|build|create|make|init|define)_)?", "", method.name)
    return re.sub(r"_(?:op|ops)$", "", name).strip("_") or "built"


def _own(document: Document, method: ast.FunctionDef, name: str) -> ast.Assign | None:
    """``self.name = name`` in a method, where nothing else sets it."""
    stores = [
        n
        for n in all_of(document.tree, ast.Attribute)
        if n.attr == name and not isinstance(n.ctx, ast.Load)
    ]
    for stmt in method.body:
        if isinstance(stmt, ast.Assign) and stmt.targets == stores:
            if isinstance(stmt.value, ast.Name) and stmt.value.id == name:
                return stmt
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 2 or len(stores) != 1:
            continue
        if stores[0] in stmt.targets:
            local = next(t for t in stmt.targets if t is not stores[0])
            later = [n for n in _uses(method, name) or () if n.lineno > stmt.lineno]
            if isinstance(local, ast.Name) and local.id == name and not any(map(_binds, later)):
                return stmt
    return None


def assigned(
    documents: Sequence[Document], place: int, error: Returning
) -> list[tuple[int, Document]] | None:
    """The documents where a method sets the attributes that what it returned was assigned to.

    ``self.logits = self.inference()`` is ``self.inference()`` then, perhaps in the file of a base
    class; None where that can't be. ``place``: where the method stands.
    """
    document = documents[place]
    line: int = error.node.lineno  # type: ignore[attr-defined]
    methods = [
        member
        for node in all_of(document.tree, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef)
        and member.lineno <= line <= (member.end_lineno or line)
    ]
    if len(methods) != 1 or not methods[0].args.args:
        return None
    method, itself = methods[0], methods[0].args.args[0].arg
    inside = {
        id(n)
        for f in all_of(method, ast.FunctionDef)
        if f is not method
        for n in all_of(f, ast.Return)
    }
    returns = [n for n in all_of(method, ast.Return) if id(n) not in inside]
    last = method.body[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    if returns != [last] or not isinstance(last, ast.Return) or last.value is None:
        return None
    nodes = [n for d in documents for n in walk(d.tree)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}  # `tf.train.…`
    named = [
        n
        for n in nodes
        if isinstance(n, ast.Attribute) and n.attr == method.name and id(n) not in owners
        if not _of_another(documents, method, n)
    ]
    statements = [
        (at, n)
        for at, d in enumerate(documents)
        for n in all_of(d.tree, ast.Assign)
        if isinstance(n.value, ast.Call) and n.value.func in named
    ]
    if len(named) != 1 or len(statements) != 1 or len(statements[0][1].targets) != 1:
        return None
    (there, call), target = statements[0], statements[0][1].targets[0]
    caller = documents[there]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    if not all(isinstance(p, ast.Attribute) and ast.unparse(p.value) == itself for p in parts):
        met = _named(caller, call, nodes)  # then the method is met again
        return None if met is None else [(there, met)]
    if (
        isinstance(call.value, ast.Call)
        and ast.unparse(call.value.func) != f"{itself}.{method.name}"
    ):
        return None
    start, end = caller.index.span(call)[0], caller.index.span(call.value)[0]
    head = document.index.span(last)[0]
    values = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    pairs = list(zip(parts, values, strict=False)) if len(parts) == len(values) else []
    freed = Edit(start, end, "")
    edits: list[Edit] = []

    def changed(edits: list[Edit]) -> list[tuple[int, Document]] | None:
        each = {place: edits}
        each.setdefault(there, []).append(freed)
        done = [(at, rewritten(documents[at], some)) for at, some in each.items()]
        return (
            [(at, d) for at, d in done if d is not None]
            if None not in dict(done).values()
            else None
        )

    text, left = document.text, document.index.offset(last.lineno, 0)
    indent = text[left:head]
    if indent.strip():
        pairs = []  # it shares its line
    block = method.body
    while isinstance(block[-1], ast.With):
        block = block[-1].body
    once = len({ast.unparse(value) for value in values}) == len(values) and len(block) > 1
    under = [_under(document, method, last, *p) if once else None for p in pairs]
    names = {
        value.id: ast.unparse(part)
        for (part, value), found in zip(pairs, under, strict=True)
        if found is not None and isinstance(value, ast.Name)
    }
    for found in under:
        edits.extend(found or ())
    if pairs:
        lines = []
        done: set[str] = set()
        for (part, value), found in zip(pairs, under, strict=True):
            if found is None:
                if done & {ast.unparse(n) for n in all_of(value, ast.Attribute)}:
                    return None
                lines.append(f"{ast.unparse(part)} = {_renamed(document, value, names)}")
                done.add(ast.unparse(part))
        if not lines:  # the method ends with what the last name is given
            after = text.find("\n", document.index.span(last)[1]) + 1 or len(text)
            return changed([*edits, Edit(left, after, "")])
        edits.append(Edit(head, document.index.span(last)[1], f"\n{indent}".join(lines)))
        return changed(edits)
    name = caller.index.span(target)
    before = f"{caller.text[name[0] : name[1]]} = "
    edits.append(Edit(head, document.index.span(last.value)[0], before))
    return changed(edits)


def _of_another(documents: Sequence[Document], method: ast.FunctionDef, use: ast.Attribute) -> bool:
    """Whether a method is asked for that a class with another line has under the same name."""
    classes = [c for d in documents for c in all_of(d.tree, ast.ClassDef)]
    bases = {id(c): {ast.unparse(b).rpartition(".")[2] for b in c.bases} for c in classes}
    line = {c.name for c in classes if method in c.body}
    while more := {
        name
        for c in classes
        for name in ({c.name} if bases[id(c)] & line else bases[id(c)] if c.name in line else ())
    } - (line | {"object"}):
        line |= more
    for cls in classes:
        own = [m for m in cls.body if getattr(m, "name", "") == method.name]
        if own and cls.name not in line and holds(cls, use):
            around = [m for m in cls.body if isinstance(m, ast.FunctionDef) and holds(m, use)]
            firsts = [m.args.args[0].arg for m in around if m.args.args]
            return ast.unparse(use.value) in firsts
    return False


def _named(document: Document, call: ast.Assign, nodes: Iterable[ast.AST]) -> Document | None:
    """The local names that a method gives to what another one builds as attributes."""
    methods = [n for n in nodes if isinstance(n, ast.FunctionDef) and call in walk(n)]
    target = call.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    if len(methods) != 1 or not methods[0].args.args:
        return None
    (method,) = methods
    itself = method.args.args[0].arg
    names = [p.id for p in parts if isinstance(p, ast.Name)]
    taken = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    taken |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    taken |= {a.arg for a in all_of(method.args, ast.arg)}
    edits: list[Edit] = []
    for name in names:
        uses = _uses(method, name)
        if uses is None or name in taken or name == "_" or sum(map(_binds, uses)) != 1:
            return None
        edits += [Edit(*document.index.span(n), f"{itself}.{name}") for n in uses]
    return rewritten(document, edits) if edits and len(set(names)) == len(names) else None


def _renamed(document: Document, node: ast.expr, names: dict[str, str]) -> str:
    """An expression's source with other names in it."""
    start, end = document.index.span(node)
    source = document.text[start:end]
    places = [n for n in all_of(node, ast.Name) if n.id in names]
    for place in sorted(places, key=lambda n: document.index.span(n), reverse=True):
        lo, hi = document.index.span(place)
        source = source[: lo - start] + names[place.id] + source[hi - start :]
    return f"({source})" if "\n" in source else source


def _under(
    document: Document, method: ast.FunctionDef, last: ast.Return, target: ast.expr, value: ast.expr
) -> list[Edit] | None:
    """What makes a local name of a method the attribute; None where that can't be."""
    if isinstance(value, ast.Name) and _function(method, value.id) is not None:
        return None  # it stays where it is defined
    if not isinstance(value, ast.Name) or not isinstance(target, ast.Attribute):
        return None
    uses = _uses(method, value.id)
    if uses is None or any(a.arg == value.id for a in all_of(method, ast.arg)):
        return None
    if any(isinstance(n, ast.Attribute) and n.attr == target.attr for n in walk(method)):
        return None
    inside = set(map(id, walk(last)))
    new = ast.unparse(target)
    return [Edit(*document.index.span(n), new) for n in uses if id(n) not in inside]


def _uses(method: ast.FunctionDef, name: str) -> list[ast.Name] | None:
    """Where a method has one of its local names; None where it may be another scope's, too."""
    args = method.args
    if not args.args or name == args.args[0].arg:
        return None
    shadowed: set[int] = set()  # where a function in the method means its own by the name
    for node in walk(method):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            return None
        if isinstance(node, ast.JoinedStr) and name in _names(node):
            return None
        if node is method or not isinstance(node, SCOPES):
            continue
        own = {a.arg for a in all_of(node, ast.arg)}
        own |= {n.id for n in all_of(node, ast.Name) if _binds(n)}
        if args.args[0].arg in own:
            return None
        if name in own and isinstance(node, (ast.FunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            shadowed |= {id(n) for part in body for n in walk(part)}
        elif name in own:
            return None
    return [n for n in all_of(method, ast.Name) if n.id == name and id(n) not in shadowed]


def _binds(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in all_of(node, ast.Name)}
