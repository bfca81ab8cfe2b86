"""TFM126 old-name: a name, or an order of arguments, of an older release of TensorFlow.

Public code still uses what TensorFlow 1.0 renamed: `tf.mul`, `tf.pack`, `tf.scalar_summary`. Such a
name gets the one that 1.15 has for it, and then what that became. `tf.concat(0, [a, b])` and
`tf.split(1, 2, x)` have the arguments of 0.x in an order that 1.15 refuses; they are put in order
where numbers in the call show it. Datasets of `tf.contrib.data`, which 1.4 moved to `tf.data`, are
taken from there. What can't be rewritten is reported. The list is from the release notes of 0.12
and 1.0 ("Breaking Changes to the API"). Tags of summaries differ from 0.x as the notes say: they
take the name scope, and blanks become underscores.

https://github.com/tensorflow/tensorflow/releases/tag/v1.0.0
"""

from __future__ import annotations

import ast

from migrate import symbols
from migrate.engine import rule as rules
from migrate.engine.calls import BoundCall, Unbound, bind
from migrate.engine.findings import Edit, Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site

OLD = Rule(
    "TFM126",
    "old-name",
    "a name or an order of arguments of an older release of TensorFlow",
    module=__name__,
    doc=__doc__,
    url="https://github.com/tensorflow/tensorflow/releases/tag/v1.0.0",
)
# The old name -> what 1.15 calls it, then its parameters; `old>new` where they changed, `old>`
# where 1.15 has none. A bar stands behind those whose places 1.15 kept.
NAMES = """
batch_cholesky cholesky input name
batch_fft fft input name
batch_fft2d fft2d input name
batch_ifft ifft input name
batch_matmul matmul x>a y>b | adj_x>adjoint_a adj_y>adjoint_b name
batch_matrix_band_part matrix_band_part input num_lower num_upper name
batch_matrix_determinant matrix_determinant input name
batch_matrix_diag matrix_diag diagonal name
batch_matrix_diag_part matrix_diag_part input name
batch_matrix_inverse matrix_inverse input adjoint name
batch_matrix_set_diag matrix_set_diag input diagonal name
batch_matrix_solve matrix_solve matrix rhs adjoint name
batch_matrix_transpose matrix_transpose a name
batch_matrix_triangular_solve matrix_triangular_solve matrix rhs lower adjoint name
batch_self_adjoint_eig self_adjoint_eig tensor name
batch_svd svd tensor full_matrices compute_uv name
complex_abs abs x name
concat_v2 concat values axis name
inv reciprocal x name
mul multiply x y name
neg negative x name
pack stack values axis name
select where condition t>x e>y name
sub subtract x y name
unpack unstack value num axis name
list_diff setdiff1d x y | out_idx>index_dtype name
listdiff setdiff1d x y | out_idx>index_dtype name
image.per_image_whitening image.per_image_standardization image
nn.deconv2d nn.conv2d_transpose value filter output_shape strides padding | name
nn.rnn nn.static_rnn cell inputs initial_state dtype sequence_length scope
train.SummaryWriter summary.FileWriter logdir graph max_queue flush_secs graph_def
merge_all_summaries summary.merge_all key
merge_summary summary.merge inputs collections name
scalar_summary summary.scalar tags>name values>tensor collections | name>
histogram_summary summary.histogram tag>name values collections | name>
image_summary summary.image tag>name tensor max_images>max_outputs collections | name>
audio_summary summary.audio tag>name tensor sample_rate max_outputs collections | name>
contrib.data.Dataset.from_tensors data.Dataset.from_tensors tensors
contrib.data.Dataset.from_tensor_slices data.Dataset.from_tensor_slices tensors
contrib.data.Dataset.from_generator data.Dataset.from_generator \
 generator output_types output_shapes
contrib.data.Dataset.zip data.Dataset.zip datasets
contrib.data.Dataset.list_files data.Dataset.list_files file_pattern
contrib.data.Dataset.range data.Dataset.range
contrib.data.Iterator.from_structure data.Iterator.from_structure \
 output_types output_shapes shared_name
contrib.data.TextLineDataset data.TextLineDataset filenames compression_type buffer_size
contrib.data.TFRecordDataset data.TFRecordDataset filenames compression_type buffer_size
contrib.data.FixedLengthRecordDataset data.FixedLengthRecordDataset \
 filenames record_bytes header_bytes footer_bytes buffer_size
contrib.linalg.LinearOperatorTriL linalg.LinearOperatorLowerTriangular \
 tril is_non_singular is_self_adjoint is_positive_definite | name
"""
GONE = {
    "models.rnn": "tf.nn.rnn_cell, tf.nn.dynamic_rnn and tf.contrib.legacy_seq2seq",
    "nn.seq2seq": "tf.contrib.legacy_seq2seq",
    "nn.bidirectional_rnn": "tf.nn.static_bidirectional_rnn",
    "train.SummaryWriterCache": "tf.summary.FileWriterCache",
    "test_util": "tf.test",
    # Packages of contrib that 1.15 had no more.
    "contrib.gan": "the package tensorflow_gan, where tf_keras may be installed",
    "contrib.linalg": "tf.linalg",
    "contrib.boosted_trees.estimator_batch": "TensorFlow Decision Forests",
    "contrib.boosted_trees.proto": "TensorFlow Decision Forests",
}


