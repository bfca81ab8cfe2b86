"""`SavedModelBuilder` becomes `tf.saved_model.save` of functions."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.0], [2.0]])
y = tf.matmul(x, w)
z = tf.layers.dense(y, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    # the version
    builder = tf.saved_model.builder.SavedModelBuilder('model/1')
    info = tf.saved_model.utils.build_tensor_info(x)
    signature = tf.saved_model.signature_def_utils.build_signature_def(
        inputs={'images': info},
        outputs={'scores': tf.saved_model.utils.build_tensor_info(y)},
        method_name='tensorflow/serving/predict')
    builder.add_meta_graph_and_variables(
        sess, [tf.saved_model.tag_constants.SERVING],
        signature_def_map={'predict_images': signature},
        legacy_init_op=tf.tables_initializer(), clear_devices=True)
    builder.save()
    print('saved')
"""


def test_a_signature_is_a_function() -> None:
    text = after(PROGRAM)
    assert "@tf.function(input_signature=[x])\ndef serving(images):\n" in text
    assert "    return {'scores': compute_y(images)}\n" in text
    end = "tf.saved_model.save(tf.train.Checkpoint(w=w), 'model/1', "
    assert end + "signatures={\"predict_images\": serving})\nprint('saved')\n" in text
    assert "builder" not in text
    assert "info" not in text


def test_all_variables_are_kept_where_layers_are_among_them() -> None:
    text = after(PROGRAM.replace("build_tensor_info(y)", "build_tensor_info(z)"))
    assert "tf.train.Checkpoint(w=w, z_layer=z_layer), 'model/1'" in " ".join(text.split()).replace(
        "( ", "("
    )


def test_predict_signatures_are_given_tensors() -> None:
    text = after(
        PROGRAM.replace(
            "{'predict_images': signature}",
            "{tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature,\n"
            "            'other': tf.saved_model.signature_def_utils.predict_signature_def(\n"
            "                {'x': x}, {'z': z})}",
        )
    )
    assert 'signatures={"serving_default": serving, "other": serving_other})' in text
    assert "def serving_other(x):\n    return {'z': compute_z(x)}\n" in text


def test_an_input_that_has_a_second_name() -> None:
    text = after(
        PROGRAM.replace("y = tf.matmul(x, w)", "x2 = tf.identity(x)\ny = x2 + w[0]").replace(
            "build_tensor_info(x)", "build_tensor_info(x2)"
        )
    )
    assert "    return {'scores': compute_y(images)}\n" in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("serving/predict", "serving/classify", "another method than `predict`"),
        ("tf.saved_model.tag_constants.SERVING", "'train'", "another tag"),
        ("[tf.saved_model.tag_constants.SERVING]", "tags", "tags of a SavedModel aren't seen"),
        ("'predict_images': signature", "'predict_images': other", "isn't seen"),
        ("clear_devices=True", "saver=tf.train.Saver()", "`saver` of a SavedModel"),
        ("build_tensor_info(y)", "build_tensor_info(y * 2)", "has no name"),
        ("build_tensor_info(x)", "build_tensor_info(y)", "an input of a SavedModel is"),
        ("    builder.save()\n", "    builder.add_meta_graph(['more'])\n", "isn't followed"),
        ("legacy_init_op=tf.tables_initializer()", "main_op=y", "`main_op` of a SavedModel"),
    ],
)
def test_what_a_function_cant_say_keeps_the_session(old: str, new: str, why: str) -> None:
    assert old in PROGRAM
    assert why in stopped(PROGRAM.replace(old, new))


def test_tables_are_kept_with_variables() -> None:
    table = PROGRAM.replace(
        "z = tf.layers.dense(y, 3)\n",
        "table = tf.contrib.lookup.index_to_string_table_from_tensor(\n"
        "    tf.constant([str(i) for i in range(3)]))\n"
        "z = table.lookup(tf.argmax(y, 1))\n",
    )
    text = after(table.replace("build_tensor_info(y)", "build_tensor_info(z)"))
    assert "words = [str(i) for i in range(3)]\ntable = tf.lookup.StaticHashTable(" in text
    assert "tf.train.Checkpoint(w=w, table=table)" in text
