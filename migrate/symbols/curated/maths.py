"""tf.math, tf.linalg, tf.random, tf.quantization and the root's arithmetic."""

from __future__ import annotations

from migrate.symbols.curated.decisions import V1, Args, Decision, Equal

_REDUCE = {"reduction_indices": "axis", "keep_dims": "keepdims"}

DECISIONS: dict[str, Decision] = {
    "argmax": Args(renamed={"dimension": "axis"}),
    "argmin": Args(renamed={"dimension": "axis"}),
    "arg_max": Args("argmax", {"dimension": "axis"}),
    "arg_min": Args("argmin", {"dimension": "axis"}),
    "div": V1("divides as Python 2 did: integers give their floor"),
    "floor_div": Equal("math.floordiv"),
    "linalg.norm": Args(renamed={"keep_dims": "keepdims"}),
    "math.bincount": Equal(),
    "math.confusion_matrix": Args(),
    "math.count_nonzero": Args(renamed={"input_tensor": "input", **_REDUCE}),
    "math.in_top_k": Args(),
    "math.log_softmax": Args(renamed={"dim": "axis"}),
    "math.scalar_mul": Equal(),
    "math.softmax": Args(renamed={"dim": "axis"}),
    "math.l2_normalize": Args(renamed={"dim": "axis"}),
    "norm": Args(renamed={"keep_dims": "keepdims"}),
    **{
        "reduce_" + name: Args(renamed=_REDUCE)
        for name in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
    },
    "quantize_v2": Args("quantization.quantize"),
    "random.multinomial": Args("random.categorical", {"output_dtype": "dtype"}),
    "random.stateless_multinomial": Args("random.stateless_categorical", {"output_dtype": "dtype"}),
    "random.poisson": Args(),
    "random.experimental.create_rng_state": Args(renamed={"algorithm": "alg"}),
}
