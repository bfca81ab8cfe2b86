"""``tensorflow.contrib.saved_model.python.saved_model.reader``: a SavedModel as a message."""

from __future__ import annotations

import os
from typing import Any

import tensorflow.compat.v1 as tf
from google.protobuf import message, text_format  # type: ignore[import-untyped]
from tensorflow.core.protobuf import saved_model_pb2

from migrate.tf1_shim import _lazy

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.saved_model.reader")


def read_saved_model(saved_model_dir: str) -> Any:
    """Read a SavedModel.

    Args:
      saved_model_dir: Its folder.

    Returns:
      A ``SavedModel`` message: its ``meta_graphs`` are the graphs by tags.

    Raises:
      OSError: If there is none or it cannot be parsed.
    """
    folder = tf.compat.as_text(saved_model_dir)
    binary = os.path.join(folder, tf.saved_model.SAVED_MODEL_FILENAME_PB)
    text = os.path.join(folder, tf.saved_model.SAVED_MODEL_FILENAME_PBTXT)
    saved_model = saved_model_pb2.SavedModel()
    try:
        if tf.gfile.Exists(binary):
            with tf.gfile.GFile(binary, "rb") as stream:
                saved_model.ParseFromString(stream.read())
            return saved_model
        if tf.gfile.Exists(text):
            with tf.gfile.GFile(text, "r") as stream:
                return text_format.Merge(stream.read(), saved_model)
    except (message.DecodeError, text_format.ParseError) as error:
        raise OSError(f"Cannot parse the SavedModel in {folder}: {error}") from error
    raise OSError(f"There is no SavedModel in {folder}: neither {binary} nor {text}")


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """The tags of each meta graph of a SavedModel.

    Args:
      saved_model_dir: Its folder.

    Returns:
      A list of tags for each.

    Raises:
      OSError: If there is no SavedModel or it cannot be parsed.
    """
    graphs = read_saved_model(saved_model_dir).meta_graphs
    return [list(graph.meta_info_def.tags) for graph in graphs]
