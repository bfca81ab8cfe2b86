"""Feature columns as small classes around Keras layers, with TF 1's numbers.

A column stays where the author made it, with the author's arguments: lists of columns that are
built in loops, in functions or in other files are what they were. Measured equal to TF 1.15.5:
`Discretization` and `Hashing` put values where TF 1 does; vocabularies number unknown words behind
the known ones, which `StringLookup` doesn't; crosses are `tf.sparse.cross_hashed`; an indicator
counts; `DenseFeatures` goes by the columns' names, as `input_layer` did. Rows that a batch looks
up several times have one gradient: optimizers of TF 1 sum them up, Keras's don't.

https://www.tensorflow.org/guide/migrate/migrating_feature_columns
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import templates
from migrate.rewriters.estimators.heads_and_columns import older_columns
from migrate.rewriters.estimators.program import ESTIMATORS, LAYERS, Page, Program
from migrate.rewriters.estimators.runs import config, strategies
from migrate.rewriters.sessions import row_optimizers

COLUMNS = {
    f"tensorflow.feature_column.{old}": new
    for old, new in {
        "numeric_column": "NumericColumn",
        "bucketized_column": "BucketizedColumn",
        "categorical_column_with_hash_bucket": "HashedColumn",
        "categorical_column_with_identity": "IdentityColumn",
        "categorical_column_with_vocabulary_list": "VocabularyColumn",
        "categorical_column_with_vocabulary_file": "VocabularyFileColumn",
        "weighted_categorical_column": "WeightedColumn",
        "crossed_column": "CrossedColumn",
        "indicator_column": "IndicatorColumn",
        "embedding_column": "EmbeddingColumn",
        "shared_embedding_columns": "shared_embedding_columns",
        "make_parse_example_spec": "make_parse_example_spec",
    }.items()
}
# Those of sequences are the same, but for numbers: who asks for sequences gets them.
SEQUENCES = {
    "sequence_numeric_column": "SequenceNumericColumn",
    "sequence_categorical_column_with_hash_bucket": "HashedColumn",
    "sequence_categorical_column_with_identity": "IdentityColumn",
    "sequence_categorical_column_with_vocabulary_list": "VocabularyColumn",
    "sequence_categorical_column_with_vocabulary_file": "VocabularyFileColumn",
}
COLUMNS |= {
    f"tensorflow.{module}.{old}": new
    for module in ("feature_column", "contrib.feature_column")
    for old, new in SEQUENCES.items()
}
COLUMNS |= older_columns.COLUMNS
# Columns that aren't numbers already: what they look up has sparse gradients in TF 1.
CATEGORICAL = frozenset(
    {"BucketizedColumn", "HashedColumn", "IdentityColumn", "CrossedColumn", "WeightedColumn"}
    | {"VocabularyColumn", "VocabularyFileColumn", "MixedColumn", "RemainderColumn"}
)
EMBEDDED = frozenset({"EmbeddingColumn", "shared_embedding_columns"})
FEATURES = {
    "WeightedColumn": "weighted",
    "EmbeddingColumn": "embedding",
    "shared_embedding_columns": "embedding",
    "make_parse_example_spec": "parse",
}
# In a model_fn: the layer for a function that makes variables, and its arguments.
APPLIED = {
    "tensorflow.feature_column.input_layer": ("DenseFeatures", ("feature_columns",)),
    "tensorflow.contrib.feature_column.sequence_input_layer": (
        "SequenceFeatures",
        ("feature_columns",),
    ),
    "tensorflow.feature_column.linear_model": (
        "LinearFeatures",
        ("feature_columns", "units", "sparse_combiner"),
    ),
    older_columns.DENSE: ("DenseFeatures", ("feature_columns",)),
}
RENAMED = {"columns_to_tensors": "features"}
# Optimizers of TF 1 that move only the rows that a batch looks up, and not as a dense update would.
BY_ROW = frozenset(
    f"tensorflow.train.{name}Optimizer"
    for name in ("Momentum", "RMSProp", "Adadelta", "Ftrl", "ProximalAdagrad", "AdagradDA")
)
INPUT_LAYER = "tensorflow.feature_column.input_layer"
# In `__init__`: the tables that several layers of a model share.
SHARED = "shared_tables"
OTHER = ("tensorflow.feature_column.", "tensorflow.contrib.feature_column.")
# Layers of Keras that columns are given to, beside the Estimators.
OF_KERAS = frozenset(
    f"tensorflow.keras.{name}" for name in ("layers.DenseFeatures", "experimental.SequenceFeatures")
)
# Classes that a program asks whether columns are theirs.
PRIVATE = "tensorflow.python.feature_column."
CLASSES = {
    "NumericColumn": "NumericColumn",
    "BucketizedColumn": "BucketizedColumn",
    "HashedCategoricalColumn": "HashedColumn",
    "IdentityCategoricalColumn": "IdentityColumn",
    "VocabularyListCategoricalColumn": "VocabularyColumn",
    "VocabularyFileCategoricalColumn": "VocabularyFileColumn",
    "WeightedCategoricalColumn": "WeightedColumn",
    "CrossedColumn": "CrossedColumn",
    "IndicatorColumn": "IndicatorColumn",
    "EmbeddingColumn": "EmbeddingColumn",
}
LISTED = "vocabulary_list"
# What TF 1's columns have and these don't.
ATTRIBUTES = frozenset(
    {"_num_buckets", "_parse_example_spec", "parse_example_spec", "_variable_shape", "_fields"}
    | {"variable_shape", "hash_bucket_size", "vocabulary_list", "get_dense_tensor", "_asdict"}
    | {"get_sparse_tensors", "transform_feature", "_transform_feature", "_get_dense_tensor"}
    | {"number_buckets", "vocabulary_size", "num_oov_buckets", "default_value", "dimension"}
)


class Columns:
    """The columns of a program, and the definitions that its files get."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.features: set[str] = set()
        self.used: set[str] = set()
        self.names: dict[int, dict[str, str]] = {}
        self.checkpointed: set[int] = set()  # pages with models that keep checkpoints
        self.initialized = False  # whether an embedding has an initializer of its own
        self.wanted: list[tuple[ast.AST, str]] = []  # where a definition is named
        for page in program.pages:
            self._read(page.part.document.tree)
        if self.used & CATEGORICAL:
            self.features.add("categorical")
        if self.used & EMBEDDED and self._several():
            if not self.initialized:
                self.features.add("fresh")
            if "shared_embedding_columns" in self.used:
                self.features.add("shared")
        if program.splits:
            self.features.add("texts")
        program.finish.append(self._define)

    def _read(self, tree: ast.Module) -> None:
        for node in walk(tree):
            endpoint = self.program.endpoint(node)
            if endpoint in COLUMNS:
                if endpoint.rpartition(".")[2] in SEQUENCES and not self._sequences():
                    raise Blocked(node, "a column of sequences that no sequence_input_layer takes")
                self._column(node, COLUMNS[endpoint])
                if COLUMNS[endpoint] in EMBEDDED and self._initialized(node):
                    self.initialized = True
            elif endpoint in APPLIED or (
                endpoint.startswith(PRIVATE) and self._class(node, endpoint)
            ):
                continue
            elif endpoint.startswith(PRIVATE) and isinstance(
                self.program.scopes.parents.get(id(node)), ast.Attribute
            ):
                continue  # a module
            elif endpoint.startswith(PRIVATE):
                raise Blocked(node, f"`{endpoint.rpartition('.')[2]}`, a private class of columns")
            elif endpoint in OF_KERAS:
                raise Blocked(
                    node, f"{endpoint.replace('tensorflow', 'tf', 1)}, which Keras 3 lacks"
                )
            elif endpoint.startswith(OTHER):
                raise Blocked(node, f"{endpoint.replace('tensorflow', 'tf', 1)} isn't followed yet")

    def _class(self, node: ast.AST, endpoint: str) -> bool:
        """Whether a class is only asked whether a column is its: another one is here."""
        name = CLASSES.get(endpoint.rpartition(".")[2])
        asked = self.program.scopes.parents.get(id(node))
        listed = isinstance(asked, ast.Tuple)
        asked = self.program.scopes.parents.get(id(asked)) if listed else asked
        if name is None or not isinstance(asked, ast.Call) or not isinstance(asked.func, ast.Name):
            return False
        if asked.func.id != "isinstance":
            return False
        self.program.edit(node, self.need(node, name))
        return True

    def _sequences(self) -> bool:
        """Whether a function of the program takes columns of sequences."""
        taken = map(self.program.called, self.program.calls())
        return any(APPLIED.get(e, ("",))[0] == "SequenceFeatures" for e in taken)

    def _initialized(self, node: ast.AST) -> bool:
        """Whether a column is given an initializer, or may be: it is called elsewhere."""
        call = self.program.scopes.parents[id(node)]
        if not isinstance(call, ast.Call) or call.func is not node:
            return True
        return "initializer" in self.program.given(call)

    def _several(self) -> bool:
        """Whether a model may have several layers of the same columns."""
        scopes = self.program.scopes
        sites = [c for c in self.program.calls() if self.program.called(c) == INPUT_LAYER]
        for site in sites:
            function = scopes.scope(site)
            if any(
                isinstance(a, (ast.For, ast.While, ast.comprehension)) for a in scopes.around(site)
            ):
                return True
            if not isinstance(function, ast.FunctionDef):
                return len(sites) > 1
            if sum(scopes.scope(c) is function for c in sites) > 1:
                return True
            names = {a.arg for a in function.args.args}
            whole = {"features", "labels", "mode"} <= names
            if not whole and (len(sites) > 1 or len(self.program.readers(function)) > 1):
                return True
        return False

    def _column(self, node: ast.AST, name: str) -> None:
        self.used.add(name)
        if name in FEATURES:
            self.features.add(FEATURES[name])
        call = self.program.scopes.parents[id(node)]
        if isinstance(call, ast.Call) and call.func is node:
            try:
                given = self.program.walker.bound(self.program.endpoint(node), call)
            except Blocked:  # they are Python's business, if none of them has to go
                if name in EMBEDDED:
                    raise
                given = {}
            for argument in ("ckpt_to_load_from", "tensor_name_in_ckpt"):
                if argument in given:
                    value = given[argument]
                    if not (isinstance(value, ast.Constant) and value.value is None):
                        raise Blocked(value, "an embedding that begins with a checkpoint's values")
                    self.features.add("checkpoint")
        if isinstance(node, (ast.Name, ast.Attribute)):
            self.program.edit(node, self.need(node, name))
        endpoint = self.program.endpoint(node)
        if endpoint in older_columns.COLUMNS:
            older_columns.written(self.program, node, endpoint)

    def applied(self, endpoint: str, call: ast.Call) -> tuple[str, ast.expr]:
        """The layer for a call of `input_layer` or `linear_model`, and what it is applied to."""
        program, (name, own) = self.program, APPLIED[endpoint]
        given = {RENAMED.get(k, k): v for k, v in program.given(call, endpoint).items()}
        if name == "DenseFeatures":
            older = endpoint == older_columns.DENSE
            if program.kept.setdefault("columns by kind", older) is not older:
                raise Blocked(call, "columns that stand by their names, and by their kinds")
            self.features |= {"by_kind"} if older else set()
        features = given.pop("features", None)
        if features is None or "feature_columns" not in given:
            raise Blocked(call, "features or columns that aren't seen")
        for argument in given:
            if argument not in own:
                raise Blocked(given[argument], f"`{argument}` of {name}")
        sparse = EMBEDDED | CATEGORICAL if name == "LinearFeatures" else EMBEDDED
        if name == "SequenceFeatures":
            self.features.add("sequence")
            if self.used & {"WeightedColumn", "shared_embedding_columns"}:
                raise Blocked(call, "sequences of columns with weights, or that share tables")
        if self.used & sparse:
            self._rows()
        source = [program.source(given.pop("feature_columns"))]
        if name == "LinearFeatures":
            self.features.add("combiner")
            source.append(program.source(given.pop("units")) if "units" in given else "1")
        source.extend(f"{k}={program.source(v)}" for k, v in given.items())
        if "shared" in self.features and name == "DenseFeatures":
            source.append(f"shared={SHARED}")
        return f"{self.need(call, name)}({', '.join(source)})", features

    def _rows(self) -> None:
        """Let tables have gradients of rows, where an optimizer moves only those.

        Raises:
            Blocked: none of Keras does.
        """
        program = self.program
        canned = any(
            ESTIMATORS.match(e) and not e.endswith("Estimator") and ".contrib.learn." not in e
            for e in map(program.called, program.calls())
        )
        for other in program.calls():
            what = program.called(other).rpartition(".")[2]
            if program.called(other) not in BY_ROW:
                continue
            if canned or what not in row_optimizers.ROWS:
                raise Blocked(other, f"tf.train.{what} updates only the rows of a batch")
            self.features |= {"rows", "wide_rows"}

    def need(self, node: ast.AST, name: str) -> str:
        """What a definition is called in the file of a node, which gets it."""
        self.wanted.append((node, name))
        return self.called(self.program.page(node)).get(name, name)

    def called(self, page: Page) -> dict[str, str]:
        """Other names for definitions, where the file has something else under their own."""
        if id(page) not in self.names:
            at = page.part.document.tree.body[0]
            self.names[id(page)] = {
                name: self.program.free(at, f"Keras{name}" if name[0].isupper() else f"{name}_of")
                for name in templates.names()
                if name in page.bound
            }
        return self.names[id(page)]

    def _define(self) -> None:
        if any(isinstance(n, ast.Attribute) and n.attr == LISTED for n in self._walk()):
            self.features.add("listed")
        if "weighted" in self.features:  # they stand for each other in what is looked up
            self.features.add("categorical")
        for page in self.program.pages:
            mine = [(n, name) for n, name in self.wanted if self.program.page(n) is page]
            if not mine:
                continue
            features = set(self.features)
            saved = id(page) in self.checkpointed
            if "replicated" in features and "classes of heads" in self.program.kept:
                strategies.need(self.program, mine[0][0], combined="combined" in features)
            if saved:
                self._checkpointed(mine[0][0])
                features.add("saved")
            elif "replicated" in features:
                features.add("bare")
            else:
                features.add("plain")
            if "replicated" in features:
                features.add("summed" if "reduce_sum" in features else "divided")
                for name in ("added", "forwarded"):
                    if name in features:
                        raise Blocked(mine[0][0], "`add_metrics` and its kin under a strategy")
            wanted = [name for _, name in mine]
            found = templates.definitions(wanted, features, self.called(page))
            for name, source in found.items():
                self.program.need(mine[0][0], name, source)
        for node in self._walk():
            if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES - {LISTED}:
                if self.used:
                    raise Blocked(node, f"`.{node.attr}`, which may be a feature column's")

    def _checkpointed(self, node: ast.AST) -> None:
        """The class that models with checkpoints build on; all their optimizers are in those."""
        source = config.CHECKPOINTED
        combined, replicated = "combined" in self.features, "replicated" in self.features
        changes = [strategies.SEVERAL] if replicated else list(config.OPTIMIZERS.items())
        if replicated:
            source = strategies.checkpointed(self.program, source)
        source = source.replace("(tf.", "({tf}.").replace(" tf.", " {tf}.")
        for old, new in changes if combined else ():
            assert old in source
            source = source.replace(old, new)
        self.program.need(
            node, "Checkpointed", source, ["import math", "import tempfile", "import time"]
        )

    def _walk(self) -> Iterable[ast.AST]:
        return self.program.scopes.walk()


def columns(program: Program) -> Columns:
    """The columns of a program."""
    found = program.kept.get("columns")
    if found is None:
        found = program.kept["columns"] = Columns(program)
    assert isinstance(found, Columns)
    return found


def _applied(program: Program, endpoint: str, call: ast.Call) -> tuple[str, ast.expr]:
    return columns(program).applied(endpoint, call)


LAYERS.update(dict.fromkeys(APPLIED, _applied))
