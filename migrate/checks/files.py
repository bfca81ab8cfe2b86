"""The words for what the engine says of whole files; it makes these findings itself."""

from __future__ import annotations

from migrate.engine.findings import Applicability
from migrate.engine.rule import Rule


def _rule(
    id_: str,
    name: str,
    summary: str,
    doc: str,
    applicability: Applicability = Applicability.MANUAL,
    url: str = "https://www.tensorflow.org/guide/migrate",
) -> Rule:
    doc = f"{id_} {name}: {summary}.\n\n{doc}"
    return Rule(id_, name, summary, applicability, module=__name__, doc=doc, url=url)


STAR = _rule(
    "TFM115",
    "star-tensorflow",
    "TensorFlow under a name that another file's star import brings",
    "`from ops import *` gives a file the `tf` of ops.py. Nothing in the file says so, and ops.py\n"
    "may need TensorFlow no more once it is rewritten. A TF 1 file that uses `tf` or `slim` and\n"
    "binds it nowhere gets an import of its own below the star import, before any other rule\n"
    "looks at it: a comment at the star import leaves the file as it is, `ignore` only says\n"
    "nothing of the import. So does one that uses what NumPy has dropped of `np` (`np.mat`).\n",
    Applicability.SAFE,
)
PYTHON2 = _rule(
    "TFM801",
    "python2-source",
    "source that only Python 2 can read",
    "TF 2.21 runs on Python 3 only. `migrate upgrade` brings such a file to Python 3 in the same\n"
    "run, and each change is a finding of its own.\n",
    Applicability.SAFE,
    "https://docs.python.org/3/howto/pyporting.html",
)
PYTHON2_DOUBT = _rule(
    "TFM802",
    "python2-doubt",
    "a place where Python 3 may behave differently",
    "Division of integers, text against bytes, lists that have become views: the source does not\n"
    "tell which is meant, so the line is left to someone who knows.\n",
    url="https://docs.python.org/3/howto/pyporting.html",
)
UNUSED = _rule(
    "TFM900",
    "unused-suppression",
    "a comment that hides no finding",
    "A `# noqa: TFMnnn`, `# migrate: ignore[TFMnnn]` or `# migrate: off` with nothing to hide, or\n"
    "one that is not understood, hides tomorrow's finding without a word. Remove it.\n",
)
UNREADABLE = _rule(
    "TFM901",
    "unreadable-file",
    "a file that cannot be parsed",
    "Neither Python 3 nor Python 2 reads it, or its encoding or its notebook's JSON is broken.\n"
    "The file stays byte for byte as it is and the run goes on.\n",
)
FAILED = _rule(
    "TFM902",
    "failed-file",
    "a file that the tool could not finish",
    "Every new text is verified before it is written: it parses, untouched code is equal, a\n"
    "second pass changes nothing, every emitted name exists. Where that fails, or a rule breaks\n"
    "down, the file stays byte for byte as it is. It is a bug of the tool: please report it.\n",
)
REFUSED = _rule(
    "TFM903",
    "refused-file",
    "a file that may not be touched",
    "Symbolic links that leave the project, files that are no regular files, that cannot be read,\n"
    "or that changed while they were worked on are refused.\n",
)
