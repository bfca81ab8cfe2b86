"""The functions that other rooms call."""

from __future__ import annotations

import subprocess
import sys

import pytest

import migrate.symbols as symbols
from migrate.symbols import Arguments, CompatV1, Gone, Param, Renamed, Same, Shim


def test_import_and_lookup_are_light() -> None:
    code = (
        "import sys, migrate.symbols as s\n"
        "assert s.outcome('tensorflow.log') and s.outcome('tensorflow.contrib.slim.conv2d')\n"
        "assert s.signature('tensorflow.nn.dropout') and s.resolves('tensorflow.nn.dropout')\n"
        "assert s.public('tensorflow.python.ops.array_ops.concat')\n"
        "heavy = {'tensorflow', 'libcst', 'numpy', 'keras', 'gast', 'click'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_shards_are_loaded_when_asked_for() -> None:
    code = (
        "import migrate.symbols as s\n"
        "s.outcome('tensorflow.log')\n"
        "assert s._table.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_outcomes() -> None:
    def of(name: str) -> object:
        record = symbols.outcome(name)
        return None if record is None else record.outcome

    assert of("tensorflow.nn.relu") == Same()
    assert of("tensorflow.log") == Renamed("tensorflow.math.log")
    assert of("tensorflow.reduce_sum") == Arguments(
        "tensorflow.reduce_sum", {"reduction_indices": "axis", "keep_dims": "keepdims"}, {}, 4, {}
    )
    assert isinstance(of("tensorflow.placeholder"), CompatV1)
    layer = of("tensorflow.layers.dense")
    assert isinstance(layer, Shim)
    assert layer.module == "migrate.tf1_shim.layers"
    assert isinstance(of("tensorflow.keras.layers.CuDNNLSTM"), Gone)
    assert of("tensorflow.nn.no_such") is None
    assert of("numpy.array") is None
    assert of("tensorflow.GraphKeys.LOSSES") is None


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("nn.rnn_cell.LSTMCell", "migrate.tf1_shim.nn.rnn_cell"),
        ("nn.rnn_cell", "migrate.tf1_shim.nn.rnn_cell"),
        ("contrib", "migrate.tf1_shim.contrib"),
        ("contrib.slim", "migrate.tf1_shim.contrib.slim"),
        ("contrib.slim.conv2d", "migrate.tf1_shim.contrib.slim"),
        ("contrib.training.HParams", "migrate.tf1_shim.contrib.training"),
        ("contrib.learn.Estimator", "migrate.estimator_shim.contrib.learn"),
        ("estimator", "migrate.estimator_shim"),
        ("estimator.Estimator", "migrate.estimator_shim"),
        ("estimator.inputs.numpy_input_fn", "migrate.estimator_shim.inputs"),
        ("keras.estimator.model_to_estimator", "migrate.estimator_shim.keras"),
        (
            "examples.tutorials.mnist.input_data.read_data_sets",
            "migrate.tf1_shim.examples.tutorials.mnist.input_data",
        ),
    ],
)
def test_shims_mirror_the_namespaces(name: str, module: str) -> None:
    record = symbols.outcome("tensorflow." + name)
    assert record is not None
    assert isinstance(record.outcome, Shim)
    assert record.outcome.module == module
    assert record.compat == "lost"


def test_contrib_names_of_core_objects_have_the_core_outcome() -> None:
    nested = symbols.outcome("tensorflow.contrib.framework.nest.flatten")
    assert nested is not None
    assert nested.outcome == Renamed("tensorflow.nest.flatten")
    argsort = symbols.outcome("tensorflow.contrib.framework.argsort")
    assert argsort is not None
    assert argsort.outcome == Renamed("tensorflow.argsort")


def test_endpoints_and_modules() -> None:
    assert symbols.is_endpoint("tensorflow.nn.relu")
    assert not symbols.is_endpoint("tensorflow.nn.no_such")
    assert not symbols.is_endpoint("tensorflower.nn")
    for name in ("tensorflow", "tensorflow.nn", "tensorflow.contrib.slim", "tensorflow.compat.v1"):
        assert symbols.is_module(name), name
    assert not symbols.is_module("tensorflow.nn.relu")


