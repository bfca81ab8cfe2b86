"""``slim.tfexample_decoder``: from serialized ``tf.train.Example`` to items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.slim import data_decoder

__all__ = [
    "BackupHandler",
    "BoundingBox",
    "Image",
    "ItemHandler",
    "ItemHandlerCallback",
    "LookupTensor",
    "SparseTensor",
    "TFExampleDecoder",
    "Tensor",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.tfexample_decoder")


class ItemHandler:
    """Base class of what makes an item of features."""

    def __init__(self, keys: Any) -> None:
        """Name the features that it needs."""
        self._keys = list(keys) if isinstance(keys, (list, tuple)) else [keys]

    @property
    def keys(self) -> list[str]:
        """The features that it needs."""
        return self._keys

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The item of the features, name -> tensor."""
        raise NotImplementedError


class ItemHandlerCallback(ItemHandler):
    """A handler of a function."""

    def __init__(self, keys: Any, func: Callable[[dict[str, Any]], Any]) -> None:
        """Make a handler.

        Args:
          keys: The features that it needs.
          func: From the features, name -> tensor, to the item.
        """
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the function gives."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes (count, 4) of four features with their edges."""

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        """Make a handler.

        Args:
          keys: The names of the edges; by default "ymin", "xmin", "ymax", "xmax".
          prefix: What stands before every name.

        Raises:
          ValueError: If there are not four names.
        """
        names = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(names) != 4:
            raise ValueError("BoundingBox expects 4 keys")
        self._full_keys = [prefix + name for name in names]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The boxes."""
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            side = side.values if isinstance(side, tf.SparseTensor) else side
            sides.append(tf.expand_dims(tf.reshape(side, [-1]), 0))
        return tf.transpose(tf.concat(sides, 0))


class Tensor(ItemHandler):
    """A feature as it is, reshaped."""

    def __init__(
        self,
        tensor_key: str,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = 0,
    ) -> None:
        """Make a handler.

        Args:
          tensor_key: The feature.
          shape_keys: Features with the shape: one with all of it, or one for each axis.
          shape: The shape instead.
          default_value: What stands for missing entries of sparse features.

        Raises:
          ValueError: If the shape is given in both ways.
        """
        if shape_keys and shape is not None:
            raise ValueError("Give shape or shape_keys, not both")
        names = [shape_keys] if shape_keys and not isinstance(shape_keys, list) else shape_keys
        self._tensor_key, self._shape_keys = tensor_key, names
        self._shape, self._default_value = shape, default_value
        super().__init__([tensor_key, *(names or [])])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The reshaped feature."""
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            parts = []
            for key in self._shape_keys:
                part = keys_to_tensors[key]
                parts.append(
                    tf.sparse_tensor_to_dense(part) if isinstance(part, tf.SparseTensor) else part
                )
            shape = tf.reshape(tf.stack(parts), [-1])
        if isinstance(tensor, tf.SparseTensor):
            if shape is not None:
                tensor = tf.sparse_reshape(tensor, shape)
            tensor = tf.sparse_tensor_to_dense(tensor, self._default_value)
        elif shape is not None:
            tensor = tf.reshape(tensor, shape)
        return tensor


class LookupTensor(Tensor):
    """A feature looked up in a table."""

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        """Make a handler: see `Tensor`; ``table`` is the table."""
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the table gives."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """A handler, and another for when the first one's item is empty."""

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        """Make a handler of two."""
        self._handler, self._backup = handler, backup
        super().__init__(list(dict.fromkeys(handler.keys + backup.keys)))

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The first one's item unless it is empty."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class SparseTensor(ItemHandler):
    """A sparse tensor of a feature with indices and one with values."""

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        """Make a handler.

        Args:
          indices_key: The feature with the indices, by default "indices".
          values_key: The feature with the values, by default "values".
          shape_key: The feature with the shape.
          shape: The shape instead.
          densify: Whether the item is dense.
          default_value: What stands at the other places then.
        """
        self._indices_key, self._values_key = indices_key or "indices", values_key or "values"
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value
        keys = [self._indices_key, self._values_key] + ([shape_key] if shape_key else [])
        super().__init__(keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The sparse (or dense) tensor."""
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            shape = (
                tf.sparse_tensor_to_dense(shape) if isinstance(shape, tf.SparseTensor) else shape
            )
        else:
            shape = self._shape if self._shape else indices.dense_shape
        size = tf.cast(tf.size(indices.values), tf.int64)
        rank = tf.cast(tf.size(shape), tf.int64)
        columns = tf.stack([tf.math.floordiv(size, rank), rank])
        dense = tf.reshape(tf.cast(indices.values, tf.int64), columns)
        sparse = tf.SparseTensor(dense, values.values, tf.cast(shape, tf.int64))
        if not self._densify:
            return sparse
        return tf.sparse_tensor_to_dense(sparse, self._default_value)


class Image(ItemHandler):
    """An image of an encoded feature: JPEG, PNG, GIF, BMP or raw."""

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = tf.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        """Make a handler.

        Args:
          image_key: The feature, by default "image/encoded".
          format_key: The feature with the format, by default "image/format".
          shape: The shape to give to the image.
          channels: How many channels to decode.
          dtype: The dtype, uint8, uint16 or for raw images any.
          repeated: Whether the feature holds several images.
          dct_method: As for ``tf.image.decode_jpeg``.
        """
        self._image_key, self._format_key = (
            image_key or "image/encoded",
            format_key or "image/format",
        )
        self._shape, self._channels, self._dtype = shape, channels, dtype
        self._repeated, self._dct_method = repeated, dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The image, or the images."""
        buffer, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return tf.map_fn(lambda one: self._decode(one, kind), buffer, dtype=self._dtype)
        return self._decode(buffer, kind)

    def _decode(self, buffer: Any, kind: Any) -> Any:
        def is_one_of(*names: str) -> Any:
            return tf.reduce_any([tf.equal(kind, name) for name in names])

        def image() -> Any:
            def jpeg() -> Any:
                if self._dtype != tf.uint8:
                    raise ValueError("jpeg decoder can only be used to decode to tf.uint8")
                return tf.image.decode_jpeg(buffer, self._channels, dct_method=self._dct_method)

            def other() -> Any:
                return tf.image.decode_image(buffer, self._channels, dtype=self._dtype)

            if self._dtype != tf.uint8:
                return other()
            return tf.cond(tf.image.is_jpeg(buffer), jpeg, other, name="cond_jpeg")

        def raw() -> Any:
            return tf.decode_raw(buffer, out_type=self._dtype)

        decoded = tf.cond(is_one_of("raw", "RAW"), raw, image)
        decoded.set_shape([None, None, self._channels])
        return decoded if self._shape is None else tf.reshape(decoded, self._shape)


class TFExampleDecoder(data_decoder.DataDecoder):
    """From serialized examples to items, by handlers."""

    def __init__(self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, Any]) -> None:
        """Make a decoder.

        Args:
          keys_to_features: Feature -> ``tf.FixedLenFeature`` or ``tf.VarLenFeature``.
          items_to_handlers: Item -> `ItemHandler`.
        """
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """The items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """Decode an example.

        Args:
          serialized_example: A scalar string.
          items: The items wanted; by default all.

        Returns:
          The items' tensors.
        """
        example = tf.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.FixedLenFeature):
                example[key] = tf.reshape(example[key], feature.shape)
        made = []
        for item in items or self._items_to_handlers:
            handler = self._items_to_handlers[item]
            made.append(handler.tensors_to_item({key: example[key] for key in handler.keys}))
        return made
