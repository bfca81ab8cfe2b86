"""Modules that Python 3 calls otherwise, split up or gave up; imports of neighbours."""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.python2_places import Places
from migrate.engine.python2_tables import (
    GONE_MODULES,
    ITERTOOLS,
    ITERTOOLS_RENAMED,
    MODULES,
    URLLIB,
)


class Imports(Places):
    """Import statements, with all uses of what they bind."""

    def _unguarded_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if not self.guarded(node):
            self._import(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom):
            if not node.level:
                self._import_from(node)
            return
        for alias in node.names:
            module = alias.name
            if module.split(".")[0] in self.siblings:
                continue
            if module in ("urllib", "urllib2"):
                self._urllib(node, alias)
            elif module in MODULES:
                self._renamed_module(alias)
            elif module in GONE_MODULES:
                self.evidence = True
                self.fix(alias, f"Python 3 has no module {module}")

    def _renamed_module(self, alias: ast.alias) -> None:
        self.evidence = True
        old, new = alias.name, MODULES[alias.name]
        name = alias.asname or old
        uses = self._uses(name)
        alone = self.bound.get(name) == 1
        if alias.asname:
            text = new if alias.asname == new else f"{new} as {alias.asname}"
            self.rename(alias, text)
        elif alone and "." not in new and self.bound.get(new, 0) in (0, self._imports_of(new)):
            fix = self.rename(alias, new)
            for use in uses:
                self.follow(fix, use, new)
        else:
            self.rename(alias, f"{new} as {old}")
        if new == "io":
            self._string_io(alias)

    def _string_io(self, node: ast.AST) -> None:
        self.fix(node, "StringIO held bytes in Python 2: where it holds bytes, use io.BytesIO")

    def _imports_of(self, module: str) -> int:
        """How often a name is bound if only by importing the module of that name."""
        return 1 if self.modules.get(module) == module else 0

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module.split(".")[0] in self.siblings:
            return
        if module in MODULES:
            self.evidence = True
            start = self.span(node)[0]
            at = self.text.index(module, start + len("from"))
            self.rename((at, at + len(module)), MODULES[module])
            if MODULES[module] == "io":
                self._string_io(node)
        elif module in ("urllib", "urllib2"):
            self._from_urllib(node)
        elif module == "itertools":
            self._from_itertools(node)
        elif module in GONE_MODULES:
            self.evidence = True
            self.fix(node, f"Python 3 has no module {module}")

    def _from_itertools(self, node: ast.ImportFrom) -> None:
        gone = [alias for alias in node.names if alias.name in ITERTOOLS]
        kept = [
            _spelled(alias, ITERTOOLS_RENAMED.get(alias.name, alias.name))
            for alias in node.names
            if alias not in gone
        ]
        renamed = [alias for alias in node.names if alias.name in ITERTOOLS_RENAMED]
        if not gone and not renamed:
            return
        self.evidence = True
        follow: list[tuple[ast.Name, str]] = []
        for alias in (*gone, *renamed):
            new = ITERTOOLS.get(alias.name) or ITERTOOLS_RENAMED[alias.name]
            name = alias.asname or alias.name
            if name == new or (alias in renamed and alias.asname):
                continue
            if self.bound.get(name) != 1 or not self.free(new):
                self.fix(node, f"itertools.{alias.name} is {new} in Python 3")
                return
            follow += [(use, new) for use in self._uses(name)]
        what = ", ".join(f"{alias.name}" for alias in (*gone, *renamed))
        if kept:
            text = f"from itertools import {', '.join(kept)}"
            self.rename(node, text, f"itertools: {what}")
        else:
            self._drop(node, f"{what} of itertools became the builtin")
        fix = self.fixes[-1]
        for use, new in follow:
            self.follow(fix, use, new)

    def _from_urllib(self, node: ast.ImportFrom) -> None:
        groups: dict[str, list[str]] = {}
        for alias in node.names:
            part = URLLIB.get(alias.name)
            if part is None:
                if alias.name not in ("request", "parse", "error", "response", "robotparser"):
                    self.evidence = True
                    self.fix(node, f"{alias.name} has no known place in Python 3's urllib")
                return
            groups.setdefault(part, []).append(_spelled(alias, alias.name))
        self.evidence = True
        start = self.span(node)[0]
        indent = self.text[self.index.line_start(node.lineno) : start]
        if indent.strip():
            if len(groups) > 1:
                self.fix(node, "these names are in several modules of urllib in Python 3")
                return
            indent = ""
        lines = [f"from urllib.{part} import {', '.join(names)}" for part, names in groups.items()]
        self.rename(node, f"\n{indent}".join(lines), f"{node.module} was split up")

    def _urllib(self, node: ast.Import, alias: ast.alias) -> None:
        name = alias.asname or alias.name
        attributes: list[ast.Attribute] = []
        for use in self._uses(name):
            parent = self.parents.get(use)
            if not isinstance(parent, ast.Attribute):
                if alias.name == "urllib2":
                    self.fix(alias, "urllib2 is urllib.request, .error and .parse in Python 3")
                return
            attributes.append(parent)
        old = [use for use in attributes if use.attr in URLLIB]
        unknown = [use for use in attributes if use.attr not in URLLIB]
        if alias.name == "urllib" and not old:
            return  # Python 3's, or not used
        self.evidence = True
        modules = list(dict.fromkeys(f"urllib.{URLLIB[use.attr]}" for use in old))
        if (unknown and alias.name == "urllib2") or alias.asname or self.bound.get(name) != 1:
            self.fix(alias, f"{alias.name} is urllib.request, .error and .parse in Python 3")
            return
        fix = self.rename(alias, ", ".join(modules) or "urllib.request")
        for old_use in old:
            self.done.add(old_use)
            self.follow(fix, old_use.value, f"urllib.{URLLIB[old_use.attr]}")

    def _relative(self, node: ast.Import | ast.ImportFrom) -> None:
        """Imports of modules in the same folder, which Python 2 found without a dot."""
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level or module.split(".")[0] not in self.siblings:
                return
            if self._is_script():
                self.fix(node, f"{module} is beside this file: Python 3 finds it as .{module} only")
                return
            at = self.text.index(module, self.span(node)[0] + len("from"))
            what = f"{module} is beside this file"
            self.fix(node, what, Edit(at, at, "."))
            return
        names = [alias for alias in node.names if alias.name.split(".")[0] in self.siblings]
        if not names:
            return
        dotted = any("." in alias.name and not alias.asname for alias in names)
        if dotted or len(names) < len(node.names) or self._is_script():
            listed = ", ".join(alias.name for alias in names)
            self.fix(node, f"beside this file, so relative in Python 3: {listed}")
            return
        lines = []
        plain = [_spelled(alias, alias.name) for alias in names if "." not in alias.name]
        if plain:
            lines.append(f"from . import {', '.join(plain)}")
        for alias in names:
            package, _, last = alias.name.rpartition(".")
            if package:
                lines.append(f"from .{package} import {_spelled(alias, last)}")
        self.rename(node, "; ".join(lines), "relative import")

    def _is_script(self) -> bool:
        return re.search(r"^if\s+__name__\s*==", self.text, re.MULTILINE) is not None


def _spelled(alias: ast.alias, name: str) -> str:
    """An alias as it is written, under another name."""
    return f"{name} as {alias.asname}" if alias.asname and alias.asname != name else name
