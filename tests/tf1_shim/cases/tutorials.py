"""The tutorials' readers."""

# ruff: noqa: UP031 - also runs in Python 3.7

import gzip
import importlib
import os
import struct
import tempfile

import numpy as np


def _write(folder):
    random = np.random.RandomState(0)
    for name, count in (("train", 60), ("t10k", 20)):
        images = random.randint(0, 256, (count, 4, 5)).astype(np.uint8)
        labels = random.randint(0, 10, count).astype(np.uint8)
        for kind, magic, array in (("images-idx3", 2051, images), ("labels-idx1", 2049, labels)):
            head = struct.pack(">%dI" % (array.ndim + 1), magic, *array.shape)
            path = os.path.join(folder, "%s-%s-ubyte.gz" % (name, kind))
            with gzip.open(path, "wb") as stream:
                stream.write(head + array.tobytes())


def _reader(tf, shim):
    if tf is shim:
        return importlib.import_module("tensorflow.examples.tutorials.mnist.input_data")
    return shim.examples.tutorials.mnist.input_data


def _read(tf, shim, **kwargs):
    with tempfile.TemporaryDirectory() as folder:
        _write(folder)
        return _reader(tf, shim).read_data_sets(folder, **kwargs)


def mnist_batches(tf, shim):
    data = _read(tf, shim, one_hot=True, validation_size=10, seed=3)
    out = {"counts": [data.train.num_examples, data.validation.num_examples]}
    for i in range(5):
        out["x%d" % i], out["y%d" % i] = data.train.next_batch(18)
    out["epochs"] = data.train.epochs_completed
    out["vx"] = data.validation.images
    out["tx"], out["ty"] = data.test.next_batch(7, shuffle=False)
    return out


def mnist_graph_seed(tf, shim):
    tf.set_random_seed(11)
    data = _read(tf, shim, validation_size=5, dtype=tf.uint8, reshape=False)
    out = {}
    out["x"], out["y"] = data.train.next_batch(40)
    out["x2"], out["y2"] = data.train.next_batch(40)
    out["dtype"] = str(out["x"].dtype)
    return out


def mnist_fake(tf, shim):
    data = _reader(tf, shim).read_data_sets("nowhere", fake_data=True, one_hot=True)
    x, y = data.train.next_batch(3, fake_data=True)
    return {"x": np.array(x), "y": np.array(y), "n": data.test.num_examples}


def _raised(call):
    try:
        return str(call())
    except ValueError as error:
        return type(error).__name__


def learn_datasets(tf, shim):
    learn = shim.contrib.learn.datasets
    folder = tempfile.mkdtemp()
    plain, head = os.path.join(folder, "plain.csv"), os.path.join(folder, "head.csv")
    with open(plain, "w") as file:
        file.write("1.5,2,0\n3,4,1\n5,6.5,2\n")
    with open(head, "w") as file:
        file.write("2,2,a,b\n1,0.5,0.25\n0,7,8\n")
    learn.base.shrink_csv(plain, 2)
    calls = []

    @learn.base.retry(initial_delay=0.001, max_delay=0.003, is_retriable=lambda e: "1" in str(e))
    def fails():
        calls.append(len(calls))
        raise ValueError(str(calls[-1]))

    said = [_raised(fails), _raised(lambda: learn.load_dataset("none"))]
    without = learn.base.load_csv_without_header(plain, np.int64, np.float32)
    with_head = learn.base.load_csv_with_header(head, np.int64, np.float32, target_column=0)
    small = learn.base.load_csv_without_header(
        os.path.join(folder, "plain_small.csv"), np.int64, np.float32
    )
    fields = [list(t._fields) for t in (learn.base.Dataset, learn.base.Datasets)]
    return {
        "without": list(without),
        "with": list(with_head),
        "small": list(small),
        "there": os.path.basename(learn.base.maybe_download("plain.csv", folder, "no://where")),
        "fields": fields,
        "said": said,
        "calls": len(calls),
        "one_hot": learn.mnist.dense_to_one_hot(np.array([1, 0, 2]), 4),
    }
