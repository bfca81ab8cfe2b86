"""Programs that share a file, but nothing of TensorFlow in it: one may keep its session alone.

Files are judged together with all that share some of them (`together.find`). Where that fails, an
entry that only takes names from a file which TensorFlow has no part in, `utils.safe_mkdir`, is no
reason for the others to keep their sessions; nor are they for it.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from migrate.engine.document import Document, shelved
from migrate.engine.judged import Analysis, names_of
from migrate.engine.source import SourceError
from migrate.engine.together import Together, find
from migrate.engine.trees import all_of, walk
from migrate.programs.files import Imported, Tree, called_import, targets
from migrate.programs.search_path import Known

# What is the same with a graph and without one.
ALIKE = ("tensorflow.compat.as_", "tensorflow.gfile.", "tensorflow.io.gfile.")


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


# What TF 2 has without a session, and builds the same in a graph.
BOTH = frozenset(
    f"tensorflow.{name}"
    for name in words("""
        Variable constant zeros ones zeros_like ones_like fill cast shape reshape concat transpose
        expand_dims squeeze tile random_normal truncated_normal random_uniform multiply add
        subtract divide matmul maximum minimum square sqrt exp log abs negative tanh sigmoid
        reduce_mean reduce_sum reduce_max float16 float32 float64 int32 int64 uint8 bool string
        nn.relu nn.elu nn.tanh nn.sigmoid nn.softmax nn.softplus nn.bias_add nn.conv2d
        nn.max_pool nn.avg_pool nn.l2_loss nn.xw_plus_b
    """)
)
# What a tensor or a variable says otherwise there.
ASKED = frozenset(words("get_shape shape value eval op graph initializer initialized_value"))
STARTS = frozenset({"initial_value", "name", "dtype", "trainable"})  # what a variable may be told
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(slots=True)
class Loosened:
    """A group that is several, once its entries don't see what they needn't."""

    group: Together
    parts: list[Together]
    apart: dict[str, frozenset[str]]  # by entry: the files that needn't be at its level
    kept: frozenset[str]  # the entries that must keep their sessions for that


def loosen(
    group: Together,
    analyses: Mapping[str, Analysis],
    tree: Tree,
    quiet: Iterable[str],
    to: str,
    failed: str,
) -> Loosened | None:
    """A group's programs, as groups of their own; None where they share more.

    ``failed``: the file of the group in which something keeps its sessions.
    """
    if len(group.entries) == 1:
        return None
    still = set(quiet)
    try:
        data = group.data()
        documents = {p: shelved(p, d) for p, d in zip(group.files, data, strict=True)}
    except (OSError, SourceError):
        return None
    known = Known(analyses)
    strict, both = _Plain(documents, known, tree), _Plain(documents, known, tree, BOTH)
    files = set(group.files)
    own = {e: files & tree.links.get(e, frozenset()) for e in group.entries}
    own = {e: {p for p in of if still.issuperset(tree.reach(p))} for e, of in own.items()}
    kept = {e for e in group.entries if failed in tree.reach(e)}
    while True:  # what shares a file with an entry that keeps its session does so, too
        plain = {e: both if e in kept else strict for e in group.entries}
        loose = {e: plain[e].loose(e, own[e]) for e in group.entries}
        links = {path: gone - loose.get(path, {}).keys() for path, gone in tree.links.items()}
        looser = Tree(links, dict(tree.unread))
        theirs = {path for e in kept for path in looser.reach(e)} & files
        more = {e for e in group.entries if e not in kept and theirs & looser.reach(e)}
        if more and more | kept < set(group.entries):
            kept |= more
        elif more:
            kept = set()  # all of them: nothing of TensorFlow's is taken apart
        else:
            break
    if not any(loose.values()):
        return None
    fixed: dict[str, set[str]] = {path: set(names) for path, names in group.fixed}
    for entry, of in loose.items():
        for path, names in of.items():
            fixed.setdefault(path, set()).update(names)
            for further in plain[entry].through.get(path, ()):
                fixed.setdefault(further[0], set()).update(further[1])
    parts = [
        replace(part, fixed=tuple((p, tuple(sorted(fixed[p]))) for p in part.files if p in fixed))
        for part in find(analyses, looser, to)
        if files.issuperset(part.files)
    ]
    if len(parts) < 2:
        return None
    apart = {entry: frozenset(of) for entry, of in loose.items() if of}
    kept = {e for e in kept if loose[e] != strict.loose(e, own[e])}
    return Loosened(group, parts, apart, frozenset(kept))


class _Plain:
    """The names of a group's files behind which is no TensorFlow."""

    def __init__(
        self,
        documents: Mapping[str, Document],
        known: Mapping[str, str],
        tree: Tree,
        both: Container[str] = (),
    ) -> None:
        self.documents, self.known, self.tree, self.both = documents, known, tree, both
        self.names: dict[str, frozenset[str]] = {}
        # What they take of further files, by file.
        self.through: dict[str, list[tuple[str, set[str]]]] = {}

    def loose(self, path: str, own: set[str]) -> dict[str, set[str]]:
        """Of some files those of which a file takes such names only."""
        found = taken(self.documents[path], own, self.known)
        return {other: names for other, names in found.items() if names <= self.of(other)}

    def of(self, path: str) -> frozenset[str]:
        """Such names of one file."""
        if path not in self.names:
            self.names[path] = frozenset()  # files that import each other
            own = self.tree.links.get(path, frozenset())
            others = self.loose(path, set(self.documents) & own)
            self.names[path] = plain_names(self.documents[path], self.known, others, self.both)
            through = self.through.setdefault(path, [])
            for other, names in others.items():
                through += [(other, names), *self.through.get(other, ())]
        return self.names[path]


