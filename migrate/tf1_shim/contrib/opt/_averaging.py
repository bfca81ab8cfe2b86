"""``tf.contrib.opt``: workers that train copies of a model, and average them now and then.

Variables are made inside of ``tf.variable_scope(…, custom_getter=getter)``, which keeps a copy for
the worker among the local variables, and one for all among the global ones.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "AGNCustomGetter",
    "AGNOptimizer",
    "ElasticAverageCustomGetter",
    "ElasticAverageOptimizer",
    "ModelAverageCustomGetter",
    "ModelAverageOptimizer",
]

GLOBAL = "global_center_variable"


class _Getter:
    """Makes further copies of trainable variables."""

    #: The name below which a second local copy lies; "" for none.
    _local = ""
    #: Whether other variables keep their place.
    _places = True

    def __init__(self, worker_device: str) -> None:
        """Make a getter.

        Args:
          worker_device: The device of the worker's variables.
        """
        self._worker_device = worker_device
        self.copies: dict[int, tuple[Any, Any]] = {}

    def __call__(
        self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Make a variable, as ``tf.get_variable`` calls it."""
        if not trainable:
            there = collections or ()
            with tf.device(
                self._worker_device
                if self._places and tf.GraphKeys.LOCAL_VARIABLES in there
                else None
            ):
                return getter(name, *args, trainable=trainable, collections=collections, **kwargs)
        local = {"collections": [tf.GraphKeys.LOCAL_VARIABLES]}
        with tf.device(self._worker_device):
            variable = getter(name, *args, trainable=True, **local, **kwargs)
        if kwargs.get("reuse") is True:
            return variable
        everywhere = {"collections": [tf.GraphKeys.GLOBAL_VARIABLES]}
        center = self._center(getter, variable, name, args, kwargs, everywhere)
        second = center
        if self._local:
            with tf.device(self._worker_device):
                second = getter(
                    *args, name=f"{self._local}/{name}", trainable=False, **local, **kwargs
                )
        if kwargs.get("partitioner") is None:
            self.copies[id(variable)] = (center, second)
        else:
            for part, one, other in zip(list(variable), list(center), list(second), strict=True):
                self.copies[id(part)] = (one, other)
        return variable

    def _center(
        self, getter: Any, variable: Any, name: str, args: Any, kwargs: Any, where: Any
    ) -> Any:
        del variable
        return getter(*args, name=f"{GLOBAL}/{name}", trainable=False, **where, **kwargs)

    def of(self, variables: Any) -> tuple[list[Any], list[Any]]:
        """The global and the second local copies of variables.

        Raises:
          ValueError: If there are none.
        """
        pairs = [self.copies[id(variable)] for variable in variables]
        if not pairs:
            raise ValueError(
                "There are no copies of trainable variables: make the model inside of a variable "
                f"scope with custom_getter={type(self).__name__}(…)"
            )
        return [a for a, _ in pairs], [b for _, b in pairs]


class ElasticAverageCustomGetter(_Getter):
    """Makes the variables for `ElasticAverageOptimizer`."""

    _local = "local_center_variable"


class ModelAverageCustomGetter(_Getter):
    """Makes the variables for `ModelAverageOptimizer`."""

    def _center(
        self, getter: Any, variable: Any, name: str, args: Any, kwargs: Any, where: Any
    ) -> Any:
        return tf.Variable(
            variable.initialized_value(), name=f"{GLOBAL}/{name}", trainable=False, **where
        )


class AGNCustomGetter(_Getter):
    """Makes the variables for `AGNOptimizer`."""

    _local = "grad_variable"
    _places = False


class _Hook(tf.train.SessionRunHook):
    """Starts the worker's variables from the global ones."""

    def __init__(self, start: Any) -> None:
        self._make = start

    def begin(self) -> None:
        self._start = self._make()

    def after_create_session(self, session: Any, coord: Any) -> None:
        del coord
        session.run(self._start)


class _Average(tf.train.Optimizer):
    """Counts local steps, and does something every so many of them."""

    def __init__(
        self, opt: Any, num_worker: int, getter: Any, period: int, use_locking: bool, name: str
    ) -> None:
        super().__init__(use_locking, name)
        self._opt, self._num_worker, self._getter, self._period = opt, num_worker, getter, period
        self._local_step = tf.get_variable(
            "local_step",
            initializer=0,
            trainable=False,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
        )
        opt._prepare()

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._opt.compute_gradients(*args, **kwargs)

    def _every_period(self, update: Any, then: Any, after: Any = ()) -> Any:
        """After an update count a step, and do something if the count says so."""
        with tf.control_dependencies(update):
            count = tf.assign_add(self._local_step, 1, name="local_step_update").op
        with tf.control_dependencies([count]):
            due = tf.equal(tf.mod(self._local_step, self._period), 0)
        with tf.control_dependencies([due, *after]):
            return tf.cond(due, then, tf.no_op)

    def _start(self) -> Any:
        """The local variables from the global ones."""
        variables = tf.trainable_variables()
        centers, _ = self._getter.of(variables)
        return [tf.assign(v, c) for v, c in zip(variables, centers, strict=True)]


