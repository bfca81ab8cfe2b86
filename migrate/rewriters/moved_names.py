"""What other libraries than TensorFlow have lost or moved: its uses, and what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from migrate.engine.findings import Edit
from migrate.engine.names import Binding, Reference
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import walk


@dataclass(slots=True)
class Place:
    """Something of a library in a file: a use, or an import that nothing uses."""

    old: str
    binding: Binding
    ref: Reference | None = None

    @property
    def node(self) -> ast.AST:
        """What is said to be gone."""
        return self.binding.node if self.ref is None else self.ref.node


def places(file: FileContext, package: str, known: Callable[[str], bool]) -> Iterator[Place]:
    """Uses of names that are known, but where an import is expected to fail."""
    seen: set[int] = set()
    for ref in file.names.references:
        seen.update(id(b.node) for b in ref.bindings)
        if not ref.name.startswith(f"{package}."):
            continue
        plain = all(b.kind == "import" and b.guard is None for b in ref.bindings)
        if plain and not ref.guarded and ref.literal is None and known(ref.name):
            yield Place(ref.name, ref.binding, ref)
    for bindings in file.names.module.bindings.values():
        for b in bindings:
            if b.kind == "import" and b.guard is None and id(b.node) not in seen:
                if isinstance(b.stmt, ast.ImportFrom) and known(b.target):
                    yield Place(b.target, b)


def _package(name: str) -> str:
    return {"scipy": "SciPy", "sklearn": "scikit-learn", "keras": "Keras 3"}.get(
        name.partition(".")[0], "it"
    )


def reported(rule: Rule, place: Place, instead: str) -> Result:
    """What a person has to choose."""
    message = f"{place.old} is gone from {_package(place.old)}; instead: {instead}"
    return rule.report(place.node, message, blocks=False)


def moved(rule: Rule, file: FileContext, place: Place, new: str) -> Result:
    """Write the new name, or import it by the old one's."""
    result = rule.fixed(place.node, f"{place.old} is gone from {_package(place.old)}", new, [])
    if place.binding.target == place.old:  # the import names the new one
        bindings = [place.binding] if place.ref is None else place.ref.bindings
        for binding in bindings:  # an import may be repeated
            if binding.target == place.old:
                file.renamed[binding] = new
        return result
    assert place.ref is not None
    package = new.partition(".")[0]
    others = file.names.module.bindings.get(package, [])
    shown = _only(file.tree, package) and file.visible(package, place.ref.scope)
    if not shown or not all(b.kind == "import" and b.target == package for b in others):
        return reported(rule, place, new)
    module, _, own = new.rpartition(".")
    alias = _alias(file, place.ref, module)
    result.edits = [Edit(*file.index.span(place.ref.node), f"{alias}.{own}" if alias else new)]
    if alias is None:
        whole = package if package == "numpy" else module  # `numpy.emath` is no file
        result.imports = [Import(whole, whole)]
    if place.ref.root.id != package:
        result.drops = place.ref.root
    return result


def _alias(file: FileContext, ref: Reference, module: str) -> str | None:
    """A short name that the file has for a module, or for NumPy around it, above a use."""
    package, _, rest = module.partition(".")
    imports = [n for n in file.tree.body if isinstance(n, ast.Import)]
    for stmt, alias in ((s, a) for s in imports for a in s.names if a.asname is not None):
        if stmt.lineno < getattr(ref.node, "lineno", 0) and _only(file.tree, alias.asname, alias):
            if alias.name == module:
                return alias.asname
            if rest and alias.name == package == "numpy":
                return f"{alias.asname}.{rest}"
    return None


def _only(tree: ast.Module, name: str | None, alias: ast.alias | None = None) -> bool:
    """Whether nothing else in a file than an import, or those of that package, binds a name."""
    for node in walk(tree):
        if isinstance(node, ast.alias):
            bound = node.asname or node.name.partition(".")[0]
            plain = alias is None and node.asname is None  # the package itself
            if bound == name and node is not alias and not plain:
                return False
        elif isinstance(node, ast.Name):
            if node.id == name and not isinstance(node.ctx, ast.Load):
                return False
        elif name in (getattr(node, "name", None), getattr(node, "arg", None)):
            if not isinstance(node, ast.keyword):
                return False
    return True