def taken(entry: Document, own: set[str], known: Mapping[str, str]) -> dict[str, set[str]]:
    """The names that a file takes from each of some files, where all that it takes is seen."""
    module = entry.tree
    found: dict[str, set[str]] = {path: set() for path in own}
    lost: set[str] = set()
    where = os.path.normpath(entry.path)
    nodes = list(walk(module))
    uses = _Uses(nodes)
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            module_name = node.module or ""
            base = set(targets(where, Imported(node.level, module_name), known))
            for alias in node.names:
                item = Imported(node.level, module_name, (alias.name,))
                below = set(targets(where, item, known)) - base
                bound = uses.attributes(alias.asname or alias.name)
                named = None if alias.name == "*" else {alias.name}
                for path in (below or base) & own:
                    _add(found, lost, path, bound if below else named)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                paths = set(targets(where, Imported(0, alias.name), known)) & own
                names = None
                if alias.asname or "." not in alias.name:
                    names = uses.attributes(alias.asname or alias.name)
                for path in paths:
                    _add(found, lost, path, names)
        elif isinstance(node, ast.Call) and (called := called_import(node)) is not None:
            lost.update(targets(where, Imported(0, called), known))
    return {path: names for path, names in found.items() if path not in lost}


def _add(found: dict[str, set[str]], lost: set[str], path: str, names: set[str] | None) -> None:
    if path not in found:
        return
    if names is None:
        lost.add(path)
    else:
        found[path] |= names


