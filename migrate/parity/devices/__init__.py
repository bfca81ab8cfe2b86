"""The columns of the matrix: cpu, xla, gpu, tpu, Keras's other backends, strategies.

A file each for what is special about a device. ``capture.py``, ``replay.py``, ``rerun.py``,
``steps_writer.py`` and ``xla_kernels.py`` run under TensorFlow 2 beside the recorder and take the
functions of a training step out of a program; ``steps.py`` reads what they wrote. ``run_steps.py``
and ``tpu_compile.py`` run with JAX alone. ``strategy_task.py`` runs a program of Estimators as one
task of a strategy.
"""