def test_split() -> None:
    assert symbols.split("tensorflow.GraphKeys.LOSSES") == ("tensorflow.GraphKeys", ("LOSSES",))
    assert symbols.split("tensorflow.log") == ("tensorflow.log", ())
    assert symbols.split("tensorflow.nn") == ("tensorflow.nn", ())
    assert symbols.split("tensorflow.nn.no_such.thing") is None
    assert symbols.split("tensorflow.test.mock.patch") == ("tensorflow.test.mock", ("patch",))
    assert symbols.split("os.path") is None


def test_signatures_of_1_15_5() -> None:
    dropout = symbols.signature("tensorflow.nn.dropout")
    assert dropout is not None
    assert dropout.positional == ("x", "keep_prob", "noise_shape", "seed", "name", "rate")
    assert dropout.get("keep_prob") == Param("keep_prob", "None")
    saver = symbols.signature("tensorflow.train.Saver")
    assert saver is not None
    assert saver.positional[:2] == ("var_list", "reshape")
    minimize = symbols.signature("tensorflow.train.Optimizer.minimize")
    assert minimize is not None
    assert minimize.positional[:2] == ("loss", "global_step")
    shuffle = symbols.signature("tensorflow.data.Dataset.shuffle")
    assert shuffle is not None
    assert shuffle.positional == ("buffer_size", "seed", "reshuffle_each_iteration")
    feature = symbols.signature("tensorflow.FixedLenFeature")
    assert feature is not None
    assert feature.positional == ("shape", "dtype", "default_value")
    config = symbols.signature("tensorflow.ConfigProto")
    assert config is not None
    assert config.get("allow_soft_placement") == Param("allow_soft_placement", "None", "keyword")
    raw = symbols.signature("tensorflow.raw_ops.AddN")
    assert raw is not None
    assert raw.positional == ()
    assert raw.takes("inputs")
    assert symbols.signature("tensorflow.nn") is None
    assert symbols.signature("tensorflow.no_such") is None
    assert symbols.signature("tensorflow.data.Dataset.no_such") is None
    assert symbols.signature("os.path") is None


def test_signatures_of_2_21() -> None:
    dropout = symbols.signature_2("tensorflow.nn.dropout")
    assert dropout is not None
    assert dropout.positional == ("x", "rate", "noise_shape", "seed", "name")
    assert symbols.signature_2("tensorflow.compat.v2.nn.dropout") == dropout
    assert symbols.signature_2("tensorflow.compat.v1.nn.dropout") != dropout


@pytest.mark.parametrize(
    "name",
    [
        "tensorflow.math.log", "tensorflow.compat.v1.log", "tensorflow.compat.v2.math.log",
        "tensorflow.data.Dataset.map", "tensorflow.data.AUTOTUNE", "tensorflow.float32",
        "tensorflow.compat.v1.GraphKeys.GLOBAL_VARIABLES", "tensorflow.float32.name",
        "tensorflow.compat.v1.train.Saver.save", "tensorflow.compat.v1.AUTO_REUSE",
        "tensorflow.distribute.ReduceOp.SUM", "tensorflow.keras.layers.Dense.__init__",
        "tensorflow.compat.v1.flags.FLAGS.batch_size", "tensorflow.compat.v1.ConfigProto",
        "tensorflow.keras.optimizers.schedules.ExponentialDecay", "tensorflow.compat.as_bytes",
    ],
)  # fmt: skip
def test_resolves(name: str) -> None:
    assert symbols.resolves(name)


@pytest.mark.parametrize(
    "name",
    [
        "tensorflow.log", "tensorflow.compat.v1.layers.dense", "tensorflow.compat.v1.layers",
        "tensorflow.compat.v1.nn.rnn_cell.LSTMCell", "tensorflow.contrib", "tensorflow.estimator",
        "tensorflow.keras.optimizers.legacy.Adam", "tensorflow.data.Dataset.no_such",
        "tensorflow.data.Dataset.map.no_such", "tensorflow.nn.relu.no_such", "tensorflow.GraphKeys",
        "tensorflow.compat.v1.contrib", "numpy", "tensorflow.data.Dataset.make_one_shot_iterator",
    ],
)  # fmt: skip
def test_does_not_resolve(name: str) -> None:
    assert not symbols.resolves(name)


