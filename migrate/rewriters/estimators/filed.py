"""A file of a program when all its edits are known: imports, definitions, what is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import cast

from migrate.engine.bound import lost
from migrate.engine.findings import Edit
from migrate.engine.joined import moved
from migrate.engine.source import apply
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.pages import Page, Pages
from migrate.rewriters.sessions.convert import Converted
from migrate.rewriters.sessions.heads import leading

# What TF 2.21 can't import, and what a program with Keras models has no use for.
LOST = (
    *("tensorflow.estimator", "tensorflow.feature_column", "tensorflow.contrib"),
    *("tensorflow.python.estimator", "tensorflow.python.keras.layers"),
    *(f"tensorflow.python.keras.{name}" for name in ("models", "Model", "Input")),
    "tensorflow.python.feature_column",
    "tensorflow.examples.tutorials",
)
# What follows a name: what it is asked for, or what ends it.
CALLED, BOUNDARY = r"\s*[(.]", r"\b"


class Filed(Pages):
    """Files as they are in the end."""

    def without_imports(self, page: Page) -> None:
        """Take out imports of what TF 2 has lost, where nothing uses them any more."""
        tree, index = page.part.document.tree, self.text.index
        inner = [e for e in self.edits if e.start < e.end]
        used = set()
        for node in self.scopes.nodes[id(tree)]:
            if isinstance(node, ast.Name):
                start, end = index.span(node)
                if not any(e.start <= start and end <= e.end for e in inner):
                    used.add(node.id)
        written = "\n".join(e.new for e in self.edits)
        # Those of what is gone, which other files may have written of.
        spare = cast("set[int]", self.kept.get("spare imports", set()))
        size = len(page.part.document.text)
        mine = [e.new for e in self.edits if 0 <= e.start - page.part.start <= size]
        own_text = "\n".join([*mine, *page.needed.values()])
        for alias_of in tree.body:
            target = alias_of.targets[0] if isinstance(alias_of, ast.Assign) else None
            if not isinstance(target, ast.Name) or not isinstance(alias_of, ast.Assign):
                continue
            whole = len(alias_of.targets) == 1
            lost_module = whole and self.endpoint(alias_of.value).startswith(LOST)
            reads = sum(isinstance(n, ast.Name) and n.id == target.id for n in walk(tree))
            if lost_module and reads > 1 and self._unread(target.id, tree, inner):
                if not re.search(rf"(?<![\w./]){target.id}\.", written):
                    gone = index.span(alias_of.value)  # with what is written for it, a mode's word
                    self.edits = [e for e in self.edits if (e.start, e.end) != gone]
                    self.remove(alias_of)
        for stmt in self.scopes.nodes[id(tree)]:
            if not isinstance(stmt, (ast.Import, ast.ImportFrom)) or id(stmt) in self.removed:
                continue
            module = f"{stmt.module}." if isinstance(stmt, ast.ImportFrom) else ""
            if isinstance(stmt, ast.ImportFrom) and (stmt.level or not stmt.module):
                continue
            lost = [
                alias
                for alias in stmt.names
                if (own := (module + alias.name).partition(".")[0] in self.packages)
                or (module + alias.name).startswith(LOST)
                or self._bound_only(tree, module, alias)
                or id(alias) in spare
                if (name := alias.asname or (alias.name if module or "." not in alias.name else ""))
                not in used
                and not re.search(
                    rf"(?<![\w.]){name or '.'}{CALLED if own else BOUNDARY}",
                    own_text if id(alias) in spare else written,
                )
            ]
            kept = [ast.unparse(alias) for alias in stmt.names if alias not in lost]
            if not lost:
                continue
            if not kept:
                start = self.text.start(stmt.lineno)
                self.edits.append(Edit(start, self.text.start((stmt.end_lineno or 0) + 1), ""))
            else:
                first = index.span(stmt.names[0])[0]
                last = index.span(stmt.names[-1])[1]
                self.edits.append(Edit(first, last, ", ".join(kept)))

    def _unread(self, name: str, tree: ast.Module, inner: Sequence[Edit]) -> bool:
        """Whether nothing reads a name any more."""
        for node in walk(tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                start, end = self.text.index.span(node)
                if not any(e.start <= start and end <= e.end for e in inner):
                    return False
        return True

    def _bound_only(self, tree: ast.Module, module: str, alias: ast.alias) -> bool:
        """Whether an import is that of a `partial` which the program uses."""
        name = alias.asname or alias.name
        return module + alias.name in ("functools", "functools.partial") and any(
            isinstance(n, ast.Name) and n.id == name for n in walk(tree)
        )

    def _last_import(self, body: Sequence[ast.stmt], default: int) -> int:
        """The last line of the imports above the first statement that is written anew."""
        last = default
        for stmt in body:
            if isinstance(stmt, (ast.Import, ast.ImportFrom)):
                last = stmt.end_lineno or stmt.lineno
                continue
            start, end = self.text.index.span(stmt)
            if any(start <= e.start < end for e in self.edits) and last > default:
                break
        return last

    def file(self, page: Page) -> Converted:
        """The edits of one file, by its own offsets and lines."""
        document = page.part.document
        self.without_imports(page)
        body, above = document.tree.body, page.part.line
        last = self._last_import(body, above)
        first = max(leading(body), above)
        # One further down may come after what calls these definitions.
        ahead = [s for s in body if s.lineno <= last]
        have = {ast.unparse(s) for s in ahead if isinstance(s, (ast.Import, ast.ImportFrom))}
        modules = [a for s in ahead if isinstance(s, ast.Import) for a in s.names]
        have |= {f"import {ast.unparse(a)}" for a in modules}
        imports = [line for line in page.imports if line not in have]
        blocks = [(first, "".join(f"{line}\n" for line in imports))]
        below = self.text.lines[last : last + 2]
        blank = 2 - next((i for i, line in enumerate(below) if line.strip()), len(below))
        needed = "".join(f"\n\n{text}" for text in page.needed.values())
        blocks.append((last, needed and needed + "\n" * blank))
        for line, block in blocks:
            if block:
                at = self.text.start(line + 1)
                self.edits.append(Edit(at, at, block))
        begin, size = page.part.start, len(document.text)
        after = self.pages.index(page) + 1
        end = self.pages[after].part.start if after < len(self.pages) else begin + size + 1
        edits = [
            Edit(min(e.start - begin, size), min(e.end - begin, size), e.new)
            for e in self.edits
            if begin <= e.start < end
        ]
        new = apply(document.text, edits)
        top = body[0] if body else ast.Pass(lineno=above + 1, col_offset=0)
        if self.tf in new and not page.root:
            raise Blocked(top, "TensorFlow isn't imported as a whole")
        without = [n for n in lost(new, document.text, document.tree) if n != self.tf]
        if without:
            raise Blocked(top, f"`{without[0]}` would have no value any more")
        said = [(moved(node, page.part), what) for node, what in page.said]
        return Converted(page.part, edits, said, page.root or "tf")
