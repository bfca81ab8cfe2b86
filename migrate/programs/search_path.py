"""Folders that a program puts on `sys.path`: a module in one is found by what it is called.

Which folders those are is computed as the program runs (``os.path.join(BASE_DIR, "lib")``, another
file's ``add_path``), so an import that no folder above has is the one module of the tree that ends
so, where a file beside it, or above, changes the path. A name that two have stays unknown, as does
one that Python or a package of many programs has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable
from functools import cached_property

MENTION = "sys.path"

# What is installed beside TensorFlow, of which a tree may hold a copy, or a module of that name.
_INSTALLED = frozenset(
    [
        "IPython",
        "PIL",
        "absl",
        "attr",
        "baselines",
        "bs4",
        "cv2",
        "cython",
        "edward",
        "flask",
        "gensim",
        "gflags",
        "google",
        "gym",
        "h5py",
        "horovod",
        "imageio",
        "jieba",
        "joblib",
        "keras",
        "librosa",
        "lxml",
        "matplotlib",
        "mock",
        "mpi4py",
        "networkx",
        "nltk",
        "nose",
        "numba",
        "numpy",
        "pandas",
        "parameterized",
        "past",
        "pip",
        "psutil",
        "pycocotools",
        "pygame",
        "pytest",
        "pytz",
        "regex",
        "requests",
        "scipy",
        "seaborn",
        "setuptools",
        "simplejson",
        "six",
        "skimage",
        "sklearn",
        "sonnet",
        "spacy",
        "sympy",
        "tensor2tensor",
        "tensorboard",
        "tensorflow",
        "tensorflow_datasets",
        "tensorflow_hub",
        "tensorlayer",
        "tensorpack",
        "tflearn",
        "theano",
        "torch",
        "torchvision",
        "tqdm",
        "ujson",
        "yaml",
        "zmq",
    ]
)


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders in which files stand, those above them, too."""
    found: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


class Paths(dict[str, str]):
    """Files by their normal paths."""

    @cached_property
    def folders(self) -> set[str]:
        """What they stand in."""
        return folders_of(self)

    @cached_property
    def tops(self) -> set[str]:
        """What a module's name can begin with that is one of them: most that is imported isn't."""
        names = {os.path.basename(path).removesuffix(".py") for path in self}
        return names.union(map(os.path.basename, self.folders))


class Known(Paths):
    """Files, and those that `sys.path` may lead to."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__((os.path.normpath(path), path) for path in paths)
        self._named: dict[str, list[str]] | None = None

    def folder_of(self, module: str) -> str | None:
        """The one folder of the tree in which a module is found; None: none, or several."""
        parts = module.split(".")
        if not parts[0] or parts[0] in _INSTALLED or parts[0] in sys.stdlib_module_names:
            return None
        if self._named is None:
            self._named = {}
            for path in self:
                folder, name = os.path.split(path)
                if name == "__init__.py":
                    name = os.path.basename(folder)
                self._named.setdefault(name.removesuffix(".py"), []).append(path)
        found: set[str] = set()
        for path in self._named.get(parts[-1], ()):
            steps = path.removesuffix(os.sep + "__init__.py").removesuffix(".py").split(os.sep)
            folder = os.sep.join(steps[: -len(parts)])
            if steps[-len(parts) :] == parts and os.path.join(folder, "__init__.py") not in self:
                found.add(folder)
        return found.pop() if len(found) == 1 else None


def beside(path: str, folders: Container[str]) -> bool:
    """Whether a file stands in one of some folders, or below one."""
    while True:
        above = os.path.dirname(path)
        if above in folders:
            return True
        if above == path or not above:
            return False
        path = above
