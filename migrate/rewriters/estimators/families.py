"""What makes Estimators and reads for them: to import one is to register it."""

from __future__ import annotations

from migrate.rewriters.estimators import hparams
from migrate.rewriters.estimators.contrib_learn import learn, learn_canned
from migrate.rewriters.estimators.data import categories, csv_files, shuffled, tables, vocabularies
from migrate.rewriters.estimators.heads_and_columns import canned
from migrate.rewriters.estimators.models import model_fn
from migrate.rewriters.estimators.runs import predictors, tpu

__all__ = [
    "canned",
    "categories",
    "csv_files",
    "hparams",
    "learn",
    "learn_canned",
    "model_fn",
    "predictors",
    "shuffled",
    "tables",
    "tpu",
    "vocabularies",
]
