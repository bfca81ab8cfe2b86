"""What the event files in a folder say, for programs of `made_up_runs.py`, in either TensorFlow."""

import glob
import os

import tensorflow as tf


def show(folder):
    """Print tags and steps, and the values of scalars; histograms have other buckets in TF 2."""
    found = []
    for path in glob.glob(os.path.join(folder, "events*")):
        for event in tf.compat.v1.train.summary_iterator(path):
            for value in event.summary.value:
                said = ""
                if value.HasField("simple_value"):
                    said = f"{value.simple_value:.5f}"
                elif value.HasField("tensor") and not value.tensor.tensor_shape.dim:
                    number = tf.make_ndarray(value.tensor)
                    said = f"{float(number):.5f}"
                found.append((event.step, value.tag, said))
    for step, tag, said in sorted(found):
        print(step, tag, said)
