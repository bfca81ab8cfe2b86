"""What a handler is given: the file, the place, and the words to change it with."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate import symbols
from migrate.engine import calls, private_keras
from migrate.engine.findings import Applicability, Edit, Level
from migrate.engine.names import Binding, MethodUse, Names, Reference, Scope, free_name
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.source import LineIndex
from migrate.symbols import shims

V1 = "tensorflow.compat.v1"
# Modules that compat.v1 has as attributes only: `from tensorflow.compat.v1.flags import x` fails.
NOT_IMPORTABLE = frozenset({"keras", "flags", "estimator", "contrib"})


@dataclass(slots=True, eq=False, repr=False)
class FileContext:
    """One file at one level."""

    path: str
    text: str
    index: LineIndex
    tree: ast.Module
    names: Names
    level: Level = Level.NATIVE
    eager: bool = False  # its program enables eager execution
    tf1: bool = True  # something in its program exists in TF 1 only
    unsafe: bool = False
    starred: bool = False  # another file of its program imports all that it has
    legacy: bool = False  # Keras is tf_keras
    # An import's binding -> the endpoint that it is to name now.
    renamed: dict[Binding, str] = field(default_factory=dict)
    idle: set[Binding] = field(default_factory=set)  # imports that fail, and that nothing uses
    # What the rules said of its places; for handlers of whole files, which run last.
    used: set[Binding] = field(default_factory=set)  # imports that edits use anew
    results: list[Result] = field(default_factory=list)
    # What a handler found out once and needs at every level, by its name.
    memo: dict[str, Any] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """What `tf` means at this level."""
        return V1 if self.level is Level.COMPAT else "tensorflow"

    def module_name(self, scope: Scope, module: str = "tensorflow", line: int = 0) -> str | None:
        """A name that means the module, and nothing else, where ``scope`` is.

        Names of the functions around it count if they are bound before ``line``.
        """
        inner: Scope | None = scope
        while inner is not None and inner.kind != "module":
            for name, bindings in inner.bindings.items():
                if inner.kind == "function" and all(
                    b.kind == "import"
                    and b.target == module
                    and b.guard is None
                    and getattr(b.node, "lineno", line + 1) < line
                    and b.stmt in getattr(inner.node, "body", ())
                    for b in bindings
                ):
                    return name
            inner = inner.parent
        for name, bindings in self.names.module.bindings.items():
            if not all(b.kind == "import" and b.target == module for b in bindings):
                continue
            if all(b.guard is None and b.stmt in self.tree.body for b in bindings) and (
                self.visible(name, scope)
            ):
                return name
        return None

    def visible(self, name: str, scope: Scope) -> bool:
        """Whether a module-level ``name`` isn't hidden by the scopes around a place."""
        where: Scope | None = scope
        while where is not None and where.kind != "module":
            if name in where.bindings and name not in where.outer:
                return False
            where = where.parent
        return True

    def source(self, node: ast.AST) -> str:
        """A node's text."""
        start, end = self.index.span(node)
        return self.text[start:end]


