"""Names by scope, not by text: which expressions of a module mean TensorFlow.

One walk over the statements that can matter (a regular expression over the text says which lines
name something of interest; everything else is skipped) collects bindings and uses; uses are
resolved afterwards, because a function may use what the module binds further down.

The result is flow-insensitive. A name with bindings of more than one meaning in its scope is
*ambiguous*: it is reported, never guessed.
"""

from __future__ import annotations

import ast

from migrate.engine.names import ROOTS, Binding, Names, Problem, Reference, Scope, dotted, from_shim
from migrate.engine.names_lines import (
    Lines,
    bound_names,
    close_over_aliases,
    import_statements,
    lines_of,
    star_import,
)
from migrate.engine.names_walk import Walker
from migrate.engine.source import LineIndex


def analyse(
    tree: ast.Module,
    text: str,
    methods: frozenset[str] = frozenset(),
    extra_roots: frozenset[str] = frozenset(),
    starts: list[int] | None = None,
) -> Names:
    """Resolve a module's names.

    ``methods`` are attribute names to be collected wherever they stand on something that isn't
    a module; ``extra_roots`` are further top-level packages to resolve (``numpy``, ``time``);
    ``starts`` are the offsets of the text's lines, if they are known.
    """
    roots = ROOTS | extra_roots
    starts = starts or LineIndex(text).starts
    module = Scope("module", None, tree)
    names = Names(module)
    wanted = set(lines_of(roots, text, starts))
    lines = Lines(wanted)
    interest: set[str] = set()
    for node in import_statements(tree.body, lines, tree):
        interest.update(bound_names(node, roots))
    if not interest and not methods:
        for node in import_statements(tree.body, lines, tree):
            star_import(node, names, roots)
        return names
    relevant = wanted | close_over_aliases(text, interest, starts)
    relevant.update(lines_of(methods, text, starts))
    walker = Walker(names, interest, methods, roots, Lines(relevant))
    walker.body(tree.body, module)
    Resolver(walker).resolve()
    return names


