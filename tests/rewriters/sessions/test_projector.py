"""TensorBoard's embedding projector."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

FOLDER = 'log'
ids = tf.placeholder(tf.int32, [None])
points = tf.Variable(tf.random_uniform([10, 2]), name='points')
found = tf.nn.embedding_lookup(points, ids)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(found, {ids: [1]}))
    saver.save(sess, 'log/model.ckpt')
    writer = tf.summary.FileWriter(FOLDER)
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = points.name
    projector.visualize_embeddings(writer, config)
"""


def test_a_checkpoints_own_name_is_told() -> None:
    text = after(PROGRAM)
    assert "from tensorboard.plugins import projector\n" in text
    assert 'embedding.tensor_name = "points/.ATTRIBUTES/VARIABLE_VALUE"\n' in text
    assert "projector.visualize_embeddings(FOLDER, config)\n" in text
    assert "FileWriter" not in text
    assert "create_file_writer" not in text


def test_without_checkpoints_a_name_stays() -> None:
    text = after(PROGRAM.replace("    saver.save(sess, 'log/model.ckpt')\n", ""))
    assert "embedding.tensor_name = points.name\n" in text


def test_a_writer_that_is_made_for_it() -> None:
    made = PROGRAM.replace("    writer = tf.summary.FileWriter(FOLDER)\n", "")
    made = made.replace("embeddings(writer,", "embeddings(tf.summary.FileWriter('log'),")
    assert "projector.visualize_embeddings('log', config)\n" in after(made)


def test_a_name_of_tf_1_is_a_variables() -> None:
    text = after(PROGRAM.replace("= points.name", "= 'points:0'"))
    assert 'embedding.tensor_name = "points/.ATTRIBUTES/VARIABLE_VALUE"\n' in text
    for other in ("'others:0'", "'points' + ':0'"):
        said = stopped(PROGRAM.replace("= points.name", f"= {other}"))
        assert "told a variable by its name in TF 1" in said


def test_a_folder_that_changes_keeps_the_session() -> None:
    changed = PROGRAM.replace("    config = ", "    FOLDER = 'other'\n    config = ")
    assert "projector" in stopped(changed)
    # It was told before.
    assert "(FOLDER, config)" in after(PROGRAM.replace("ids = ", "FOLDER = 'other'\nids = "))


def test_a_place_in_a_list_keeps_the_session() -> None:
    listed = PROGRAM.replace(
        "points = tf.Variable(tf.random_uniform([10, 2]), name='points')\n",
        "parts = [tf.Variable(tf.random_uniform([10, 2])) for _ in range(2)]\npoints = parts[0]\n",
    )
    assert "projector" in stopped(listed)


@pytest.mark.parametrize(
    ("line", "prefix"),
    [
        ("import tensorflow.contrib.tensorboard.plugins.projector as projector", "projector."),
        (
            "from tensorflow.contrib.tensorboard.plugins.projector import (\n"
            "    ProjectorConfig, visualize_embeddings)",
            "",
        ),
    ],
)
def test_other_ways_to_import_it(line: str, prefix: str) -> None:
    head, body = PROGRAM.split("from tensorflow.contrib.tensorboard.plugins import projector")
    text = after(head + line + body.replace("projector.", prefix))
    assert 'embedding.tensor_name = "points/.ATTRIBUTES/VARIABLE_VALUE"\n' in text
    assert "contrib" not in text


OBJECT = """\
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

FOLDER = 'log'


class Net:
    def __init__(self, folder):
        self.folder = folder
        self.x = tf.placeholder(tf.int32, [None])
        self.points = tf.Variable(tf.zeros([3, 2]), name='points')
        self.y = tf.nn.embedding_lookup(self.points, self.x)
        self.saver = tf.train.Saver()
        self.writer = tf.summary.FileWriter(GIVEN)

    def show(self, sess):
        print(sess.run(self.y, {self.x: [1]}))
        self.saver.save(sess, 'log/model')
        config = projector.ProjectorConfig()
        embedding = config.embeddings.add()
        embedding.tensor_name = self.points.name
        projector.visualize_embeddings(self.writer, config)


net = Net('log')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    net.show(sess)
"""


def test_a_writer_of_an_object() -> None:
    for folder in ("self.folder", "FOLDER"):
        text = after(OBJECT.replace("GIVEN", folder))
        assert f"projector.visualize_embeddings({folder}, config)" in text
    # Another method doesn't see the argument.
    assert "projector" in stopped(OBJECT.replace("GIVEN", "folder"))
