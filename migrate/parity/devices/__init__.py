"""The columns of the matrix: cpu, xla, gpu, tpu, and Keras's other backends.

A file each for what is special about a device. ``jobs.py`` runs under TensorFlow 2 beside the
recorder and takes the functions of a training step out of a program; ``steps.py`` reads what it
wrote.
"""
