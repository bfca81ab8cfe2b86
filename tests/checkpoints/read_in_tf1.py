"""Read pairs of checkpoints in TensorFlow 1.15.5 and say which tensors differ in a bit.

PYTHON37 read_in_tf1.py PAIRS.json    [[first, second], ...]; the result is on standard output
"""

import json
import os
import sys
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.compat.v1.logging.set_verbosity("ERROR")


def main(path):
    """Restore every tensor of both by RestoreV2, as a Saver does."""
    with open(path) as stream:
        pairs = json.load(stream)
    found = []
    for first, second in pairs:
        reader = tf.train.NewCheckpointReader(first)
        other = tf.train.NewCheckpointReader(second)
        shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
        names = sorted(shapes)
        differing = []
        if other.get_variable_to_shape_map() != shapes:
            differing.append("shapes")
        if other.get_variable_to_dtype_map() != dtypes:
            differing.append("dtypes")
        with tf.Graph().as_default(), tf.Session() as session:
            for name in names:
                both = [
                    tf.raw_ops.RestoreV2(
                        prefix=prefix, tensor_names=[name], shape_and_slices=[""],
                        dtypes=[dtypes[name]],
                    )[0]
                    for prefix in (first, second)
                ]  # fmt: skip
                one, two = session.run(both)
                if dtypes[name] == tf.string:
                    same = np.asarray(one).tolist() == np.asarray(two).tolist()
                else:
                    same = one.tobytes() == two.tobytes() and one.dtype == two.dtype
                if not same:
                    differing.append(name)
        found.append({"names": names, "differing": differing})
    print("RESULT" + json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
