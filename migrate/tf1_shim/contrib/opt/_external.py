"""``tf.contrib.opt``: optimizers that run outside of the graph, SciPy's above all."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.shape.as_list())


def _pack(tensors: Sequence[Any]) -> Any:
    """One vector of all values."""
    flat = [tf.reshape(tensor, [-1]) for tensor in tensors]
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else tf.concat(flat, 0)


def _slopes(tensor: Any, variables: Sequence[Any]) -> Any:
    found = tf.gradients(tensor, list(variables))
    pairs = zip(found, variables, strict=True)
    return _pack([tf.zeros_like(var) if grad is None else grad for grad, var in pairs])


class ExternalOptimizerInterface:
    """Minimizes a loss with an optimizer that asks for values and gradients.

    A subclass has `_minimize`. Example::

        optimizer = ScipyOptimizerInterface(loss, options={"maxiter": 100})
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            optimizer.minimize(session)
    """

    def __init__(
        self,
        loss: Any,
        var_list: Any = None,
        equalities: Any = None,
        inequalities: Any = None,
        var_to_bounds: Any = None,
        **optimizer_kwargs: Any,
    ) -> None:
        """Build the graph for the gradients and updates.

        Args:
          loss: A scalar tensor.
          var_list: The variables; by default all trainable ones.
          equalities: Scalar tensors that must be zero at the end.
          inequalities: Scalar tensors that must not be negative at the end.
          var_to_bounds: From variables to (lower, upper), each a number or an array.
          **optimizer_kwargs: For `_minimize`.
        """
        self._loss = loss
        self._equalities = equalities or []
        self._inequalities = inequalities or []
        self._vars = tf.trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = None
        if var_to_bounds is not None:
            bounds = {id(var): bound for var, bound in var_to_bounds.items()}
            self._packed_bounds = [
                pair
                for var in self._vars
                for pair in zip(
                    *(
                        np.broadcast_to(side, _shape(var)).ravel()
                        for side in bounds.get(id(var), (-np.inf, np.inf))
                    ),
                    strict=True,
                )
            ]
        self._update_placeholders = [tf.placeholder(var.dtype.base_dtype) for var in self._vars]
        self._var_updates = [
            var.assign(tf.reshape(placeholder, _shape(var)))
            for var, placeholder in zip(self._vars, self._update_placeholders, strict=True)
        ]
        self._packed_loss_grad = _slopes(loss, self._vars)
        self._packed_equality_grads = [_slopes(t, self._vars) for t in self._equalities]
        self._packed_inequality_grads = [_slopes(t, self._vars) for t in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _pack(self._vars)
        ends = [0, *itertools.accumulate(math.prod(_shape(var)) for var in self._vars)]
        self._packing_slices = [slice(a, b) for a, b in itertools.pairwise(ends)]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Any = None,
        loss_callback: Any = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimize, and assign the result to the variables.

        Args:
          session: The session; by default the default one.
          feed_dict: What to feed.
          fetches: Tensors for ``loss_callback``.
          step_callback: Called with the packed variables after each step.
          loss_callback: Called with the fetches' values at each evaluation of the loss.
          **run_kwargs: For ``session.run`` at the end.
        """
        session = session or tf.get_default_session()
        feed, fetches = feed_dict or {}, fetches or []

        def evaluator(tensors: Any, callback: Any = None) -> Callable[[Any], Any]:
            wanted = tensors if isinstance(tensors, list) else [tensors]

            def evaluate(x: Any) -> Any:
                values = {
                    var: x[part].reshape(_shape(var))
                    for var, part in zip(self._vars, self._packing_slices, strict=True)
                }
                got = session.run([*wanted, *fetches], feed_dict={**values, **feed})
                if callback is not None:
                    callback(*got[len(wanted) :])
                return got[: len(wanted)]

            return evaluate

        packed = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=evaluator([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[evaluator(t) for t in self._equalities],
            equality_grad_funcs=[evaluator(t) for t in self._packed_equality_grads],
            inequality_funcs=[evaluator(t) for t in self._inequalities],
            inequality_grad_funcs=[evaluator(t) for t in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda xk: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [packed[part] for part in self._packing_slices]
        feed = dict(zip(self._update_placeholders, values, strict=True))
        session.run(self._var_updates, feed_dict=feed, **run_kwargs)

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        """Minimize: a subclass's part.

        Args:
          initial_val: All variables in one vector.
          loss_grad_func: From a vector to the loss and its gradient.
          equality_funcs: From a vector to the equalities' values.
          equality_grad_funcs: … to their gradients.
          inequality_funcs: From a vector to the inequalities' values.
          inequality_grad_funcs: … to their gradients.
          packed_bounds: None, or (lower, upper) of each element.
          step_callback: To call after each step.
          optimizer_kwargs: What the constructor got.

        Returns:
          The vector at the end.
        """
        raise NotImplementedError(f"{type(self).__name__} has no _minimize()")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """``scipy.optimize.minimize`` as the optimizer; by default "L-BFGS-B".

    ``method``, ``options``, ``tol`` … are keyword arguments of the constructor.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        """Minimize with SciPy."""
        # SciPy is not a requirement of TensorFlow.
        optimize = importlib.import_module("scipy.optimize")

        def both(x: Any) -> tuple[Any, Any]:
            loss, slope = loss_grad_func(x)
            # Newer SciPy wants a scalar, TF1's loss may have one element.
            return np.asarray(loss).reshape(()).item(), slope.astype("float64")

        def constraints(kind: str, values: Any, slopes: Any) -> list[dict[str, Any]]:
            pairs = zip(values, slopes, strict=True)
            return [
                {
                    "type": kind,
                    "fun": lambda x, value=value: np.asarray(value(x)[0], "float64"),
                    "jac": lambda x, slope=slope: np.asarray(slope(x)[0], "float64"),
                }
                for value, slope in pairs
            ]

        # Newer SciPy insists on doubles.
        start = np.asarray(initial_val, "float64")
        given = dict(optimizer_kwargs)
        method = given.pop("method", self._DEFAULT_METHOD)
        settings = {
            "jac": True,
            "callback": step_callback,
            "method": method,
            "constraints": constraints("eq", equality_funcs, equality_grad_funcs)
            + constraints("ineq", inequality_funcs, inequality_grad_funcs),
            "bounds": packed_bounds,
        }
        for name in settings:
            if name == "bounds" and name in given:
                raise ValueError("Bounds are given by variable, as var_to_bounds")
            if name in given:
                raise ValueError(f"{name!r} is what this class gives to SciPy by itself")
        result = optimize.minimize(both, start, **settings, **given)
        lines = ["Optimization terminated with:", f"  Message: {result.message}"]
        lines.append(f"  Objective function value: {result.fun:f}")
        if hasattr(result, "nit"):
            lines.append(f"  Number of iterations: {result.nit}")
        if hasattr(result, "nfev"):
            lines.append(f"  Number of functions evaluations: {result.nfev}")
        tf.logging.info("\n".join(lines))
        return result["x"]
