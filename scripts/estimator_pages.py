"""Pages of every endpoint of TF 1.15.5's Estimators: works, works differently, or gone.

`build_docs.py` writes them. What is there comes from the shims' `__all__` (shimmed.txt), why
something is gone from the shim's errors, and how something differs from DIFFERS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from migrate import symbols
from migrate.estimator_shim import _gone
from migrate.symbols import shims

#: Page -> its namespace.
SPACES = {
    f"{name}.md": name.replace("tf", "tensorflow", 1)
    for name in ("tf.estimator", "tf.contrib.estimator", "tf.contrib.learn", "tf.contrib.tpu")
}
STATES = ("works", "differs", "gone")
_KERAS_3 = "optimizers of Keras 3 don't run in sessions: give one of tf.compat.v1.train"
_HEAD = f"create_estimator_spec(optimizer=…): {_KERAS_3}"
_TPU = (
    "with use_tpu=False; else an error that says so. A TPU is driven by tf.distribute.TPUStrategy"
)
_NO_CPU = "as in TF1, CPUs and GPUs have no kernels for it"
#: How endpoints differ that work otherwise.
DIFFERS = {
    "tensorflow.estimator.CheckpointSaverHook": "TensorFlow's own, with one argument more",
    "tensorflow.estimator.RunConfig": "experimental_distribute: no remote_cluster",
    **{
        f"tensorflow.estimator.{name}": _HEAD
        for name in (
            "BinaryClassHead",
            "LogisticRegressionHead",
            "MultiClassHead",
            "MultiHead",
            "MultiLabelHead",
            "PoissonRegressionHead",
            "RegressionHead",
        )
    },
    "tensorflow.estimator.experimental.KMeans": "mini_batch_steps_per_iteration must be 1; a mini-"
    "batch sees the numbers of points from before it",
    "tensorflow.estimator.tpu.TPUEstimator": _TPU,
    "tensorflow.contrib.tpu.TPUEstimator": _TPU,
    "tensorflow.contrib.estimator.RNNClassifier": "return_sequences=False only",
    "tensorflow.contrib.estimator.RNNEstimator": "return_sequences=False only",
    **{
        f"tensorflow.contrib.learn.{name}": "embedding_lr_multipliers is refused"
        for name in (
            "DNNClassifier",
            "DNNEstimator",
            "DNNLinearCombinedClassifier",
            "DNNLinearCombinedEstimator",
            "DNNLinearCombinedRegressor",
            "DNNRegressor",
        )
    },
    "tensorflow.contrib.learn.BaseEstimator": "no export (session bundles), no scikit-learn mixin",
    "tensorflow.contrib.learn.Estimator": "no export (session bundles): export_savedmodel",
    "tensorflow.contrib.learn.LinearEstimator": "weight_column_name is refused: give it to the "
    "head",
    "tensorflow.contrib.learn.SVM": "no export (session bundles): export_savedmodel",
    "tensorflow.contrib.learn.KMeansClustering": "mini_batch_steps_per_iteration must be 1",
    "tensorflow.contrib.learn.preprocessing.VocabularyProcessor": "saves JSON; restores JSON and "
    "what of TF1's pickles is no code",
    **{
        f"tensorflow.contrib.tpu.{name}": _NO_CPU
        for name in (
            "CrossShardOptimizer",
            "batch_parallel",
            "cross_replica_sum",
            "initialize_system",
            "outside_compilation",
            "replicate",
            "rewrite",
            "shard",
            "shutdown_system",
        )
    },
}


def state(endpoint: str) -> tuple[str, str]:
    """An endpoint's state; how it differs, or what to use instead."""
    if endpoint in DIFFERS:
        return "differs", DIFFERS[endpoint]
    home = shims.home(endpoint)
    if home is not None:
        return "works", f"`{home}`"
    record = symbols.outcome(endpoint)
    if record is not None and record.target is not None:
        return "works", f"`{record.target.replace('tensorflow', 'tf', 1)}`"
    return "gone", why_gone(endpoint)


def why_gone(endpoint: str) -> str:
    """What the shim's error says, or else the outcome in the symbol table."""
    said = _gone.why(endpoint.replace("tensorflow", "tf", 1))
    if said:
        return said
    record = symbols.outcome(endpoint)
    outcome = record.outcome if record else None
    return (
        getattr(outcome, "native", "") or getattr(outcome, "alternative", "") or "not implemented"
    )


def names(space: str) -> list[str]:
    """The endpoints of a namespace, without modules and what TF1 left lying there."""
    found = []
    for name in symbols.endpoints():
        record = symbols.outcome(name) if name.startswith(f"{space}.") else None
        if record is None or record.kind == "module":
            continue
        last = name.rpartition(".")[2]
        if last not in ("deprecated", "HAS_PANDAS", "HAS_DASK", "core_numpy_input_fn"):
            found.append(name)
    return found


def pages() -> Iterator[tuple[str, str]]:
    """(file name, text) of the index and of each namespace's page."""
    rows = []
    for file, space in SPACES.items():
        short = space.replace("tensorflow", "tf", 1)
        counts: Counter[str] = Counter()
        lines = ["| name | | where; how; or what instead |", "|---|---|---|"]
        for name in names(space):
            kind, what = state(name)
            counts[kind] += 1
            cell = " ".join(what.replace("|", "\\|").split())
            lines.append(f"| `{name.removeprefix(space + '.')}` | {kind} | {cell} |")
        said = ", ".join(f"{counts[s]} {s}" for s in STATES)
        head = f"# {short}\n\n{counts.total()} names of TF 1.15.5: {said}. [All](README.md).\n"
        yield file, "\n".join([head, *lines, ""])
        cells = " | ".join(str(counts[s]) for s in STATES)
        rows.append(f"| [{short}]({file}) | {counts.total()} | {cells} |")
    table = ["| | names | works | works differently | gone |", "|---|---:|---:|---:|---:|"]
    intro = (
        "# Every endpoint of TF 1.15.5's Estimators\n\n"
        "On TF 2.21 with [`migrate.estimator_shim`](../estimator_shim.md). What differs and why is "
        "in [estimator_families.md](../estimator_families.md).\n"
    )
    yield "README.md", "\n".join([intro, *table, *rows, ""])
