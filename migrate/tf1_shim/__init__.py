"""What TensorFlow 2.21 lost of TensorFlow 1, for programs that stay graphs.

A program at the `compat` level runs as ``import tensorflow.compat.v1 as tf`` with
``tf.disable_v2_behavior()``. TF 2.21 with Keras 3 still runs such graphs, but ``tf.layers``,
``tf.nn.rnn_cell``, the whole of ``tf.contrib`` and the tutorials' readers are gone. This package
gives them back under the same paths, with TF1's signatures, variable names, initial values,
collections, update ops and numbers, so that only the root of a name changes::

    import tensorflow.compat.v1 as tf
    from migrate import tf1_shim

    tf.disable_v2_behavior()
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf1_shim.layers.dense(x, 3)               # was tf.layers.dense
    cell = tf1_shim.nn.rnn_cell.GRUCell(8)        # was tf.nn.rnn_cell.GRUCell

Checkpoints that TF 1.15 wrote load unchanged, and the other way round.

Importing this package costs nothing: its modules (and TensorFlow) are imported when first used.
Every public module lists in ``__all__`` exactly what it implements. A name of TF1 that it does not
have raises `AttributeError` on use, and the message says what to use instead.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["contrib", "examples", "layers", "models", "nn"]

# What programs took from private modules isn't TF 1's API, and is written `tf1_shim.private.x`.
__getattr__ = _lazy.attributes(__name__, (*__all__, "private"), "tf")


def __dir__() -> list[str]:
    return sorted(__all__)
