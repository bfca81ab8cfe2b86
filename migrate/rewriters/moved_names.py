"""What other libraries than TensorFlow have lost or moved: its uses, and what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from migrate.engine.findings import Edit
from migrate.engine.names import Binding, Reference
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext


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
    return {"scipy": "SciPy", "sklearn": "scikit-learn"}.get(name.partition(".")[0], "it")


def reported(rule: Rule, place: Place, instead: str) -> Result:
    """What a person has to choose."""
    message = f"{place.old} is gone from {_package(place.old)}; instead: {instead}"
    return rule.report(place.node, message, blocks=False)


def moved(rule: Rule, file: FileContext, place: Place, new: str) -> Result:
    """Write the new name, or import it by the old one's."""
    result = rule.fixed(place.node, f"{place.old} is gone from {_package(new)}", new, [])
    if place.binding.target == place.old:  # the import names the new one
        file.renamed[place.binding] = new
        return result
    assert place.ref is not None
    package = new.partition(".")[0]
    others = file.names.module.bindings.get(package, [])
    if not all(b.kind == "import" and b.target == package for b in others) or not file.visible(
        package, place.ref.scope
    ):
        return reported(rule, place, new)
    module = new.rpartition(".")[0]
    result.edits = [Edit(*file.index.span(place.ref.node), new)]
    result.imports = [Import(module, module)]
    if place.ref.root.id != package:
        result.drops = place.ref.root
    return result
