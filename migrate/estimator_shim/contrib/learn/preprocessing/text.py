"""`VocabularyProcessor`: documents as sequences of word ids."""

from __future__ import annotations

import collections
import io
import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)

__all__ = ["TOKENIZER_RE", "ByteProcessor", "VocabularyProcessor", "tokenizer"]

#: Words: acronyms, the parts of camel case, and runs of letters, digits, hyphens and apostrophes.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)

_FORMAT = "migrate VocabularyProcessor 1"


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Splits documents into words.

    Args:
      iterator: The documents.

    Yields:
      The words of each.
    """
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class ByteProcessor:
    """Maps documents to the bytes of their UTF-8 encoding, cut or filled up with 0."""

    def __init__(self, max_document_length: int) -> None:
        """Keeps the length.

        Args:
          max_document_length: How many bytes.
        """
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """There is nothing to learn.

        Args:
          x: Not used.
        """

    def fit_transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """See `transform`."""
        return self.transform(x)

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """The text of bytes.

        Args:
          x: Arrays of bytes.

        Yields:
          The text, "" where it is no UTF-8.
        """
        for row in x:
            document = np.trim_zeros(np.asarray(row).astype(np.int8), trim="b").tobytes()
            try:
                yield document.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """The bytes of documents.

        Args:
          x: Strings or bytes.

        Yields:
          Arrays of uint8.
        """
        for document in x:
            raw = document.encode("utf-8") if isinstance(document, str) else document
            row = np.frombuffer(raw[: self.max_document_length], np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)), "constant")


class VocabularyProcessor:
    """Maps documents to sequences of word ids, cut or filled up with 0.

    ``vocabulary_`` is the `CategoricalVocabulary`.

    `save` writes JSON. `restore` reads it, and also the pickles that TF 1.15 wrote - but of these
    only what a VocabularyProcessor consists of: a pickle may hold code that runs when it is read.

    >>> processor = VocabularyProcessor(3)
    >>> [row.tolist() for row in processor.fit_transform(["a b", "b c d e"])]
    [[1, 2, 0], [2, 3, 4]]
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[Any]] | None = None,
    ) -> None:
        """Keeps the settings.

        Args:
          max_document_length: How many words of a document count.
          min_frequency: Words must occur more often than this.
          vocabulary: The vocabulary, if it is known.
          tokenizer_fn: From an iterable of documents to their words; None for `tokenizer`.
        """
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        # An empty vocabulary is true: it has the unknown token.
        self.vocabulary_ = vocabulary if vocabulary else CategoricalVocabulary()
        self._tokenizer = tokenizer_fn if tokenizer_fn else tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the vocabulary.

        Args:
          raw_documents: The documents.
          unused_y: Not used; there because scikit-learn's transformers have it.

        Returns:
          self.
        """
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[Any]:
        """`fit` and `transform`.

        Args:
          raw_documents: The documents.
          unused_y: Not used.

        Returns:
          An iterator over arrays of ids.
        """
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """The word ids of documents.

        Args:
          raw_documents: The documents.

        Yields:
          Arrays of int64, ``max_document_length`` long.
        """
        for tokens in self._tokenizer(raw_documents):
            ids = np.zeros(self.max_document_length, np.int64)
            for i, token in enumerate(tokens):
                if i >= self.max_document_length:
                    break
                ids[i] = self.vocabulary_.get(token)
            yield ids

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of ids.

        Args:
          documents: Sequences of ids.

        Yields:
          The words, with blanks between them.
        """
        for item in documents:
            yield " ".join(self.vocabulary_.reverse(i) for i in item)

    def save(self, filename: str) -> None:
        """Writes the processor into a file.

        Args:
          filename: The file.

        Raises:
          TypeError: If a category of the vocabulary is neither string, number nor None.
        """
        vocabulary = self.vocabulary_
        for category in vocabulary._mapping:
            if not isinstance(category, (str, int, float, type(None))):
                raise TypeError(
                    "VocabularyProcessor.save: categories must be strings or numbers. "
                    f"Received: {category!r}"
                )
        content = {
            "format": _FORMAT,
            "max_document_length": self.max_document_length,
            "min_frequency": self.min_frequency,
            "own_tokenizer": self._tokenizer is not tokenizer,
            "support_reverse": vocabulary._support_reverse,
            "frozen": vocabulary._freeze,
            "categories": list(vocabulary._mapping),
            "counts": list(vocabulary._freq.items()),
        }
        with tf.io.gfile.GFile(filename, "wb") as file:
            file.write(json.dumps(content).encode())

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Reads a processor that `save` wrote, here or in TF 1.15.

        A ``tokenizer_fn`` is code and not read: a processor that had one can only `reverse`. Make
        a new one with the vocabulary: ``VocabularyProcessor(n, vocabulary=restored.vocabulary_,
        tokenizer_fn=...)``.

        Args:
          filename: The file.

        Returns:
          The processor.

        Raises:
          ValueError: If the file is no VocabularyProcessor.
        """
        with tf.io.gfile.GFile(filename, "rb") as file:
            raw = file.read()
        if raw.startswith(b"{"):
            return cls._from_json(json.loads(raw.decode()), filename)
        try:
            found = _Unpickler(io.BytesIO(raw), encoding="utf-8").load()
        except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, ValueError) as e:
            raise ValueError(
                f"There is no VocabularyProcessor in the file ({e}). Received: {filename!r}"
            ) from e
        if not isinstance(found, cls):
            raise ValueError(f"There is no VocabularyProcessor in the file. Received: {filename!r}")
        return found

    @classmethod
    def _from_json(cls, content: dict[str, Any], filename: str) -> VocabularyProcessor:
        if content.get("format") != _FORMAT:
            raise ValueError(f"There is no VocabularyProcessor in the file. Received: {filename!r}")
        categories = content["categories"]
        vocabulary = CategoricalVocabulary(categories[0], content["support_reverse"])
        for category in categories[1:]:
            vocabulary.get(category)
        vocabulary._freq.update(dict(content["counts"]))
        vocabulary.freeze(content["frozen"])
        words = _no_tokenizer if content["own_tokenizer"] else None
        return cls(content["max_document_length"], content["min_frequency"], vocabulary, words)


def _no_tokenizer(documents: Iterable[str]) -> Iterable[Any]:
    raise ValueError(
        "This VocabularyProcessor was saved with a tokenizer_fn, which is not in the file. Make a "
        "new one with its vocabulary_ and the tokenizer_fn. Received: documents to transform"
    )


class _Unpickler(pickle.Unpickler):
    """Reads only what TF1's VocabularyProcessor consists of; functions become `_no_tokenizer`."""

    _KNOWN: ClassVar[dict[tuple[str, str], Any]] = {
        ("text", "VocabularyProcessor"): VocabularyProcessor,
        ("text", "tokenizer"): tokenizer,
        ("categorical_vocabulary", "CategoricalVocabulary"): CategoricalVocabulary,
        ("collections", "defaultdict"): collections.defaultdict,
        ("builtins", "int"): int,
        ("__builtin__", "int"): int,
        ("builtins", "object"): object,
        ("__builtin__", "object"): object,
    }

    def find_class(self, module: str, name: str) -> Any:
        key = (module.rpartition(".")[2], name)
        if key in self._KNOWN:
            return self._KNOWN[key]
        if (module, name) == ("copy_reg", "_reconstructor") or module == "copyreg":
            return _reconstruct
        # A function of the user's: only its name is in a pickle. Anything that is called while
        # the pickle is read fails, since this takes an iterable of documents and raises.
        return _no_tokenizer


def _reconstruct(cls: Any, base: Any, state: Any) -> Any:
    """What pickles of protocol 0 and 1 make objects with."""
    if cls not in (VocabularyProcessor, CategoricalVocabulary):
        raise pickle.UnpicklingError(f"an object of {cls!r}")
    return cls.__new__(cls)
