"""Columns of contrib.layers: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "learn_columns" / "before.py"
PROGRAM = FIXTURE.read_text(encoding="utf-8")
EMBEDDED = "layers.embedding_column(skill, dimension=4)"


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (", hash_bucket_size=20)", ", 20, combiner='sum')", "HashedColumn('job', 20)"),
        ("['north', 'south', 'west'])", "['north', 'south'], default_value=0)",
         "vocabulary_list=['north', 'south'], default_value=0)"),
        ("layers.one_hot_column(town)", "layers.one_hot_column(sparse_id_column=town)",
         "IndicatorColumn(categorical_column=town)"),
        ("real_valued_column('age')", "real_valued_column('age', dimension=1)",
         "NumericColumn('age', shape=1)"),
        ("layers.one_hot_column(town)", "layers.embedding_column(town, 2)",
         "EmbeddingColumn(town, 2, initializer=tf.keras.initializers.TruncatedNormal("
         "stddev=3**-0.5))"),
        (", hash_bucket_size=20)", ", hash_bucket_size=len(jobs))",
         "TruncatedNormal(stddev=job.num_buckets**-0.5)"),
        ("layers.one_hot_column(town)", "layers.embedding_column(layers."
         "sparse_column_with_integerized_feature(column_name='level', bucket_size=3), 2)",
         "EmbeddingColumn(RemainderColumn(key='level', bucket_size=3), 2, initializer="
         "tf.keras.initializers.TruncatedNormal(stddev=3**-0.5))"),
        (EMBEDDED, "layers.embedding_column(skill, 4, initializer=tf.zeros_initializer())",
         "EmbeddingColumn(skill, 4, initializer=tf.zeros_initializer())"),
        ("            fix_global", "            dnn_optimizer=tf.train.AdamOptimizer(0.01),\n"
         "            linear_optimizer='SGD',\n            fix_global",
         "self.compile(optimizer=tf.keras.optimizers.Adam(0.01"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_column_is_its_class_s(old: str, new: str, written: str) -> None:
    assert written in after(changed(old, new))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (", hash_bucket_size=20)", ", 20, 'mean')", "by its place"),
        (", hash_bucket_size=20)", ", 20, combiner='mean')", "`combiner`"),
        (", hash_bucket_size=20)", ", **{'hash_bucket_size': 20})", "hidden"),
        ("hash_bucket_size=50)", "hash_bucket_size=50, hash_key=3)", "`hash_key`"),
        (EMBEDDED, "layers.embedding_column(layers.sparse_column_with_hash_bucket('q', len(jobs)), "
         "4)", "aren't counted"),
        ("layers.one_hot_column(town)", "[f(town) for f in [layers.one_hot_column]][0]",
         "isn't called where it is named"),
        ("real_valued_column('age')", "real_valued_column('age', None)", "of any length"),
        ("fix_global_step_increment_bug=True", "gradient_clip_norm=1.0,\n"
         "            fix_global_step_increment_bug=True", "`gradient_clip_norm`"),
        ("feature_columns=wide_columns)", "feature_columns=wide_columns, optimizer=make())",
         "an optimizer that isn't made"),
        ("feature_columns=wide_columns)", "feature_columns=tf.contrib.learn."
         "infer_real_valued_columns_from_input(ages) + wide_columns)", "columns of an array"),
    ],
)  # fmt: skip
def test_what_keeps_a_column_is_named(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(old, new))[1]


@pytest.mark.parametrize(
    "joined",
    [
        "dict(list(numbers.items()) + list(words.items()))",
        "dict(numbers, **words)",
        "{**numbers, **words}",
    ],
)
def test_dicts_of_tensors_are_put_together(joined: str) -> None:
    new = after(changed("dict(numbers)\n    features.update(words)", joined))
    assert "from_tensors((features, tf.constant(rich[:count]))).repeat()" in new
