"""What is known of a file before it is changed: its analysis, and what is decided on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.engine import rule as rules
from migrate.engine.document import Document
from migrate.engine.findings import Finding, Level
from migrate.engine.names import Names
from migrate.engine.names_resolve import analyse as resolve
from migrate.engine.plan import METHODS, Survey, survey
from migrate.engine.python2_tables import quick
from migrate.engine.site import FileContext
from migrate.engine.star_names import possible_bytes
from migrate.engine.together import Together
from migrate.programs.files import Imported

if TYPE_CHECKING:
    from migrate.engine.findings import FileResult
    from migrate.engine.functions import Between

UNREADABLE = "TFM901"
FAILED = "TFM902"
SWITCH = "TFM402"
SESSION = "TFM420"
# The rules that change a program as a whole, and what they put for what they take.
FIXES = {SESSION: "a function", "TFM520": "Keras"}


@dataclass(slots=True, repr=False)
class Verdict:
    """What becomes of a file at one level."""

    fixed: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    blocks: list[Finding] = field(default_factory=list)  # why the level can't be had


@dataclass(slots=True, repr=False)
class Analysis:
    """What one file says; plain data."""

    path: str
    error: str = ""
    bug: bool = False  # the error is this tool's
    uses: bool = False
    aged: bool = False  # doesn't mention TensorFlow, and may be too old for Python or NumPy
    given: bool = False  # may be given a session, whether it uses TensorFlow or not
    bases: list[str] = field(default_factory=list)  # of its classes, as written
    skip: bool = False
    eager: bool = False
    keras: bool = False  # eager because Keras 3 trains so, not by its own words
    estimators: bool = False  # makes Estimators, which run graphs of their own, and Keras is asked
    graph: Finding | None = None
    tf1: Finding | None = None
    late: bool = False  # TF 2 had that up to Keras 3
    tf2: bool = False
    modern: bool = False  # names what is of use without a graph only
    asserts: bool = False  # that TensorFlow is 2
    v1: bool = False  # names compat.v1
    switched: bool = False
    bare: list[str] = field(default_factory=list)  # of `bare_sessions.kinds`
    entry: bool = False  # has `if __name__ == "__main__"` or is a notebook
    runs: bool = False  # calls TensorFlow when it is imported
    imports: list[Imported] = field(default_factory=list)
    lost: Finding | None = None  # why it can't run with TF 2.21 at any level
    metas: list[str] = field(default_factory=list)  # checkpoints whose `.meta` files it reads
    computed: bool = False  # it reads one whose path isn't written
    asked: list[str] = field(default_factory=list)  # ops that it asks a graph for, by their names
    named: list[str] = field(default_factory=list)  # ops that it names
    saves: list[tuple[str, int]] = field(default_factory=list)  # those that it writes, by line
    switch: Finding | None = None  # for the call that switches v2 behaviour off, should it come
    # Why it can't be native in a program that another of its files makes eager.
    eager_blocks: list[Finding] = field(default_factory=list)
    # What becomes of it where its sessions become functions, and what keeps them.
    converted: bool = False
    alone: bool = True  # it imports no other file of the run
    waits: bool = False  # its sessions weren't looked at: another file may import it
    together: bool = False  # judged with the files that it imports, or that import it
    apart: frozenset[str] = frozenset()  # files that it imports, but nothing of TensorFlow of them
    functions: Verdict = field(default_factory=Verdict)
    between: Between | None = None  # until `made` is; it stays in its process
    made: FileResult | None = None  # its new bytes, where they were asked for with the analysis
    stopped: Finding | None = None
    kept: Finding | None = None  # what stopped the files that are judged with it
    native: Verdict = field(default_factory=Verdict)
    compat: Verdict = field(default_factory=Verdict)

    @property
    def of_tf1(self) -> bool:
        """Whether something in it is TF 1's, by either spelling."""
        return self.tf1 is not None or self.v1

    @property
    def switches_eager(self) -> bool:
        """Whether its own words switch eager execution on."""
        return self.eager and not self.keras and not self.converted


@dataclass(frozen=True, slots=True)
class Decision:
    """What a file's program is."""

    level: Level = Level.NATIVE
    eager: bool = False
    tf1: bool = False
    call: bool = False  # v2 behaviour is switched off here
    project: bool = False  # its program uses TensorFlow
    functions: bool = False  # its sessions become functions
    together: Together | None = None  # with which files they do
    starred: bool = False  # another file of its program imports all that it has


# What Python 3 doesn't parse or doesn't have: worth a closer look in a TensorFlow program.
_PYTHON2 = re.compile(
    rb"^[ \t]*(?:print[ \t]+[^(=\s]|print[ \t]*>>|raise[ \t]+[\w.]+[ \t]*,|exec[ \t]+[^(=\s]|"
    rb"except[ \t]+[\w.()]+[ \t]*,)",
    re.M,
)
_PYTHON2_WORDS = (
    *(b"xrange", b"unicode", b"raw_input", b"basestring", b"unichr", b"izip", b"urllib2"),
    *(b"cPickle", b"StringIO", b"Queue", b"iteritems", b"itervalues", b"iterkeys", b"has_key"),
    *(b"<>", b"ur'", b'ur"'),
)


# What gave a list, where one may be wanted.
_LISTED = re.compile(
    rb"= *(?:range|map|zip|filter)\(|\+ *(?:range|map|zip|filter)\(|\) *\+ *(?:\[|range\()"
    rb"|len\((?:map|zip|filter)\(|\.(?:keys|values|items)\(\)$",
    re.M,
)
# Methods that values have lost; what modules have lost, the rules' own words tell.
_METHODS = (
    *(b".tostring()", b".as_matrix()", b".isAlive()"),
    *(b".assertEquals(", b".assert_(", b"assertRaisesRegexp("),
)


def aged(data: bytes, text: str) -> bool:
    """Whether a file may ask for what Python 3, its library, NumPy or SciPy has lost.

    It is asked of every file that has no TensorFlow.
    """
    if any(word in data for word in (*_PYTHON2_WORDS, *_METHODS)):
        return True
    rules.load()
    listed = _LISTED.search(data) is not None and quick(text)
    return listed or _PYTHON2.search(data) is not None or bool(rules.roots(text))


def relevant(data: bytes) -> bool:
    """Whether a file can matter at all."""
    return b"tensorflow" in data or possible_bytes(data)


def names_of(document: Document) -> Names:
    """A document's names, resolved for every registered rule."""
    if document.names is not None:
        return document.names
    rules.load()
    text = document.text
    methods = frozenset((*rules.methods(), *METHODS))
    roots = rules.roots(text)
    names = resolve(document.tree, text, methods, roots, document.index.starts)
    document.names = names
    return names


def survey_of(document: Document, names: Names) -> Survey:
    """What a document says of its program."""
    if document.surveyed is None:
        context = FileContext("", document.text, document.index, document.tree, names)
        document.surveyed = survey(context)
    return document.surveyed
