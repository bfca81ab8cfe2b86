"""tf.sparse, tf.strings, tf.io, tf.gfile and tf.debugging."""

from __future__ import annotations

from migrate.symbols.curated.decisions import ALWAYS, Args, Change, Decision, Equal

_DATA = {"data": ("part of the message only", ALWAYS)}
_RANK = {**_DATA, "summarize": ("layout of the message only", ALWAYS)}
_NOTHING = "checks when called and returns None, where 1.15 returned an op to depend on"

DECISIONS: dict[str, Decision] = {
    "sparse.add": Args(renamed={"thresh": "threshold"}, same_defaults=("threshold",)),
    "sparse.concat": Args(
        renamed={"expand_nonconcat_dim": "expand_nonconcat_dims", "concat_dim": "axis"},
        same_defaults=("expand_nonconcat_dims",),
    ),
    "sparse.reduce_max": Args(renamed={"reduction_axes": "axis", "keep_dims": "keepdims"}),
    "sparse.reduce_sum": Args(renamed={"reduction_axes": "axis", "keep_dims": "keepdims"}),
    "sparse.segment_mean": Args(),
    "sparse.segment_sqrt_n": Args(),
    "sparse.segment_sum": Args(),
    "sparse.split": Args(renamed={"split_dim": "axis"}),
    "strings.length": Args(),
    "strings.reduce_join": Args(renamed={"reduction_indices": "axis", "keep_dims": "keepdims"}),
    "strings.split": Change(
        "gives a RaggedTensor, 1.15 a SparseTensor unless result_type='RaggedTensor'; source is "
        "input"
    ),
    "strings.substr": Args(),
    "strings.to_hash_bucket": Args(renamed={"string_tensor": "input"}),
    "strings.to_number": Args(renamed={"string_tensor": "input"}),
    "string_split": Change(
        "gives a RaggedTensor where 1.15 gave a SparseTensor, splits at the whole separator, and "
        "keeps empty strings",
        "strings.split",
    ),
    "io.decode_csv": Args(),
    "io.decode_raw": Args(renamed={"bytes": "input_bytes"}),
    "io.parse_example": Args(),
    "io.parse_single_example": Args(),
    "io.serialize_many_sparse": Args(),
    "io.serialize_sparse": Args(),
    "gfile.Copy": Args("io.gfile.copy", {"oldpath": "src", "newpath": "dst"}),
    "gfile.DeleteRecursively": Args("io.gfile.rmtree", {"dirname": "path"}),
    "gfile.Exists": Args("io.gfile.exists", {"filename": "path"}),
    "gfile.FastGFile": Equal("io.gfile.GFile"),
    "gfile.Glob": Args("io.gfile.glob", {"filename": "pattern"}),
    "gfile.IsDirectory": Args("io.gfile.isdir", {"dirname": "path"}),
    "gfile.ListDirectory": Args("io.gfile.listdir", {"dirname": "path"}),
    "gfile.MakeDirs": Args("io.gfile.makedirs", {"dirname": "path"}),
    "gfile.MkDir": Args("io.gfile.mkdir", {"dirname": "path"}),
    "gfile.Remove": Args("io.gfile.remove", {"filename": "path"}),
    "gfile.Rename": Args("io.gfile.rename", {"oldname": "src", "newname": "dst"}),
    "gfile.Stat": Args("io.gfile.stat", {"filename": "path"}),
    "gfile.Walk": Args("io.gfile.walk", {"in_order": "topdown"}),
    "load_file_system_library": Args("load_library", {"library_filename": "library_location"}),
    "debugging.assert_all_finite": Args(renamed={"t": "x", "msg": "message"}),
    "debugging.assert_integer": Change(_NOTHING),
    "debugging.assert_scalar": Change(_NOTHING),
    "debugging.assert_type": Change(_NOTHING),
    "debugging.assert_shapes": Equal(),
    **{
        "debugging.assert_" + name: Args(removed=_DATA)
        for name in (
            "equal", "greater", "greater_equal", "less", "less_equal", "near", "negative",
            "non_negative", "non_positive", "none_equal", "positive",
        )
    },
    **{
        "debugging.assert_" + name: Args(removed=_RANK)
        for name in ("rank", "rank_at_least", "rank_in")
    },
}  # fmt: skip
