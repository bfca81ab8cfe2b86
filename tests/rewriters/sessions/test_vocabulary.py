"""`VocabularyProcessor` in programs of sessions: a class of the program's own, with TF 1's ids."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.rewriters.sessions import vocabulary

PROGRAM = """\
import numpy as np
import tensorflow as tf
{imports}

docs = ["the cat sat", "the dog"]
words = {call}
ids = np.array(list(words.fit_transform(docs)))
{use}
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 2]))
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: ids}}))
"""
LEARN = "from tensorflow.contrib import learn"
CALL = "learn.preprocessing.VocabularyProcessor(3)"


def upgrade(imports: str = LEARN, call: str = CALL, use: str = "") -> FileResult:
    source = PROGRAM.format(imports=imports, call=call, use=use)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("imports", "call", "now"),
    [
        (LEARN, CALL, "words = VocabularyProcessor(3)"),
        (
            "from tensorflow.contrib.learn.python.learn.preprocessing.text import "
            "VocabularyProcessor as Words",
            "Words(max_document_length=3)",
            "words = VocabularyProcessor(max_document_length=3)",
        ),
        (
            "from tensorflow.contrib.learn import preprocessing",
            "preprocessing.VocabularyProcessor(3, 1)",
            "words = VocabularyProcessor(3, 1)",
        ),
        (
            "",
            "tf.contrib.learn.preprocessing.VocabularyProcessor(3, tokenizer_fn=lambda t: t)",
            "words = VocabularyProcessor(3, tokenizer_fn=lambda t: t)",
        ),
    ],
)
def test_the_class_is_written(imports: str, call: str, now: str) -> None:
    result = upgrade(imports, call)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert now in text
    assert "contrib" not in text
    assert text.count("class VocabularyProcessor") == 1
    assert ("def trim" in text) == ("3, 1" in call)
    assert ("tokenizer_fn" in text) == ("tokenizer_fn" in call)
    assert "def save" not in text
    assert "def reverse" not in text


def test_what_the_program_calls_is_there() -> None:
    result = upgrade(use='words.save("vocabulary")\nprint(list(words.reverse(ids)))')
    assert result.after is not None
    text = result.after.decode()
    assert text.count("def reverse") == 2
    assert "def save" in text
    assert "import json" in text


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("learn.preprocessing.VocabularyProcessor(3, vocabulary=None)", "`vocabulary`"),
    ],
)
def test_what_it_has_not_keeps_the_session(call: str, reason: str) -> None:
    result = upgrade(call=call)
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left)


def test_one_is_restored_from_what_another_program_saved() -> None:
    result = upgrade(call="learn.preprocessing.VocabularyProcessor.restore('vocabulary')")
    text = (result.after or b"").decode()
    assert "words = VocabularyProcessor.restore('vocabulary')" in text
    assert "    def restore(cls, filename):" in text
    assert "import json\n" in text
    assert "def save" not in text


def test_a_class_of_that_name_keeps_the_session() -> None:
    result = upgrade(use="class VocabularyProcessor: pass")
    assert result.level is Level.COMPAT
    assert any("a `VocabularyProcessor` of its own" in f.message for f in result.left)


@pytest.mark.tf2
@pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
def test_it_gives_the_shim_s_ids_and_the_shim_reads_what_it_saves(tmp_path: Path) -> None:
    """The shim was compared with TF 1.15.5: tests/estimator_shim/test_preprocessing.py."""
    import tensorflow as tf

    from migrate.estimator_shim.contrib.learn import preprocessing

    use = ast.parse("p.save('a'); p.reverse(ids)")
    given = {"min_frequency", "tokenizer_fn", "restore()"}
    _, source, imports = vocabulary.definition([use], given, "tf")
    module: dict[str, Any] = {"tf": tf}
    exec("\n".join([*imports, source]), module)
    docs = ["b b c a a a don't aHouse XMLFile", "c d d d d b É 10-year", "z", ""]
    for settings in ({}, {"min_frequency": 1}, {"tokenizer_fn": lambda t: (d.split() for d in t)}):
        ours = module["VocabularyProcessor"](5, **settings)
        theirs = preprocessing.VocabularyProcessor(5, **settings)
        ids = [row.tolist() for row in ours.fit_transform(docs)]
        assert ids == [row.tolist() for row in theirs.fit_transform(docs)]
        assert len(ours.vocabulary_) == len(theirs.vocabulary_)
        assert list(ours.reverse(ids)) == list(theirs.reverse(ids))
        ours.save(str(tmp_path / "vocabulary"))
        restored = preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocabulary"))
        assert list(restored.reverse(ids)) == list(theirs.reverse(ids))
        own = module["VocabularyProcessor"].restore
        if "tokenizer_fn" in settings:  # which isn't in the file
            with pytest.raises(ValueError, match="tokenizer_fn"):
                own(str(tmp_path / "vocabulary"))
            continue
        for again in (restored, own(str(tmp_path / "vocabulary"))):
            assert [row.tolist() for row in again.transform(docs)] == ids
            assert list(again.reverse(ids)) == list(theirs.reverse(ids))
            assert again.max_document_length == 5
