"""The two dumps (scripts/dump_api.py): names, signatures, members, private modules. Loaded late."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

from migrate.symbols.outcomes import Kind

DATA = os.path.join(os.path.dirname(__file__), "data")
ParamKind: TypeAlias = Literal["positional", "keyword", "varargs", "varkw"]
BOUND = ("positional", "keyword")
KINDS: dict[str, Kind] = {"f": "function", "c": "class", "m": "module", "k": "constant"}


@dataclass(frozen=True, slots=True, repr=False)
class Param:
    """A parameter; ``default`` is source text, "<...>" where it has none, None if required."""

    name: str
    default: str | None = None
    kind: ParamKind = "positional"


@dataclass(frozen=True, repr=False)
class Signature:
    """The parameters of a callable in order, without ``self`` and ``cls``."""

    params: tuple[Param, ...]

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """Names that a positional argument can bind, in order."""
        return tuple(p.name for p in self.params if p.kind == "positional")

    @cached_property
    def varargs(self) -> bool:
        """Whether there is a ``*args``."""
        return any(p.kind == "varargs" for p in self.params)

    @cached_property
    def varkw(self) -> bool:
        """Whether there is a ``**kwargs``."""
        return any(p.kind == "varkw" for p in self.params)

    def get(self, name: str) -> Param | None:
        """The named parameter, ``*args`` and ``**kwargs`` excepted."""
        for p in self.params:
            if p.name == name and p.kind in ("positional", "keyword"):
                return p
        return None

    def takes(self, keyword: str) -> bool:
        """Whether a call may pass ``keyword=``."""
        return self.varkw or self.get(keyword) is not None

    def fits(self, count: int, keywords: Sequence[str]) -> bool:
        """Whether a call with ``count`` positional arguments and these keywords is one of it."""
        by_place = self.positional[:count]
        required = [p.name for p in self.params if p.default is None and p.kind in BOUND]
        return (
            (self.varargs or count <= len(self.positional))
            and all(self.takes(keyword) for keyword in keywords)
            and not set(by_place) & set(keywords)
            and all(name in by_place or name in keywords for name in required)
        )


def parse_parameters(items: list[str]) -> Signature:
    """A signature from the dump's form ("x", "axis=None", "*", "*args", "**kwargs")."""
    params: list[Param] = []
    after: ParamKind = "positional"
    for item in items:
        if item == "/":
            continue
        if item.startswith("**"):
            params.append(Param(item[2:], None, "varkw"))
        elif item.startswith("*"):
            after = "keyword"
            if item != "*":
                params.append(Param(item[1:], None, "varargs"))
        else:
            name, equals, default = item.partition("=")
            params.append(Param(name, default if equals else None, after))
    return Signature(tuple(params))


def unpack(path: str) -> str:
    """The text of a .gz file (zlib alone imports faster than gzip)."""
    with open(path, "rb") as file:
        return zlib.decompress(file.read(), wbits=31).decode()


class Dump:
    """One TensorFlow's public names. Lines are kept as text and taken apart when asked for."""

    def __init__(self, path: str) -> None:
        self.lines: dict[str, str] = {}
        for line in unpack(path).splitlines():
            name, _, rest = line.partition("\t")
            self.lines[name] = rest

    def __contains__(self, name: str) -> bool:
        return name in self.lines

    @lru_cache(maxsize=4096)  # noqa: B019 - there are two dumps, and they live as long as the process
    def fields(self, name: str) -> list[str]:
        """kind, object, parameters, members, deprecated; "=" followed."""
        fields = self.lines[name].split("\t")
        if fields[0] == "=":
            fields = self.lines[fields[1]].split("\t")
        return fields + [""] * (5 - len(fields))

    def canonical(self, name: str) -> str:
        """The first name of the same object in this dump."""
        kind, _, rest = self.lines[name].partition("\t")
        return rest if kind == "=" else name

    def kind(self, name: str) -> Kind:
        """What the name is."""
        return KINDS[self.fields(name)[0]]

    def path(self, name: str) -> str:
        """Where the object is defined (a module's name, a constant's type)."""
        return self.fields(name)[1]

    def deprecated(self, name: str) -> str | None:
        """TensorFlow's own advice, if the name carries a deprecation."""
        return self.fields(name)[4] or None

    def parameters(self, name: str) -> Signature | None:
        """A function's or constructor's signature."""
        text = self.fields(name)[2] if self.fields(name)[0] in "fc" else ""
        return parse_parameters(json.loads(text)) if text else None

    @lru_cache(maxsize=512)  # noqa: B019
    def members(self, name: str) -> dict[str, Any]:
        """A class's members: a parameter list, "p" or "a"."""
        fields = self.fields(name)
        if fields[0] != "c" or not fields[3]:
            return {}
        members: dict[str, Any] = json.loads(fields[3])
        return members

    def split(self, name: str) -> tuple[str, list[str]] | None:
        """The longest known name at the head of ``name``, and the attributes that follow it."""
        rest: list[str] = []
        while name not in self.lines:
            name, dot, last = name.rpartition(".")
            if not dot:
                return None
            rest.insert(0, last)
        return name, rest

    @lru_cache(maxsize=8192)  # noqa: B019
    def resolves(self, name: str) -> bool:
        """Whether the name, or the attribute of a class or constant, exists."""
        found = self.split(name)
        if found is None:
            return False
        owner, rest = found
        if not rest:
            return True
        if self.fields(owner)[0] == "k":
            return True
        if self.fields(owner)[0] != "c":
            return False
        member = self.members(owner).get(rest[0])
        if member is None:
            return rest[0].startswith("__")
        return len(rest) == 1 or member in ("a", "p")

    @lru_cache(maxsize=4096)  # noqa: B019 - the same calls are bound again at every attempt
    def signature(self, name: str) -> Signature | None:
        """Of a function, a constructor (without self) or a method "Class.method"."""
        found = self.split(name)
        if found is None:
            return None
        owner, rest = found
        if not rest:
            return self.parameters(owner)
        member = self.members(owner).get(rest[0])
        if len(rest) == 1 and isinstance(member, list):
            return parse_parameters(member)
        return None


