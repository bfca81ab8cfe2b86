"""``tf.contrib.training.HParams``: hyperparameters by name."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Mapping
from typing import Any

from migrate.tf1_shim._lazy import missing

__all__ = ["HParams", "parse_values"]

#: ``name``, ``name[index]`` and a value: bare, or a list in brackets.
ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w\.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)


def _unparsable(name: str, kind: str, value: Any, text: str) -> ValueError:
    return ValueError(
        f"Could not parse hparam '{name}' of type '{kind}' with value '{value}' in {text}"
    )


def _parsed(name: str, kind: type, value: str, text: str) -> Any:
    try:
        if kind is bool:
            if value in ("true", "True"):
                return True
            return False if value in ("false", "False") else bool(int(value))
        return kind(value)
    except ValueError as error:
        raise _unparsable(name, kind.__name__, value, text) from error


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Parse assignments such as ``"rate=0.1,sizes=[3,4],flags[1]=true"``.

    Args:
      values: The text.
      type_map: Name -> the type of its value, or of its entries.
      ignore_unknown: Whether to leave out names that are not in ``type_map``.

    Returns:
      Name -> value, list of values, or (for ``name[index]=``) dictionary from index to value.

    Raises:
      ValueError: If something is malformed, unknown, of the wrong type or assigned twice.
    """
    found: dict[str, Any] = {}
    at = 0
    while at < len(values):
        match = ASSIGNMENT.match(values, at)
        if not match:
            raise ValueError(f"Malformed hyperparameter value: {values[at:]}")
        at = match.end()
        name, value, entries = match["name"], match["value"], match["values"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        kind = type_map[name]
        twice = ValueError(f"Multiple assignments to variable '{name}' in {values}")
        if match["index"] is not None:
            if entries is not None:
                raise ValueError(f"An element of a list takes one value. Received: {values!r}")
            index = int(match["index"])
            slots = found.setdefault(name, {})
            if not isinstance(slots, dict) or index in slots:
                raise twice
            slots[index] = _parsed(name, kind, value.strip() if kind is not str else value, values)
        elif name in found:
            raise twice
        elif entries is not None:
            parts = [part for part in re.split("[ ,]", entries) if part]
            found[name] = [_parsed(name, kind, part, values) for part in parts]
        elif value == "" and kind is not str:
            raise _unparsable(name, kind.__name__, value, values)
        else:
            found[name] = _parsed(name, kind, value, values)
    return found


def _cast(name: str, kind: Any, value: Any) -> Any:
    """A value as the type of a hyperparameter, where that loses nothing."""
    error = ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    if kind is type(None):
        return value
    if isinstance(value, bool) != (kind is bool):
        raise error
    if isinstance(value, kind):
        return value
    if kind is str or isinstance(value, str) or value is None:
        raise error
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise error
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise error
    return kind(value)


class HParams:
    """Named hyperparameters, each with the type of its first value.

    Example::

        hparams = HParams(learning_rate=0.1, hidden=[32, 16], name="x")
        hparams.parse("learning_rate=0.5,hidden=[8,4]")
        hparams.learning_rate                        # 0.5
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        """Define hyperparameters.

        Args:
          hparam_def: Must be None: the protocol buffer is gone from TF 2.21; use `parse_json`.
          model_structure: Anything, kept for `get_model_structure`.
          **kwargs: The hyperparameters.

        Raises:
          AttributeError: If ``hparam_def`` is given.
        """
        if hparam_def is not None:
            raise missing(
                "tf.contrib.training.HParams(hparam_def=…)",
                "HParamDef is gone from TF 2.21; use to_json() and parse_json()",
            )
        self._hparam_types: dict[str, tuple[Any, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Define one more.

        Raises:
          ValueError: If the name is taken or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Set one, keeping its type.

        Raises:
          KeyError: If there is none of that name.
          ValueError: If the value does not fit the type.
        """
        kind, many = self._hparam_types[name]
        if isinstance(value, list):
            if not many:
                raise ValueError(f"{name} takes one value. Received: {value!r}")
            setattr(self, name, [_cast(name, kind, entry) for entry in value])
        elif many:
            raise ValueError(f"{name} takes a list. Received: {value!r}")
        else:
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Remove one, if it is there."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Override values from text: see `parse_values`.

        Returns:
          This object.
        """
        types = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Override values; the entries of a list also by a dictionary from their numbers.

        Returns:
          This object.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """The older name of `override_from_dict`."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Set what `get_model_structure` gives."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """What was given as the model's structure."""
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The values as JSON; callables are left out."""
        values = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(values, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Override values from JSON.

        Returns:
          This object.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Name -> value."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default if there is none of that name.

        Raises:
          ValueError: If the default does not fit the type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, many = self._hparam_types[key]
            shown = f"list<{kind}>" if many else kind
            said = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
            if many != isinstance(default, list):
                raise ValueError(said)
            try:
                for entry in default if many else [default]:
                    _cast(key, kind, entry)
            except ValueError as error:
                raise ValueError(f"{said}. {error}") from error
        return getattr(self, key)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Not possible: the protocol buffer is gone from TF 2.21.

        Raises:
          AttributeError: Always.
        """
        raise missing(
            "tf.contrib.training.HParams.to_proto",
            "HParamDef is gone from TF 2.21; use to_json()",
        )

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"
