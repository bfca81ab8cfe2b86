"""``tf.contrib.tensorboard.plugins.projector``: which variables TensorBoard shows as points.

TensorBoard need not be installed: the three messages are made here, with the fields of its own.
"""

from __future__ import annotations

import os
from typing import Any

import tensorflow.compat.v1 as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format  # type: ignore[import-untyped]

from migrate.tf1_shim import _lazy

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.tensorboard.plugins.projector")

_PACKAGE = "tensorflow"

#: The messages: fields in the order of their numbers, with "*" for repeated ones.
_MESSAGES = {
    "SpriteMetadata": [("image_path", "string"), ("single_image_dim*", "uint32")],
    "EmbeddingInfo": [
        ("tensor_name", "string"),
        ("metadata_path", "string"),
        ("bookmarks_path", "string"),
        ("tensor_shape*", "uint32"),
        ("sprite", "SpriteMetadata"),
        ("tensor_path", "string"),
    ],
    "ProjectorConfig": [
        ("model_checkpoint_path", "string"),
        ("embeddings*", "EmbeddingInfo"),
        ("model_checkpoint_dir", "string"),
    ],
}


def _classes() -> dict[str, Any]:
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="migrate/projector_config.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        made = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            repeated = field.endswith("*")
            added = made.field.add(name=field.rstrip("*"), number=number)
            added.label = field_type.LABEL_REPEATED if repeated else field_type.LABEL_OPTIONAL
            if kind in _MESSAGES:
                added.type, added.type_name = field_type.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                added.type = getattr(field_type, f"TYPE_{kind.upper()}")
    # A pool of its own: TensorBoard may bring messages of the same names.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }


_MADE = _classes()

#: Which image shows the points: ``image_path``, and the size of one of its tiles.
SpriteMetadata: Any = _MADE["SpriteMetadata"]

#: A variable: ``tensor_name``, ``metadata_path`` (labels, a line for each row), ``sprite`` …
EmbeddingInfo: Any = _MADE["EmbeddingInfo"]

#: ``embeddings`` (add one with ``config.embeddings.add()``), ``model_checkpoint_path`` …
ProjectorConfig: Any = _MADE["ProjectorConfig"]


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write the configuration where TensorBoard looks for it.

    Args:
      summary_writer: A ``tf.summary.FileWriter``: "projector_config.pbtxt" goes to its folder.
      config: A `ProjectorConfig`.

    Raises:
      ValueError: If the writer has no folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    path = os.path.join(tf.compat.as_text(logdir), "projector_config.pbtxt")
    with tf.gfile.GFile(path, "w") as stream:
        stream.write(text_format.MessageToString(config))
