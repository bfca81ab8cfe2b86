"""Estimators as Keras models: `convert` takes a program's files.

`program` finds and follows them, the other rooms write. `model_fn` makes a class of a model_fn:
`specs` reads it mode by mode, `methods` writes the text, `halves` cuts it in two (`values` tells
names apart, `writer` writes statements, `layers` sees to layers), `parts` is for its functions,
`training` for its optimizer, `metrics` for what it evaluates, `guard` says what may be moved;
`config` reads RunConfigs, `running` writes `fit`, `evaluate` and `predict`, `inputs` what they are
given. docs/keras.md says what is followed.
"""