def test_resolves_with_a_keyword() -> None:
    assert symbols.resolves("tensorflow.nn.dropout", "rate")
    assert not symbols.resolves("tensorflow.nn.dropout", "keep_prob")
    assert symbols.resolves("tensorflow.compat.v1.nn.dropout", "keep_prob")
    assert symbols.resolves("tensorflow.data.Dataset.shuffle", "seed")
    assert not symbols.resolves("tensorflow.data.Dataset.shuffle", "seeds")
    assert symbols.resolves("tensorflow.keras.layers.Dense", "input_shape")
    assert not symbols.resolves("tensorflow.no_such", "x")


def test_tf2_only() -> None:
    for name in (
        "data.AUTOTUNE",
        "keras.ops.add",
        "random.Generator",
        "summary.create_file_writer",
    ):
        assert symbols.tf2_only("tensorflow." + name), name
    for name in ("function", "GradientTape", "placeholder", "nn.relu", "compat.v1.placeholder"):
        assert not symbols.tf2_only("tensorflow." + name), name
    assert symbols.tf2_only("tensorflow.data.Dataset.as_numpy_iterator")


@pytest.mark.parametrize(
    ("private", "public"),
    [
        ("python.ops.array_ops.concat", "concat"),
        ("python.framework.ops.Tensor", "Tensor"),
        ("python.framework.ops.GraphKeys.LOSSES", "GraphKeys.LOSSES"),
        ("python.framework.dtypes.float32", "float32"),
        ("python.ops.rnn_cell.BasicLSTMCell", "nn.rnn_cell.BasicLSTMCell"),
        ("python.ops.rnn_cell_impl.LSTMCell", "nn.rnn_cell.LSTMCell"),
        ("python.platform.gfile.FastGFile", "gfile.FastGFile"),
        ("python.platform.tf_logging.info", "logging.info"),
        ("python.framework.graph_util", "graph_util"),
        ("python.training.training_util.get_global_step", "train.get_global_step"),
        ("core.framework.summary_pb2.Summary", "Summary"),
        ("contrib.layers.python.layers.layers.conv2d", "contrib.layers.conv2d"),
        ("contrib.training.python.training.hparam.HParams", "contrib.training.HParams"),
        ("contrib.slim.python.slim.learning.train", "contrib.slim.learning.train"),
    ],
)
def test_public(private: str, public: str) -> None:
    assert symbols.public("tensorflow." + private) == "tensorflow." + public
    found = symbols.split("tensorflow." + public)
    assert found is not None


def test_modules_that_tensorflow_python_has_too() -> None:
    assert symbols.public("tensorflow.python.control_flow_ops.cond") == "tensorflow.cond"
    assert symbols.public("tensorflow.python.array_ops.concat") == "tensorflow.concat"
    assert symbols.public("tensorflow.python.dtypes.int32") == "tensorflow.int32"
    assert symbols.public("tensorflow.python.rnn_cell.GRUCell") == "tensorflow.nn.rnn_cell.GRUCell"
    reset = "tensorflow.reset_default_graph"  # of `framework.ops`, not of the package `ops`
    assert symbols.public("tensorflow.python.ops.reset_default_graph") == reset
    assert symbols.public("tensorflow.python.no_such_ops.concat") is None


def test_private_names_without_a_public_twin() -> None:
    assert symbols.public("tensorflow.python.client.device_lib.list_local_devices") is None
    assert symbols.public("tensorflow.nn.relu") is None
    assert symbols.public("os.path.join") is None


def test_private_status() -> None:
    status = symbols.private_status
    assert status("tensorflow.python.client.device_lib.list_local_devices") == "same path"
    assert status("tensorflow.python.ops.array_ops") == "same path"
    assert status("tensorflow.contrib.layers.python.layers.layers.conv2d") == "gone"
    assert status("tensorflow.python.framework.ops.Tensor") == "gone"
    assert status("tensorflow.python.ops.array_ops.no_such") == "unknown"
    assert status("tensorflow.nn.relu") == "unknown"


def test_every_public_twin_is_an_endpoint() -> None:
    from migrate.symbols.signatures import private

    twins = {t for module in private().old for t in private().names(module).values() if t}
    assert [t for t in twins if not symbols.is_endpoint(t)] == []


def test_deprecated() -> None:
    advice = symbols.deprecated("tensorflow.data.experimental.map_and_batch")
    assert advice is not None
    assert "tf.data.Dataset.map" in advice
    assert symbols.deprecated("tensorflow.nn.relu") is None
    assert symbols.deprecated("tensorflow.compat.v1.Session") is None
    assert symbols.deprecated("tensorflow.no_such") is None
