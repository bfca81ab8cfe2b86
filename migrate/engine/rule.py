"""Rules: an id, words about it, and the small functions that judge one place at one level.

A file in ``rewriters/`` or ``checks/`` makes its rules and hangs handlers on them. Importing the
package registers them: there is no list to keep. ``migrate check`` prints what a handler returns,
``migrate upgrade`` applies it: the finding and the fix are one object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from migrate.engine.findings import Applicability, Edit, Level

if TYPE_CHECKING:
    from migrate.engine.site import FileContext, MethodSite, Site


@dataclass(frozen=True, slots=True)
class Import:
    """An import that an edit needs: ``import module as name`` or ``from module import name``."""

    name: str  # what it binds
    module: str  # "tensorflow", "absl"
    attribute: str = ""  # "app" for `from absl import app`


@dataclass(slots=True, eq=False, repr=False)
class Result:
    """What a handler says of one place."""

    rule: Rule
    node: ast.AST
    message: str
    endpoint: str | None = None
    fix: str | None = None  # in a few words; None: nothing is changed here
    edits: list[Edit] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    applicability: Applicability = Applicability.MANUAL
    blocks: bool = False  # this place can't be at the level that was asked for
    switch: bool = False  # right once the file's TensorFlow is compat.v1
    drops: ast.Name | None = None  # the use of an imported name that the edits take away
    requires: list[Result] = field(default_factory=list)  # it is made only if all of these are


Handler = Callable[["Site"], "Result | None"]
MethodHandler = Callable[["MethodSite"], "Result | None"]
FileHandler = Callable[["FileContext"], "Iterable[Result]"]
H = TypeVar("H", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One rule. ``name`` reads after "allow …" and describes the pattern, not the remedy."""

    id: str
    name: str
    summary: str
    applicability: Applicability = Applicability.SAFE
    url: str = "https://www.tensorflow.org/guide/migrate"
    since: str = "0.1"
    module: str = ""  # the file that holds it; its docstring is the rule's page
    doc: str = ""
    everywhere: bool = False  # code for earlier releases of TF 2 has it, too

    def __post_init__(self) -> None:
        known = _RULES.get(self.id)
        if known is not None and known.name != self.name:
            raise ValueError(f"rule id {self.id} is taken by {known.name!r}, got {self.name!r}")
        _RULES[self.id] = self

    @property
    def family(self) -> str:
        """The file that holds the rule, as a word: ``renames``, ``dropout``."""
        return self.module.rpartition(".")[2]

    def fixed(self, node: ast.AST, message: str, fix: str, edits: list[Edit]) -> Result:
        """A result with a fix of the rule's own applicability."""
        return Result(self, node, message, None, fix, edits, applicability=self.applicability)

    def report(self, node: ast.AST, message: str, *, blocks: bool = True) -> Result:
        """A result that only reports."""
        return Result(self, node, message, blocks=blocks)

    # -- registration ----------------------------------------------------------------

    def compat(self, *names: str) -> Callable[[H], H]:
        """Hang a handler on endpoints at the compat level, where ``endpoint`` isn't asked."""

        def register(handler: H) -> H:
            for name in names:
                if name in _COMPAT:
                    raise ValueError(f"{name} has two handlers at the compat level")
                _COMPAT[name] = (self, handler)  # type: ignore[assignment]
            return handler

        return register

    def endpoint(self, *names: str) -> Callable[[H], H]:
        """Hang a handler on endpoints (``tensorflow.nn.dropout``; ``tensorflow.app.*``)."""

        def register(handler: H) -> H:
            for name in names:
                if name.endswith(".*"):
                    _PREFIXES[name[:-1]] = (self, handler)  # type: ignore[assignment]
                elif name in _ENDPOINTS:
                    raise ValueError(f"{name} has two handlers")
                else:
                    _ENDPOINTS[name] = (self, handler)  # type: ignore[assignment]
            return handler

        return register

    def outcome(self, kind: type, level: Level) -> Callable[[H], H]:
        """Hang a handler on all endpoints with an outcome, where none has its own handler."""

        def register(handler: H) -> H:
            _OUTCOMES[kind, level] = (self, handler)  # type: ignore[assignment]
            return handler

        return register

    def method(self, *attributes: str) -> Callable[[H], H]:
        """Hang a handler on attributes of values (``.value``, ``.make_one_shot_iterator``)."""

        def register(handler: H) -> H:
            for attribute in attributes:
                _METHODS.setdefault(attribute, []).append((self, handler))  # type: ignore[arg-type]
            return handler

        return register

    def root(self, package: str, words: Iterable[str], pattern: str = "") -> None:
        """Resolve names of a further package (``numpy``) in texts that can hold one of interest.

        One of the words must stand in it, and the pattern, which is only then searched for.
        """
        _ROOTS.append((package, tuple(words), re.compile(pattern) if pattern else None))

    def file(self, handler: H) -> H:
        """Hang a handler on whole files."""
        _FILES.append((self, handler))  # type: ignore[arg-type]
        return handler


_RULES: dict[str, Rule] = {}
_ENDPOINTS: dict[str, tuple[Rule, Handler]] = {}
_COMPAT: dict[str, tuple[Rule, Handler]] = {}
_PREFIXES: dict[str, tuple[Rule, Handler]] = {}
_METHODS: dict[str, list[tuple[Rule, MethodHandler]]] = {}
_FILES: list[tuple[Rule, FileHandler]] = []
_ROOTS: list[tuple[str, tuple[str, ...], re.Pattern[str] | None]] = []
_OUTCOMES: dict[tuple[type, Level], tuple[Rule, Handler]] = {}
_loaded = False


def load() -> None:
    """Import every file of ``rewriters/`` and ``checks/``."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    import importlib
    import pkgutil

    for package in ("migrate.rewriters", "migrate.checks"):
        found = importlib.import_module(package)
        for info in pkgutil.iter_modules(found.__path__):
            importlib.import_module(f"{package}.{info.name}")


def all_rules() -> Mapping[str, Rule]:
    """Every rule by id, sorted."""
    load()
    return dict(sorted(_RULES.items()))


def handler_of(outcome: object, level: Level) -> tuple[Rule, Handler] | None:
    """The handler for an outcome at a level."""
    return _OUTCOMES.get((type(outcome), level))


def compat_handler_for(endpoint: str) -> tuple[Rule, Handler] | None:
    """The handler for an endpoint at the compat level, where it needs one of its own."""
    return _COMPAT.get(endpoint)


def handler_for(endpoint: str) -> tuple[Rule, Handler] | None:
    """The handler for an endpoint; the longest registered prefix where none has its name."""
    found = _ENDPOINTS.get(endpoint)
    if found is not None or not _PREFIXES:
        return found
    prefix = endpoint
    while "." in prefix:
        prefix = prefix.rpartition(".")[0]
        found = _PREFIXES.get(prefix + ".")
        if found is not None:
            return found
    return None


def roots(text: str) -> frozenset[str]:
    """Further packages whose names the rules want resolved in this text."""
    return frozenset(
        package
        for package, words, pattern in _ROOTS
        if package in text
        and any(word in text for word in words)
        and (pattern is None or pattern.search(text) is not None)
    )


def methods() -> Mapping[str, list[tuple[Rule, MethodHandler]]]:
    """Handlers by attribute name."""
    return _METHODS


def file_handlers() -> Iterable[tuple[Rule, FileHandler]]:
    """Handlers of whole files."""
    return _FILES