def _given(grads_and_vars: Any) -> tuple[list[Any], list[Any]]:
    pairs = [(g, v) for g, v in grads_and_vars if g is not None]
    return [g for g, _ in pairs], [v for _, v in pairs]


def _into_local(opt: Any, pairs: Any) -> Any:
    """An optimizer's step whose slots are local variables."""
    before = {id(v) for v in tf.global_variables()}
    step = opt.apply_gradients(pairs)
    everywhere = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
    new = [v for v in everywhere if id(v) not in before]
    everywhere[:] = [v for v in everywhere if id(v) in before]
    for variable in new:
        tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, variable)
    return step


class ElasticAverageOptimizer(_Average):
    """Elastic averaging (arXiv:1412.6651): copies are drawn to a common center."""

    BETA = 0.9

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        ea_custom_getter: Any,
        communication_period: int = 10,
        moving_rate: float | None = None,
        rho: Any = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer of the copies.
          num_worker: The number of workers.
          ea_custom_getter: What made the variables.
          communication_period: How many local steps lie between two exchanges.
          moving_rate: How far a copy and the center move towards each other; by default 0.9 /
            period / workers.
          rho: The weight of the distance in the loss; by default the moving rate / learning rate.
          use_locking: Whether updates lock.
          synchronous: Whether `get_init_op` waits for all workers.
          name: The name of operations.
        """
        super().__init__(opt, num_worker, ea_custom_getter, communication_period, use_locking, name)
        if moving_rate is None:
            moving_rate = self.BETA / communication_period / num_worker
        self._moving_rate = moving_rate
        self._rho = moving_rate / opt._learning_rate if rho is None else rho
        self._synchronous = synchronous

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = tf.train.Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """The optimizer's, of the loss and the distance to the center."""
        variables = var_list or tf.trainable_variables()
        _, centers = self._getter.of(variables)
        apart = [
            tf.nn.l2_loss(tf.subtract(v, c))
            for v, c in zip(tf.trainable_variables(), centers, strict=True)
        ]
        return self._opt.compute_gradients(
            loss + self._rho * tf.add_n(apart),
            variables,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The optimizer's step, and the exchange with the center when it is due."""
        del name
        pairs = list(grads_and_vars)
        step = _into_local(self._opt, pairs)

        def exchange() -> Any:
            _, variables = _given(pairs)
            centers, copies = self._getter.of(variables)
            fresh = [copy.assign(center) for copy, center in zip(copies, centers, strict=True)]
            with tf.control_dependencies(fresh):
                apart = [tf.subtract(v, c) for v, c in zip(variables, copies, strict=True)]
                moves = [self._moving_rate * gap for gap in apart]
                updates = [tf.assign_sub(v, m) for v, m in zip(variables, moves, strict=True)]
                updates += [tf.assign_add(c, m) for c, m in zip(centers, moves, strict=True)]
                if global_step is not None:
                    updates.append(tf.assign_add(global_step, 1))
            return tf.group(*updates)

        return self._every_period([step], exchange)

    def get_init_op(self, task_index: int) -> Any:
        """The operation that starts a worker from the global variables.

        Args:
          task_index: The worker's number; of use with ``synchronous``.

        Returns:
          The operation.
        """
        _, copies = self._getter.of(tf.trainable_variables())
        centers, _ = self._getter.of(tf.trainable_variables())
        copied = [tf.assign(a, b) for a, b in zip(copies, centers, strict=True)]
        start = tf.group(*self._start(), *copied)
        if not self._synchronous:
            return start
        queues = [
            tf.FIFOQueue(
                self._num_worker,
                [tf.bool],
                shapes=[[]],
                shared_name=f"variable_init_sync_queue{i}",
            )
            for i in range(self._num_worker)
        ]
        with tf.control_dependencies([start]):
            told = [queue.enqueue(False) for i, queue in enumerate(queues) if i != task_index]
        waits = queues[task_index].dequeue_many(len(queues) - 1)
        return tf.group(*told, waits)

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> Any:
        """A hook that starts a worker.

        Args:
          is_chief: Whether it is the chief, which needs nothing more.
          task_index: The worker's number.

        Returns:
          The hook.
        """
        del is_chief
        return _Hook(lambda: self.get_init_op(task_index))

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Any:
        """A saver that puts the global copies under the variables' names.

        Args:
          var_list: What to save; by default the trainable variables.
          name: The name of its operations.
          **kwargs: The saver's other arguments.

        Returns:
          A ``tf.train.Saver``.

        Raises:
          RuntimeError: If there are no copies.
        """
        if not self._getter.copies:
            raise RuntimeError("There are no global copies: make the model with the custom getter")
        variables = tf.trainable_variables() if var_list is None else var_list
        if not isinstance(variables, dict):
            variables = {variable.op.name: variable for variable in variables}
        swapped = {k: self._getter.copies.get(id(v), (v, v))[0] for k, v in variables.items()}
        return tf.train.Saver(swapped, name=name, **kwargs)


class AGNOptimizer(_Average):
    """Accumulated gradient normalization (arXiv:1710.02368).

    Workers take local steps and add up their gradients, whose mean then moves the center.
    """

    def __init__(
        self,
        optimizer: Any,
        num_worker: int,
        custom_getter: Any,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        """Wrap an optimizer.

        Args:
          optimizer: The optimizer of copies and center.
          num_worker: The number of workers.
          custom_getter: What made the variables.
          communication_period: How many local steps lie between two exchanges.
          use_locking: Whether updates lock.
          name: The name of operations.
        """
        super().__init__(
            optimizer, num_worker, custom_getter, communication_period, use_locking, name
        )

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The local step, and that of the center when it is due."""
        del name
        pairs = list(grads_and_vars)
        gradients, variables = _given(pairs)
        centers, sums = self._getter.of(variables)
        step = _into_local(self._opt, pairs)
        added = [tf.assign_add(total, g) for total, g in zip(sums, gradients, strict=True)]

        def exchange() -> Any:
            means = [tf.assign(total, total / self._period) for total in sums]
            with tf.control_dependencies(means):
                moved = self._opt.apply_gradients(zip(sums, centers, strict=True))
            with tf.control_dependencies([moved]):
                updates = []
                if global_step is not None:
                    updates.append(tf.assign_add(global_step, 1))
                updates += [
                    tf.assign(v, c.read_value()) for v, c in zip(variables, centers, strict=True)
                ]
                updates += [tf.assign(total, tf.zeros_like(total)) for total in sums]
            return tf.group(*updates)

        return self._every_period([], exchange, [step, *added])

    def get_init_op(self, task_index: int) -> Any:
        """The operation that starts a worker from the global variables.

        Args:
          task_index: The worker's number, which makes no difference.

        Returns:
          The operation.
        """
        del task_index
        _, sums = self._getter.of(tf.trainable_variables())
        return tf.group(*self._start(), *(tf.assign(s, tf.zeros_like(s)) for s in sums))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> Any:
        """A hook that starts a worker: see `ElasticAverageOptimizer`."""
        del is_chief
        return _Hook(lambda: self.get_init_op(task_index))


class ModelAverageOptimizer(_Average):
    """Averages the workers' copies now and then; all workers wait for that."""

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: Any,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer of the copies.
          num_worker: The number of workers.
          is_chief: Whether this one averages.
          ma_custom_getter: What made the variables.
          interval_steps: How many local steps lie between two averages.
          use_locking: Whether updates lock.
          name: The name of operations.
        """
        super().__init__(opt, num_worker, ma_custom_getter, interval_steps, use_locking, name)
        self._is_chief = is_chief
        self._chief_init_op: Any = None

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The optimizer's step, and the average when it is due.

        Raises:
          ValueError: If there is no gradient or no global step.
        """
        del name
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        step = self._opt.apply_gradients(pairs)
        _, variables = _given(pairs)
        centers, _ = self._getter.of(variables)
        accumulators: list[Any] = []

        def average() -> Any:
            with tf.colocate_with(global_step):
                tokens = tf.FIFOQueue(-1, [tf.bool], shapes=[[]], shared_name="sync_queue")
            with tf.name_scope(None, self._name + "/global"):
                given, means = [], []
                for variable, center in zip(variables, centers, strict=True):
                    accumulator = tf.ConditionalAccumulator(
                        variable.dtype.base_dtype,
                        shape=variable.shape,
                        shared_name=center.name + "/var_accum",
                    )
                    accumulators.append(accumulator)
                    given.append(accumulator.apply_grad(variable, local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
            if self._is_chief:
                with tf.control_dependencies(given):
                    updates = [tf.assign(c, m) for c, m in zip(centers, means, strict=True)]
                    updates.append(tf.assign_add(global_step, 1))
                with tf.control_dependencies(updates):
                    go = tokens.enqueue_many(tf.fill([self._num_worker - 1], False))
            else:
                with tf.control_dependencies(given):
                    go = tokens.dequeue()
            with tf.control_dependencies([go]):
                return self._copied(variables)

        result = self._every_period([step], average)
        self._chief_init_op = tf.group(
            *(a.set_global_step(global_step, name="SetGlobalStep") for a in accumulators)
        )
        return result

    def _copied(self, variables: Any) -> Any:
        centers, _ = self._getter.of(variables)
        pairs = zip(variables, centers, strict=True)
        return tf.group(*(tf.assign(v, c.read_value()) for v, c in pairs))

    def get_init_op(self) -> Any:
        """The operation that starts a worker from the global variables."""
        return self._copied(tf.trainable_variables())

    def make_session_run_hook(self) -> Any:
        """A hook that starts a worker."""
        return _Hook(self.get_init_op)