class Private:
    """Private modules of TF 1.15.5: their names, the public twin, what still is there in 2.21."""

    @cached_property
    def old(self) -> dict[str, str]:
        """Module -> "name[=public] ..."."""
        return _modules(os.path.join(DATA, "private_1_15.tsv.gz"))

    @cached_property
    def new(self) -> dict[str, str]:
        """Module -> "name ..." that TF 2.21 still resolves."""
        return _modules(os.path.join(DATA, "private_2_21.tsv.gz"))

    @lru_cache(maxsize=256)  # noqa: B019
    def names(self, module: str) -> dict[str, str]:
        """Name -> public endpoint or "", of a module of 1.15.5."""
        found: dict[str, str] = {}
        for entry in self.old[module].split():
            name, _, public = entry.partition("=")
            found[name] = public
        return found

    def split(self, name: str) -> tuple[str, list[str]] | None:
        """The private module that ``name`` begins with, and what follows."""
        rest: list[str] = []
        while name not in self.old:
            name, dot, last = name.rpartition(".")
            if not dot:
                return None
            rest.insert(0, last)
        return name, rest

    def public(self, name: str) -> str | None:
        """The public endpoint that is the same object (attributes after it stay)."""
        found = self.split(name)
        if found is None:
            return None
        module, rest = found
        names = self.names(module)
        if rest:
            public = names.get(rest[0])
            return ".".join([public, *rest[1:]]) if public else None
        # contrib.framework.python.ops.arg_scope: the package has the function, not the module.
        package, _, last = module.rpartition(".")
        hidden = self.names(package).get(last) if package in self.old else None
        return hidden or _namespace(names)

    def status(self, name: str) -> Literal["same path", "gone", "unknown"]:
        """Whether the dotted path of 1.15.5 still resolves in 2.21."""
        found = self.split(name)
        if found is None:
            return "unknown"
        module, rest = found
        if rest and rest[0] not in self.names(module):
            return "unknown"
        new = self.new.get(module)
        if new is None or (rest and rest[0] not in new.split()):
            return "gone"
        return "same path"


def _namespace(names: dict[str, str]) -> str | None:
    """The public module that a private one is written out as, if all its names say so."""
    spaces = set()
    for name, public in names.items():
        space, _, last = public.rpartition(".")
        if name.startswith("_"):
            continue
        if not public or last != name:
            return None
        spaces.add(space)
    return spaces.pop() if len(spaces) == 1 else None


def _modules(path: str) -> dict[str, str]:
    lines = unpack(path).splitlines()
    return {module: rest for module, _, rest in (line.partition("\t") for line in lines)}


@lru_cache(maxsize=1)
def old() -> Dump:
    """TF 1.15.5."""
    return Dump(os.path.join(DATA, "api_1_15.tsv.gz"))


@lru_cache(maxsize=1)
def new() -> Dump:
    """TF 2.21: ``tf.*`` and ``tf.compat.v1.*``."""
    return Dump(os.path.join(DATA, "api_2_21.tsv.gz"))


@lru_cache(maxsize=1)
def private() -> Private:
    """Private modules, both sides."""
    return Private()