class _Uses:
    """What a file does with its names."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._read: dict[str, set[str]] = {}
        self._other: set[str] = set()  # names that are more than owners of attributes
        owners = set()
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owners.add(id(node.value))
                self._read.setdefault(node.value.id, set()).add(node.attr)
                if not isinstance(node.ctx, ast.Load):
                    self._other.add(node.value.id)
        for node in nodes:
            if isinstance(node, ast.Name) and id(node) not in owners:
                self._other.add(node.id)
            elif isinstance(node, ast.arg):
                self._other.add(node.arg)

    def attributes(self, name: str) -> set[str] | None:
        """The attributes that are read of an imported module; None where it is used otherwise."""
        return None if name in self._other else self._read.get(name, set())


def plain_names(
    document: Document,
    known: Mapping[str, str],
    loose: Container[str] = (),
    both: Container[str] = (),
) -> frozenset[str]:
    """The names of a file behind which is neither TensorFlow nor another file, but for some.

    ``both``: names of TensorFlow that may be behind them.
    """
    references = [
        r
        for r in names_of(document).references
        if r.name.startswith(("tensorflow", "keras")) and not r.name.startswith(ALIKE)
    ]
    graph = {id(r.root) for r in references if r.name not in both}
    theirs = {id(r.node): r.name for r in references}
    where = os.path.normpath(document.path)
    defined: dict[str, list[ast.stmt]] = {}
    dark: set[str] = set()  # names that may be TensorFlow's
    for stmt in document.tree.body:
        if isinstance(stmt, DEFINITIONS):
            defined.setdefault(stmt.name, []).append(stmt)
        elif isinstance(stmt, ast.Assign) and all(isinstance(t, ast.Name) for t in stmt.targets):
            for target in stmt.targets:
                assert isinstance(target, ast.Name)
                defined.setdefault(target.id, []).append(stmt)
        else:
            dark |= _bound(stmt, where, known, loose)
    reads = {
        name: {n.id for s in stmts for n in all_of(s, ast.Name)} for name, stmts in defined.items()
    }
    dark |= {
        name
        for name, stmts in defined.items()
        if any(
            id(n) in graph or isinstance(n, (ast.Import, ast.ImportFrom))
            for s in stmts
            for n in walk(s)
        )
        or any(_asks(s, theirs) for s in stmts)
    }
    while more := {name for name, names in reads.items() if name not in dark and names & dark}:
        dark |= more
    return frozenset(defined) - dark


def _asks(stmt: ast.stmt, theirs: Mapping[int, str]) -> bool:
    """Whether a definition makes ops of TensorFlow's and asks them what differs in a graph."""
    nodes = list(walk(stmt))
    if not any(id(n) in theirs for n in nodes):
        return False
    if not isinstance(stmt, ast.FunctionDef) or stmt.decorator_list:
        return True  # it makes them when its file is imported, or isn't what it looks like
    made = {id(n) for d in (*stmt.args.defaults, *stmt.args.kw_defaults) if d for n in walk(d)}
    if any(place in theirs for place in made):
        return True
    for n in nodes:
        if isinstance(n, ast.Attribute) and id(n) not in theirs and n.attr in ASKED:
            return True
        if isinstance(n, ast.Call) and theirs.get(id(n.func)) == "tensorflow.Variable":
            if len(n.args) > 1 or any(k.arg not in STARTS for k in n.keywords):
                return True
    return False


def _bound(stmt: ast.stmt, where: str, known: Mapping[str, str], loose: Container[str]) -> set[str]:
    """The names that a statement binds, but for imports of what is neither."""
    found: set[str] = set()
    for node in walk(stmt):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                level = node.level if isinstance(node, ast.ImportFrom) else 0
                item = Imported(level, module, (alias.name,))
                reached = list(targets(where, item, known))
                if reached and all(path in loose for path in reached):
                    continue
                ours = bool(reached)
                if ours or level or module.partition(".")[0] == "keras":
                    found.add((alias.asname or alias.name).partition(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, DEFINITIONS):
            found.add(node.name)
    return found


def changed(before: ast.Module, after: ast.Module, names: Sequence[str]) -> bool:
    """Whether a definition isn't what it was."""
    return any(_defined(before, name) != _defined(after, name) for name in names)


def _defined(tree: ast.Module, name: str) -> list[str]:
    return [
        ast.dump(stmt)
        for stmt in tree.body
        if (isinstance(stmt, DEFINITIONS) and stmt.name == name)
        or (
            isinstance(stmt, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == name for t in stmt.targets)
        )
    ]
