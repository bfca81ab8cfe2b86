"""`VocabularyProcessor` and `ByteProcessor`, which went with `contrib.learn`: classes of the file.

processor = tf.contrib.learn.preprocessing.VocabularyProcessor(20)
x = np.array(list(processor.fit_transform(texts)))
"""

from __future__ import annotations

import ast

from migrate.programs.graph.data.vocabulary import KNOWN
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program
from migrate.rewriters.sessions import vocabulary

HOMES = tuple(
    f"tensorflow.contrib.learn.{package}{module}"
    for package in ("preprocessing.", "python.learn.preprocessing.")
    for module in ("", "text.")
)
WORDS = {f"{home}VocabularyProcessor" for home in HOMES}
BYTES = '''class ByteProcessor:
    """The bytes of texts, cut or filled up with zeros."""

    def __init__(self, max_document_length):
        self.max_document_length = max_document_length

    def fit_transform(self, raw_documents):
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        for text in raw_documents:
            found = text.encode() if isinstance(text, str) else text
            found = np.frombuffer(found[: self.max_document_length], np.uint8)
            yield np.pad(found, (0, self.max_document_length - len(found)))
'''


def written(program: Program, call: ast.Call) -> None:
    """Let a class of the file say which number a word has.

    Raises:
        Blocked: it is given a vocabulary, or imported by itself.
    """
    given: set[str] = set()
    for other in program.calls():
        if program.called(other) in WORDS:
            given |= set(program.given(other))
    if wrong := sorted(given - KNOWN):
        raise Blocked(call, f"`{wrong[0]}` of a VocabularyProcessor")
    if isinstance(call.func, ast.Name):
        raise Blocked(call, "how the VocabularyProcessor is imported")
    trees = [page.part.document.tree for page in program.pages]
    name, source, imports = vocabulary.definition(trees, given, program.tf)
    program.need(call, name, source, imports)
    program.edit(call.func, name, "a class of this file")


def counted(program: Program, call: ast.Call) -> None:
    """Let a class of the file give the bytes of texts.

    Raises:
        Blocked: more is asked of it than these, or it is imported by itself.
    """
    attributes = {n.attr for n in program.scopes.walk() if isinstance(n, ast.Attribute)}
    if program.page(call).has_other("np", "numpy"):
        raise Blocked(call, "the file has an `np` of its own")
    if isinstance(call.func, ast.Name) or "reverse" in attributes:
        raise Blocked(call, "how a ByteProcessor is imported, or what it is asked for")
    program.need(call, "ByteProcessor", BYTES, ["import numpy as np"])
    program.edit(call.func, "ByteProcessor", "a class of this file")


READERS.update(dict.fromkeys(WORDS, written))
READERS.update({f"{home}ByteProcessor": counted for home in HOMES})
