"""The source of a reader of MNIST's idx files with the batches that TF 1's tutorial reader gave.

https://www.tensorflow.org/api_docs/python/tf/keras/datasets/mnist has other files and no batches.
"""

from __future__ import annotations

NAMES = ("Mnist", "FakeMnist", "read_data_sets")
IMPORTS = ("import gzip", "import os", "from types import SimpleNamespace", "import numpy as np")
SOURCE = '''class Mnist:
    """Images and labels in batches, shuffled anew in every pass."""

    def __init__(self, images, labels, seed):
        np.random.seed(seed)
        self.images, self.labels = images, labels
        self.num_examples = len(images)
        self.epochs_completed = 0
        self.at = 0

    def shuffle(self):
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]

    def next_batch(self, batch_size, shuffle=True):
        if self.at == 0 and self.epochs_completed == 0 and shuffle:
            self.shuffle()
        first, self.at = self.at, self.at + batch_size
        if self.at <= self.num_examples:
            return self.images[first:self.at], self.labels[first:self.at]
        images, labels = self.images[first:], self.labels[first:]
        self.epochs_completed += 1
        if shuffle:
            self.shuffle()
        self.at = batch_size - len(images)
        return (np.concatenate([images, self.images[:self.at]]),
                np.concatenate([labels, self.labels[:self.at]]))


def read_data_sets(train_dir, one_hot=False, reshape=True, validation_size=5000, seed=None):
    """MNIST's training, validation and test data, from its four files in a folder."""
    def read(name, offset):
        path = os.path.join(train_dir, name)
        print("Extracting", path)
        with gzip.open(path) as file:
            return np.frombuffer(file.read(), np.uint8, offset=offset)

    def load(part):
        images = read(part + "-images-idx3-ubyte.gz", 16).astype(np.float32) * np.float32(1 / 255)
        labels = read(part + "-labels-idx1-ubyte.gz", 8)
        images = images.reshape([-1, 784] if reshape else [-1, 28, 28, 1])
        return images, np.eye(10)[labels] if one_hot else labels

    images, labels = load("train")
    test = load("t10k")
    n = validation_size
    return SimpleNamespace(
        train=Mnist(images[n:], labels[n:], seed),
        validation=Mnist(images[:n], labels[:n], seed),
        test=Mnist(*test, seed))
'''

# What is another line where the program says of which type the images are.
_SCALED = ".astype(np.float32) * np.float32(1 / 255)"
_TYPED = (
    ("reshape=True, validation", f"dtype=np.float32, reshape=True,\n{' ' * 19}validation"),
    (_SCALED, f"\n        if dtype == np.float32:\n            images = images{_SCALED}"),
)
# And where it says where files come from that aren't there.
_PATH = "        path = os.path.join(train_dir, name)\n"
_FETCHED = (
    (", seed=None)", f",\n{' ' * 19}seed=None, source_url=None)"),
    (
        _PATH,
        f"{_PATH}        if source_url and not os.path.exists(path):\n"
        "            os.makedirs(train_dir, exist_ok=True)\n"
        "            urllib.request.urlretrieve(source_url + name, path)\n"
        '            print("Successfully downloaded", name, os.path.getsize(path), "bytes.")\n',
    ),
)
# And where it, or a batch, says that it wants no real ones.
_READ = "    def read(name, offset):\n"
_BATCHED = (("batch_size, shuffle=True", "batch_size, fake_data=False, shuffle=True"),)
_FAKED = (
    (
        "\n\ndef read_data_sets(train_dir, one_hot=False, ",
        """

class FakeMnist:
    \"\"\"What is there without files: images of ones, all of the first class.\"\"\"

    def __init__(self, one_hot, seed):
        np.random.seed(seed)
        self.images, self.labels = [], []
        self.num_examples = 10000
        self.epochs_completed = 0
        self.label = [1] + [0] * 9 if one_hot else 0

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        if not fake_data:
            raise TypeError("there are no real data")
        return [[1] * 784] * batch_size, [self.label] * batch_size


def read_data_sets(train_dir, fake_data=False, one_hot=False,
                   """,
    ),
    (
        _READ,
        f"""    if fake_data:
        parts = ("train", "validation", "test")
        return SimpleNamespace(**{{part: FakeMnist(one_hot, seed) for part in parts}})

{_READ}""",
    ),
)


def source(
    *, typed: bool, fetched: bool = False, batched: bool = False, faked: bool = False
) -> str:
    """The reader; ``typed``: it is told the images' type, np.uint8 as they are, or np.float32.

    ``fetched``: it is told where files are to be had that the folder hasn't. ``faked``: it is told
    whether to read any; ``batched``: so are its batches.
    """
    text = SOURCE
    told = ((typed, _TYPED), (fetched, _FETCHED), (batched or faked, _BATCHED), (faked, _FAKED))
    for old, new in (pair for needed, pairs in told if needed for pair in pairs):
        text = text.replace(old, new)
    return text


def imports(*, fetched: bool = False) -> tuple[str, ...]:
    """What the reader imports."""
    return (*IMPORTS, *(["import urllib.request"] if fetched else ()))
