"""`ExportStrategy`: how an `Experiment` exports."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["ExportStrategy"]


class _ExportStrategy(NamedTuple):
    name: Any
    export_fn: Any
    strip_default_attrs: Any


class ExportStrategy(_ExportStrategy):
    """A name (the folder's) and a function that exports.

    ``export_fn(estimator, export_path)`` may besides take ``checkpoint_path``, ``eval_result`` and
    ``strip_default_attrs``.
    """

    __slots__ = ()

    def __new__(
        cls, name: str, export_fn: Callable[..., Any], strip_default_attrs: bool | None = None
    ) -> ExportStrategy:
        """Keeps the fields.

        Args:
          name: The folder below "export".
          export_fn: See above.
          strip_default_attrs: Passed to the function.

        Returns:
          The strategy.
        """
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str | None = None,
        eval_result: dict[str, Any] | None = None,
    ) -> Any:
        """Calls the function with those arguments that it takes.

        Args:
          estimator: The Estimator.
          export_path: The folder.
          checkpoint_path: Which checkpoint.
          eval_result: What its evaluation said.

        Returns:
          What the function returns.

        Raises:
          ValueError: If it takes eval_result but not checkpoint_path.
        """
        names = inspect.signature(self.export_fn).parameters
        if "eval_result" in names and "checkpoint_path" not in names:
            raise ValueError(
                "An export_fn that takes eval_result must take checkpoint_path. "
                f"Received: arguments {list(names)}"
            )
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        kwargs = {name: value for name, value in given.items() if name in names}
        return self.export_fn(estimator, export_path, **kwargs)
