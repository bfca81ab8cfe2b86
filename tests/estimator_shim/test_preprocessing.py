"""VocabularyProcessor's files: its own, those of TF 1.15.5, and pickles that are something else.

fixtures/estimator_shim/vocabulary_1_15.pkl is what TF 1.15.5's ``VocabularyProcessor(4)`` saved
after ``fit(["a b's c-d", "HTMLParser CamelCase a"])``.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

RECORDED = Path(__file__).resolve().parents[2] / "fixtures/estimator_shim/vocabulary_1_15.pkl"
WORDS = ["a", "b's", "c-d", "HTML", "Parser", "Camel", "Case"]


@pytest.fixture
def processor_class() -> Any:
    pytest.importorskip("tensorflow")
    from migrate.estimator_shim.contrib.learn.preprocessing import VocabularyProcessor

    return VocabularyProcessor


@pytest.mark.tf2
def test_a_pickle_of_1_15_is_read(processor_class: Any) -> None:
    found = processor_class.restore(str(RECORDED))
    assert found.max_document_length == 4
    assert list(found.reverse([range(1, 8)])) == [" ".join(WORDS)]
    assert [row.tolist() for row in found.transform(["Parser zz a"])] == [[5, 0, 1, 0]]


@pytest.mark.tf2
def test_saved_and_restored(processor_class: Any, tmp_path: Path) -> None:
    first = processor_class.restore(str(RECORDED))
    first.save(str(tmp_path / "vocabulary"))
    second = processor_class.restore(str(tmp_path / "vocabulary"))
    assert vars(second.vocabulary_) == vars(first.vocabulary_)
    assert vars(second).keys() == vars(first).keys()


@pytest.mark.tf2
def test_a_tokenizer_is_not_kept_silently(processor_class: Any, tmp_path: Path) -> None:
    first = processor_class(2, tokenizer_fn=lambda documents: (d.split(",") for d in documents))
    first.fit(["a,b"])
    first.save(str(tmp_path / "vocabulary"))
    second = processor_class.restore(str(tmp_path / "vocabulary"))
    assert list(second.reverse([[1, 2]])) == ["a b"]
    with pytest.raises(ValueError, match="tokenizer_fn"):
        list(second.transform(["a,b"]))


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self._path}",)


@pytest.mark.tf2
def test_a_pickle_of_something_else_runs_nothing(processor_class: Any, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    for i, content in enumerate([pickle.dumps(Evil(touched)), b"", b"nonsense", pickle.dumps([1])]):
        path = tmp_path / str(i)
        path.write_bytes(content)
        with pytest.raises(ValueError, match="no VocabularyProcessor"):
            processor_class.restore(str(path))
    assert not touched.exists()
