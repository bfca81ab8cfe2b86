"""Run a program and record what it computes, in any TensorFlow from 1.4 to 2.21.

    python migrate/parity/recorder JOB.json       run one job
    python migrate/parity/recorder --zygote       import TensorFlow once, fork a child for each job

This package (with ``randomness.py`` beside it) is run by the interpreter of the program under test:
standard library, NumPy and TensorFlow only, in the syntax of Python 2.7 and 3.5+. The program is
not changed: ``Session.run`` and its relatives, ``tf.gradients``, ``GradientTape.gradient``,
``tf.function`` calls, optimizers' slots, Keras histories and variable creation are observed;
``steps_per_execution`` of a compiled Keras 3 model is 1.

A *training step* is one evaluation of a gradient with respect to variables: in a graph a run that
reaches an update op, in TF 2 a call of ``GradientTape.gradient``, eager or inside ``tf.function``
(there the loss and the gradients leave the function through hidden variables, *probes*).

Values are kept as references and converted at the end, so that a step costs microseconds.

A job is a JSON object; ``jobs.DEFAULT_JOB`` names the keys. What it writes is ``record.json`` and
``arrays.npz`` (see ``bundle.py``).

``processes.py`` starts here, ``jobs.py`` knows what there is to do. ``program.py`` runs a program
under observers: ``sessions.py`` (what a set of fetches means: ``run_plans.py``), ``functions.py``,
``gradients.py``, ``keras.py``, ``keras_callables.py``. They fill an ``observed.Recorder``, which
``written.py`` writes. ``session_trace.py`` keeps what ``witness.py`` replays.
"""