class _Old:
    """One line of the list."""

    def __init__(self, line: str) -> None:
        self.name, self.now, *words = line.split()
        places = words.index("|") if "|" in words else len(words)
        self.places = places
        self.parameters: dict[str, str] = {}
        for word in words:
            if word != "|":
                old, arrow, new = word.partition(">")
                self.parameters[old] = new if arrow else old


LIST = {f"tensorflow.{old.name}": old for old in map(_Old, NAMES.strip().splitlines())}
LIST = {name: old for name, old in LIST.items() if not symbols.is_endpoint(name)}


@OLD.endpoint(*LIST)
def renamed(site: Site) -> Result | None:
    """Write 1.15's name, or what became of it."""
    old = LIST[site.endpoint]
    now = f"tensorflow.{old.now}"
    since = "1.4" if old.name.startswith("contrib.data.") else "1.0"
    message = f"{site.shown} is tf.{old.now} since TensorFlow {since}"
    edits: list[Edit] = []
    if site.call is not None and old.parameters:  # without any: `range(*args)`
        try:
            call = bind(site.file.text, site.file.index, site.call, tuple(old.parameters))
            edits = arguments(call, old)
        except Unbound as error:
            return site.result(OLD, f"{message}; {error}", blocks=True)
    if site.level is Level.COMPAT:
        result = site.renamed_result(OLD, V1 + now.removeprefix("tensorflow"), message)
        result.switch = True
        result.edits.extend(edits)
        return result
    further = _further(site, now)
    if further is not None and (edits or further.blocks or further.fix is None):
        if not further.blocks:
            return site.result(OLD, f"{message}, and changes again in TF 2", blocks=True)
        return further
    result = further or site.renamed_result(OLD, now, message)
    result.edits.extend(edits)
    return result


def _further(site: Site, now: str) -> Result | None:
    """What 1.15's endpoint becomes at the native level."""
    record = symbols.outcome(now)
    if record is None:  # a method of a class, which TF 2 has as it was
        return None
    as_now = Site(site.file, site.ref, now, record, site.tail)
    found = rules.handler_for(now) or rules.handler_of(record.outcome, Level.NATIVE)
    return found[1](as_now) if found is not None else None


def arguments(call: BoundCall, old: _Old) -> list[Edit]:
    """The edits of the arguments.

    Raises:
        Unbound: one has no counterpart.
    """
    if call.hidden:
        raise Unbound("`**` hides arguments")
    for name, argument in call.args.items():
        new = old.parameters[name]
        if not new:
            raise Unbound(f"`{name}` has no counterpart")
        if new == "name" and name != "name" and isinstance(argument.value, (ast.List, ast.Tuple)):
            raise Unbound("a summary has one tag now")
        if argument.keyword is not None and new != name:
            call.rename(name, new)
    return call.finish(lambda place, _: place < old.places, old.parameters)


@OLD.endpoint(*(f"tensorflow.{name}" for name in GONE), *(f"tensorflow.{n}.*" for n in GONE))
def gone(site: Site) -> Result | None:
    """Report with what replaced it."""
    for name, instead in GONE.items():
        if f"{site.endpoint}.".startswith(f"tensorflow.{name}."):
            when = "before 1.15" if name.startswith("contrib.") else "in TensorFlow 1.0"
            message = f"{site.shown} went {when}; instead: {instead}"
            return site.result(OLD, message, blocks=True)
    return None


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


# The parameters of 0.x in their order, as 1.15 calls them.
ORDERS = {
    "tensorflow.concat": {"concat_dim": "axis", "values": "values", "name": "name"},
    "tensorflow.split": {
        "split_dim": "axis",
        "num_split": "num_or_size_splits",
        "value": "value",
        "name": "name",
    },
}


@OLD.endpoint(*ORDERS)
@OLD.compat(*ORDERS)
def order(site: Site) -> Result | None:
    """Name the arguments of a call in the order of 0.x."""
    further = None
    if site.level is Level.COMPAT:
        assert site.record is not None
        found = rules.handler_of(site.record.outcome, Level.COMPAT)
        further = found[1](site) if found is not None else None
    if site.call is None:
        return further
    names = ORDERS[site.endpoint]
    try:
        call = bind(site.file.text, site.file.index, site.call, tuple(names))
    except Unbound:
        return further
    edits = by_name(call, names)
    if not edits:
        return further
    result = site.result(
        OLD,
        f"{site.shown} takes the axis last since TensorFlow 1.0",
        fix="the arguments by name",
        edits=edits,
    )
    result.switch = site.level is Level.COMPAT
    return result


def by_name(call: BoundCall, names: dict[str, str]) -> list[Edit]:
    """The edits that name the arguments of a call in 0.x's order; none: it is in 1.15's."""
    told = call.args.get(next(iter(names)))
    if told is None or (told.keyword is None and not _in_old_order(call)):
        return []
    for name, argument in call.args.items():
        if argument.keyword is not None and names[name] != name:
            call.rename(name, names[name])
    return call.finish(lambda place, _: False, names)


def _in_old_order(call: BoundCall) -> bool:
    """Whether a number stands for the axis, and none for what is to be concatenated or split."""
    names = [name for name in call.params if name != "name"]
    if any(name not in call.args for name in names):
        return False
    *numbers, value = (call.args[name].value for name in names)
    return all(map(_number, numbers)) and not _number(value)