class Resolver:
    """Turns collected uses into references and problems."""

    def __init__(self, walker: Walker) -> None:
        self.names = walker.names
        self.uses = walker.uses
        self.literals = walker.literals

    def lookup(self, name: str, scope: Scope) -> tuple[list[Binding], Scope] | None:
        """The bindings that a use of ``name`` in ``scope`` sees (class scopes: only their own)."""
        where: Scope | None = self.names.module if name in scope.outer else scope
        first = True
        while where is not None:
            if first or where.kind != "class":
                found = where.bindings.get(name)
                if found:
                    return found, where
            first = False
            where = where.parent
        return None

    def meaning(
        self, name: str, scope: Scope, depth: int = 0
    ) -> tuple[str | None, list[Binding], str]:
        """(qualified name, the bindings behind it, why not) for a plain name."""
        found = self.lookup(name, scope)
        if found is None:
            return None, [], ""
        bindings, where = found
        named: list[tuple[str, Binding]] = []
        others: list[Binding] = []
        for binding in bindings:
            target = binding.target
            if binding.kind == "alias" and depth < 8:
                chain = dotted(binding.node)
                target = ""
                if chain is not None and not (chain[0].id == name and depth):
                    base, _, _ = self._alias_base(chain[0].id, name, where, binding, depth)
                    if base:
                        target = ".".join((base, *chain[1]))
            if target:
                named.append((target, binding))
            else:
                others.append(binding)
        if not named:
            return None, [], ""
        # `except ImportError: tf = None` doesn't make `tf` ambiguous.
        instead = [b for b in others if b.guard is not None and b.handler]
        others = [b for b in others if b not in instead]
        if others and all(b.kind == "alias" for _, b in named):
            return (
                None,
                [],
                "",
            )  # a variable that is also something else: judged where it is assigned
        if others:
            return None, [b for _, b in named], "ambiguous"
        targets = {t for t, _ in named}
        if len(targets) > 1:
            chosen = self._prefer(named)
            if chosen is None:
                return None, [b for _, b in named], "ambiguous"
            # Where compat.v1 was taken, TF 2.21 runs it: what it has lost there is lost here.
            why = "" if chosen[0] == "tensorflow.compat.v1" else "versions"
            return chosen[0], [chosen[1], *(b for _, b in named if b is not chosen[1])], why
        # What an earlier run wrote of `except ImportError: Cell = tf.nn.rnn_cell.Cell`.
        why = "versions" if any(map(from_shim, instead)) else ""
        return named[0][0], [b for _, b in named], why

    def _alias_base(
        self, name: str, target: str, where: Scope, binding: Binding, depth: int
    ) -> tuple[str | None, list[Binding], str]:
        """The meaning of an alias's first name; ``tf = tf.compat.v1`` asks the other bindings."""
        if name != target:
            return self.meaning(name, where, depth + 1)
        found = self.lookup(name, where)
        if found is None:
            return None, [], ""
        imports = {b.target for b in found[0] if b.kind == "import"}
        if len(imports) == 1:
            return imports.pop(), [], ""
        return None, [], ""

    @staticmethod
    def _prefer(named: list[tuple[str, Binding]]) -> tuple[str, Binding] | None:
        """Of several TensorFlow meanings the one that TF 2.21 takes, if the author chose so."""
        for target, binding in named:
            if target.startswith("tensorflow.compat.v"):
                return target, binding
        tried = [(t, b) for t, b in named if b.guard is not None and not b.handler]
        return tried[0] if len(tried) == 1 else None

    def resolve(self) -> None:
        """Turn the uses into references and problems."""
        names = self.names
        said: set[tuple[str, int]] = set()
        for node, root, parts, scope, stmt, parent, call, guarded in self.uses:
            base, bindings, why = self.meaning(root.id, scope)
            if base is None:
                if why == "ambiguous":
                    self._ambiguous(root, bindings, said)
                continue
            if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                set_flag = ".flags.FLAGS." in ".".join((base, *parts))
                if base.partition(".")[0] not in ROOTS or set_flag:
                    continue
                names.problems.append(
                    Problem(
                        "escape",
                        node,
                        f"assigns to {'.'.join((root.id, *parts))}: TensorFlow's modules "
                        f"are changed at run time",
                        ".".join((base, *parts)),
                    )
                )
                continue
            names.references.append(
                Reference(
                    ".".join((base, *parts)),
                    node,
                    root,
                    scope,
                    tuple(bindings),
                    stmt,
                    parent,
                    call,
                    guarded or why == "versions",
                )
            )
        for item in self.literals:
            self._literal(*item, said)
        names.references.sort(key=lambda r: (r.node.lineno, r.node.col_offset))

    def _ambiguous(
        self, root: ast.Name, bindings: list[Binding], said: set[tuple[str, int]]
    ) -> None:
        key = (root.id, root.lineno)
        if key in said or not any(b.target.partition(".")[0] in ROOTS for b in bindings):
            return
        said.add(key)
        self.names.problems.append(
            Problem(
                "ambiguous",
                root,
                f"`{root.id}` is bound to TensorFlow and to something else in the same scope: "
                f"left alone; give one of them another name",
                root.id,
            )
        )

    def _literal(
        self,
        node: ast.Call,
        scope: Scope,
        stmt: ast.stmt,
        parent: ast.AST,
        call: ast.Call | None,
        guarded: bool,
        said: set[tuple[str, int]],
    ) -> None:
        chain = dotted(node.args[0])
        assert chain is not None
        root, parts = chain
        base, bindings, why = self.meaning(root.id, scope)
        if base is None:
            if why == "ambiguous":
                self._ambiguous(root, bindings, said)
            return
        name = node.args[1] if len(node.args) > 1 else None
        module = ".".join((base, *parts))
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self.names.references.append(
                Reference(
                    f"{module}.{name.value}",
                    node,
                    root,
                    scope,
                    tuple(bindings),
                    stmt,
                    parent,
                    call,
                    guarded or why == "versions" or len(node.args) > 2,
                    node,
                )
            )
        elif base.partition(".")[0] in ROOTS:
            self.names.problems.append(
                Problem(
                    "computed",
                    node,
                    f"the name that getattr() takes from {module} is computed at run time: "
                    f"check by hand that it exists in TF 2.21",
                    module,
                )
            )
            where = (scope, tuple(bindings), stmt, node, None, guarded or why == "versions")
            self.names.references.append(Reference(module, node.args[0], root, *where))
