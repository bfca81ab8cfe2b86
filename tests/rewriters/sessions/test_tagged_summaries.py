"""A summary for each tag that is made at the tag's first value: what it is fed is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

FIXTURE = Path(__file__).parents[3] / "fixtures/native/tagged_summaries/before.py"
IMAGES = """\
                        if value.ndim < 1:
                            self.inputs[tag] = tf.placeholder(tf.float32, value.shape)
                            self.ops[tag] = tf.summary.scalar(tag, self.inputs[tag])
                        else:
                            self.inputs[tag] = tf.placeholder(
                                tf.float32, [None] + list(value.shape[1:]))
                            self.ops[tag] = tf.summary.image(tag, self.inputs[tag])
"""
SCALARS = """\
                        self.inputs[tag] = tf.placeholder(tf.float32, None, name=tag)
                        self.ops[tag] = tf.summary.scalar("run/" + tag, self.inputs[tag])
"""
APART = """\
                        if len(value.shape) <= 1:
                            self.inputs[tag] = tf.placeholder("float32", value.shape, name=tag)
                        else:
                            self.inputs[tag] = tf.placeholder("float32", None, name=tag)
                        if len(value.shape) <= 1:
                            self.ops[tag] = tf.summary.scalar(tag, self.inputs[tag])
                        else:
                            self.ops[tag] = tf.summary.image(tag, self.inputs[tag])
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def source(made: str = IMAGES) -> str:
    text = FIXTURE.read_text()
    assert IMAGES in text
    return text.replace(IMAGES, made)


def after(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode()


def test_a_number_is_written_under_its_tag() -> None:
    text = after(source(SCALARS))
    assert 'found.append({"run/" + tag: value})' in text
    assert "write_summaries(writer, one, step)" in text
    assert "self.ops" not in text
    assert "self.inputs" not in text


def test_what_tells_the_kind_of_a_value_stays() -> None:
    kind = '"scalars" if len(value.shape) <= 1 else "images"'
    assert f'{{{kind}: {{tag: tf.convert_to_tensor(value, "float32")}}}}' in after(source(APART))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('scope=""', 'scope="net"'),
        ('board.put(step, kind="test"', 'board.put(step, scope="test"'),
        ('board.put(step, kind="test"', 'board.put(step, "test", "a"'),
        ('kind="test", values={"loss": error * 2}', '**{"scope": "a"}'),
        ("model = Model()", "model, put = Model(), Board.put"),
        ("if value.ndim < 1", "if value < 1"),
        ("if value.ndim < 1", "if value.ndim < self.most"),
        ("tf.float32, value.shape", "tf.int32, value.shape"),
        ("scalar(tag,", "scalar(self.folder + tag,"),
        ("image(tag, self.inputs[tag]", "image(tag, self.inputs[tag], 5"),
        ("image(tag, self.inputs[tag]", "image(tag, 1.0 - self.inputs[tag]"),
        ("writer.flush()", "writer.flush()\n                print(len(self.ops))"),
        ("writer.flush()", "writer.flush()\n                print(found[0])"),
        ("for one in found:", "for one in found:\n                    print(one)"),
        ("found.append(", "tag = tag + 'x'\n                    found.append("),
        ("self.ops = {}", "self.ops = self.inputs"),
        ("if tag not in", "if tag in"),
    ],
)  # fmt: skip
def test_what_may_be_another_summary_keeps_the_session(old: str, new: str) -> None:
    text = source()
    assert text.replace(old, new, 1) != text
    assert upgrade(text.replace(old, new, 1)).level is Level.COMPAT


def test_one_value_or_another_of_a_summary_keeps_the_session() -> None:
    made = "tf.Summary(value=[{} if step else {}])".format(
        'tf.Summary.Value(tag="a", simple_value=error)',
        'tf.Summary.Value(tag="b", simple_value=error)',
    )
    text = source().replace(
        "if step % 3 == 0:", f"board.test_writer.add_summary({made}, step)\n{' ' * 8}if step:"
    )
    assert upgrade(text).level is Level.COMPAT


def test_summaries_of_numbers_may_be_listed_before_they_are_written() -> None:
    made = "tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])"
    start, end = (
        source().index("                    # the first"),
        source().index("                for one"),
    )
    text = source()[:start] + f"                    found.append({made})\n" + source()[end:]
    assert "found.append({tag: value})" in after(text)
    other = text.replace(
        "for one in found:",
        "for one in found:\n                    one.value.add(tag='a', simple_value=1)",
    )
    assert upgrade(other).level is Level.COMPAT