@dataclass(slots=True, eq=False, repr=False)
class Site:
    """A reference to an endpoint."""

    file: FileContext
    ref: Reference
    endpoint: str  # the 1.15.5 endpoint: "tensorflow.nn.dropout"
    record: symbols.Record | None
    tail: tuple[str, ...] = ()  # attributes behind the endpoint: FLAGS.`batch_size`
    node: ast.expr = field(init=False)  # the part of the chain that is the endpoint

    def __post_init__(self) -> None:
        node = self.ref.node
        if self.ref.literal is None:
            for _ in self.tail:
                assert isinstance(node, ast.Attribute)
                node = node.value
        self.node = node

    @property
    def level(self) -> Level:
        """The level that is planned."""
        return self.file.level

    @property
    def spelled_v1(self) -> bool:
        """Whether the file names it through compat.v1."""
        return self.ref.name.startswith(f"{V1}.")

    @property
    def call(self) -> ast.Call | None:
        """The call whose function this is."""
        return self.ref.call if not self.tail else None

    @property
    def is_decorator(self) -> bool:
        """Whether it stands behind an ``@``."""
        return self.node in getattr(self.ref.parent, "decorator_list", ())

    @property
    def shown(self) -> str:
        """The endpoint as people write it: ``tf.nn.dropout``."""
        if not self.endpoint.startswith("tensorflow"):
            return self.endpoint
        return "tf" + self.endpoint.removeprefix("tensorflow")

    # -- calls -----------------------------------------------------------------------

    def bind(self) -> calls.BoundCall:
        """The call bound to the 1.15.5 signature.

        Raises:
            calls.Unbound: it isn't called here, or its arguments can't be seen.
        """
        if self.call is None:
            raise calls.Unbound("is passed on as a value, so its calls can't be seen")
        signature = symbols.signature(self.endpoint)
        if signature is None:
            raise calls.Unbound("has no signature in TF 1.15.5")
        return calls.bind(
            self.file.text,
            self.file.index,
            self.call,
            signature.positional,
            keyword_only=tuple(p.name for p in signature.params if p.kind == "keyword"),
            varargs=signature.varargs,
            varkw=signature.varkw,
        )

    # -- spelling --------------------------------------------------------------------

    def spell(self, target: str) -> tuple[str, list[Import]]:
        """How to write an endpoint here, and the import that this needs."""
        root = self.file.root
        if target.startswith("migrate."):
            return self._spell_shim(target)
        if self.level is Level.COMPAT and target.startswith(f"{V1}."):
            rest = target.removeprefix(f"{V1}.")
        else:
            rest = target.removeprefix("tensorflow.")
        name = self._root_name()
        if name is not None:
            if name != self.ref.root.id:
                self.file.used.update(self.file.names.module.bindings.get(name, ()))
            return f"{name}.{rest}", []
        wanted = "tf"
        if not free_name(wanted, self.file.text) and (
            self.file.module_name(self.ref.scope) is None
        ):
            wanted = "tf_"
            while not free_name(wanted, self.file.text):
                wanted += "_"
        return f"{wanted}.{rest}", [Import(wanted, root)]

    def _spell_shim(self, target: str) -> tuple[str, list[Import]]:
        _, package, rest = (
            target.split(".", 2) if target.count(".") > 1 else (*target.split("."), "")
        )
        name = package
        while not (
            free_name(name, self.file.text) or f"from migrate import {name}" in self.file.text
        ):
            name += "_"
        return f"{name}.{rest}" if rest else name, [Import(name, "migrate", package)]

    def _root_name(self) -> str | None:
        binding = self.ref.binding
        if binding.kind == "import" and binding.target in ("tensorflow", self.file.root):
            return self.ref.root.id
        line = self.ref.node.lineno
        return self.file.module_name(self.ref.scope, line=line) or (
            self.file.module_name(self.ref.scope, V1, line) if self.level is Level.COMPAT else None
        )

    def rename(self, target: str) -> tuple[list[Edit], list[Import], bool]:
        """The edits that make this place mean ``target``; the last is whether the root goes."""
        file, ref = self.file, self.ref
        binding = ref.binding
        if target == self.endpoint and ref.literal is None and ref.name == self.endpoint:
            return [], [], False
        start, end = file.index.span(self.node)
        if ref.literal is None and binding.kind == "import":
            if binding.target == self.endpoint or (
                isinstance(self.node, ast.Name) and self.endpoint in _public(binding.target)
            ):
                known = file.renamed.get(binding)
                if known is None or known == target:
                    file.renamed[binding] = target
                    return [], [], False
            elif binding.target not in ("tensorflow", file.root):
                # `from tensorflow import nn`: nn.x stays short where the target is below nn.
                below = binding.target + "."
                if target.startswith(below):
                    return (
                        [Edit(start, end, f"{ref.root.id}.{target.removeprefix(below)}")],
                        [],
                        False,
                    )
                moved = self._moved_module(binding)
                if moved and target.startswith(moved + "."):
                    file.renamed[binding] = moved
                    rest = target.removeprefix(moved)
                    if self.endpoint == binding.target + rest:
                        return [], [], False
                    return [Edit(start, end, ref.root.id + rest)], [], False
        if binding.kind == "alias" and ref.literal is None:
            # `flags = tf.app.flags`: where the assignment is renamed, its uses are right already.
            base, rest = self._alias_base()
            record = symbols.outcome(base) if rest else None
            moved = shims.home(base) or (record.target if record is not None else None)
            if not rest or (moved and target == moved + rest):
                return [], [], False
        text, imports = self.spell(target)
        keeps = text.split(".", 1)[0] == ref.root.id
        if self._only_leaf(text, start, end):
            return self._leaf_edit(text, start, end), imports, not keeps
        return [Edit(start, end, text)], imports, not keeps

    def _moved_module(self, binding: Binding) -> str | None:
        """Where an imported module is in TF 2, if its import may name that."""
        known = self.file.renamed.get(binding)
        home = shims.home(binding.target)
        if binding.target.startswith(private_keras.PRIVATE):
            return private_keras.module_of(self.file, binding, binding.target)
        if ".python." in binding.target:
            return None  # other names of a private module may be used that are elsewhere
        if home is not None and known in (None, home):
            return home
        record = symbols.outcome(binding.target) if symbols.is_module(binding.target) else None
        moved = record.target if record is not None else None
        if moved is None or moved == binding.target or not symbols.resolves(moved):
            return None
        return moved if self.file.renamed.get(binding, moved) == moved else None

    def _alias_base(self) -> tuple[str, str]:
        """The endpoint that the alias was assigned, and what the chain adds to it."""
        length, node = 0, self.node
        while isinstance(node, ast.Attribute):
            node, length = node.value, length + 1
        parts = self.endpoint.split(".")
        cut = len(parts) - length
        return ".".join(parts[:cut]), "".join(f".{p}" for p in parts[cut:])

    def _only_leaf(self, text: str, start: int, end: int) -> bool:
        # A chain broken over lines keeps its breaks where only the last name changes.
        old = self.file.text[start:end]
        return (
            isinstance(self.node, ast.Attribute)
            and ("\n" in old or "#" in old)
            and text.rpartition(".")[0] == ast.unparse(self.node.value)
        )

    def _leaf_edit(self, text: str, start: int, end: int) -> list[Edit]:
        assert isinstance(self.node, ast.Attribute)
        return [Edit(end - len(self.node.attr), end, text.rpartition(".")[2])]

    # -- results ---------------------------------------------------------------------

    def result(
        self,
        rule: Rule,
        message: str,
        *,
        fix: str | None = None,
        edits: list[Edit] | None = None,
        imports: list[Import] | None = None,
        drops: bool = False,
        blocks: bool = False,
    ) -> Result:
        """A result at this place."""
        return Result(
            rule,
            self.ref.node,
            message,
            self.shown,
            fix,
            edits or [],
            imports or [],
            rule.applicability if fix is not None else Applicability.MANUAL,
            blocks,
            drops=self.ref.root if drops else None,
        )

    def renamed_result(self, rule: Rule, target: str, message: str = "") -> Result:
        """The result of a plain rename."""
        edits, imports, drops = self.rename(target)
        new = "tf" + target.removeprefix("tensorflow")
        return self.result(
            rule,
            message or f"{self.shown} is {new} in TF 2",
            fix=new,
            edits=edits,
            imports=imports,
            drops=drops,
        )


def _public(name: str) -> tuple[str | None, ...]:
    return symbols.public(name), private_keras.public(name)


@dataclass(slots=True, eq=False, repr=False)
class MethodSite:
    """An attribute of a value: ``x.shape[0].value``."""

    file: FileContext
    use: MethodUse

    @property
    def level(self) -> Level:
        """The level that is planned."""
        return self.file.level
