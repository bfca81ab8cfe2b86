"""`--to keras`: weights by name, a checkpoint to begin with, an optimizer of the program's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "keras"
PROGRAM = (FIXTURES / "fine_tuned" / "before.py").read_text(encoding="utf-8")
HEAD, _, REST = PROGRAM.partition("def matching(")
SLOT = '"/adam_v", shape=param.shape.as_list(), dtype=tf.float32,\n                trainable=False'
COUNTED = "    train_op = tf.group(train_op, [global_step.assign(new_global_step)])\n"


def upgraded(files: dict[str, str]) -> tuple[list[Level | None], dict[str, str], str]:
    results = list(texts({n: t.encode() for n, t in files.items()}, Options(to="keras")))
    reasons = " ".join(f.message for r in results for f in r.left)
    new = {r.path: (r.after or b"").decode() for r in results}
    return [r.level for r in results], new, reasons


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_functions_in_another_file_ask_for_weights_by_name() -> None:
    names = ("Encoder", "initializer", "Settings")
    rest = "def matching(" + REST
    for name in names:
        rest = rest.replace(f"{name}(", f"encoders.{name}(").replace("Decayingencoders.", "")
    head = "import collections\nimport os\nimport re\nimport tempfile\n\nimport numpy as np\n"
    head += "import tensorflow as tf\n\nimport encoders\n\n\n" + "\n".join(
        line for line in HEAD.splitlines() if line.startswith(("rng", "words", "kinds"))
    )
    rest = rest.replace("tf.zeros_encoders.initializer()", "tf.zeros_initializer()")
    files = {"main.py": f"{head}\n\n\n{rest}", "encoders.py": HEAD}
    levels, new, reasons = upgraded(files)
    assert set(levels) == {Level.NATIVE}, reasons
    assert "with encoders.Scopes(self.named):" in new["main.py"]
    assert "self.named = encoders.NamedWeights()" in new["main.py"]
    assert "weights = encoders.named_weight(" in new["main.py"]
    assert "class Scopes" not in new["main.py"]
    assert "class Scopes" in new["encoders.py"]


@pytest.mark.parametrize("taken", ["Encoder, Settings, initializer", "*"])
def test_what_stands_for_names_is_imported_beside_them(taken: str) -> None:
    head = "import collections\nimport os\nimport re\nimport tempfile\n\nimport numpy as np\n"
    head += f"import tensorflow as tf\n\nfrom encoders import {taken}\n\n\n"
    if taken != "*":
        own = ("rng", "words", "kinds")
        head += "\n".join(line for line in HEAD.splitlines() if line.startswith(own))
    files = {"main.py": f"{head}\n\n\ndef matching({REST}", "encoders.py": HEAD}
    files["again.py"] = "from main import matching\n\nprint(matching)\n"
    levels, new, reasons = upgraded(files)
    assert set(levels[:2]) == {Level.NATIVE}, reasons
    line = next(x for x in new["main.py"].splitlines() if x.startswith("from encoders"))
    assert line.startswith("from encoders import Encoder, Settings, initializer, ")
    assert line.endswith(", NamedWeights, Scopes, named_scope, named_weight")
    assert "with Scopes(self.named):" in new["main.py"]
    assert "class Scopes" not in new["main.py"]
    assert "class Scopes" in new["encoders.py"]


def test_the_name_of_a_scope_in_what_is_raised() -> None:
    text = changed(
        ("    known = tf.shape(tensor)\n", "    known = tf.shape(tensor)\n    said(tensor)\n"),
        (
            "def shape_of(",
            "def said(tensor):\n    if tensor.shape.ndims != 3:\n"
            "        raise ValueError('in %s' % tf.get_variable_scope().name)\n\n\ndef shape_of(",
        ),
    )
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert "'in %s' % Scopes.current.path" in new["main.py"]


def test_all_batches_where_a_number_of_steps_may_be_none() -> None:
    text = changed(
        (
            "    result = estimator",
            "    most = None\n    if steps > 5:\n        most = 2\n    result = estimator",
        ),
        (
            "(words, labels, False))\n    for key",
            "(words, labels, False), steps=most)\n    for key",
        ),
    )
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert ".take(-1 if most is None else most), return_dict" in new["main.py"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((COUNTED, ""), "doesn't count the global step"),
        ((SLOT, SLOT.replace("False", "True")), "a slot of an optimizer"),
        (("self.decay_rate = decay_rate", "self.iterations = decay_rate"), "of an optimizer"),
        (("v.assign(next_v)]", "v.assign(next_v + m)]"), "reads what another one changes"),
        (("def _decays(", "def build("), "`build` of an optimizer"),
        (('with tf.variable_scope("pooler"):', 'with tf.variable_scope("pooler") as s:'), "a name"),
        (("tensor, width, name=", "tensor, width, kernel_constraint=abs, name="), "constraint"),
        (("begin_norm_axis=-1", "begin_norm_axis=1"), "`begin_norm_axis`"),
        (("class Encoder(object)", "class Encoder(tf.Module)"), "others above it"),
        (("self.table = tf", "settings.width = 8\n                self.table = tf"), "is changed"),
        (("model_dir=folder, ", ""), "no `model_dir`"),
        (("return tf.train.Scaffold()", "return tf.train.Scaffold(init_fn=None)"), "scaffold_fn"),
    ],
)
def test_what_keeps_the_estimator(change: tuple[str, str], reason: str) -> None:
    levels, _, reasons = upgraded({"main.py": changed(change)})
    assert levels != [Level.NATIVE]
    assert reason in reasons


def test_a_mode_that_raises() -> None:
    text = changed(
        (
            "        if mode == tf.estimator.ModeKeys.TRAIN:",
            "        spec = None\n        if mode == 'train':",
        ),
        (
            "            return tf.contrib.tpu.TPUEstimatorSpec(\n",
            "            spec = tf.contrib.tpu.TPUEstimatorSpec(\n",
        ),
        ("        if mode == tf.estimator.ModeKeys.EVAL:", "        elif mode == 'eval':"),
        (
            "        return tf.contrib.tpu.TPUEstimatorSpec(\n"
            '            mode=mode, predictions={"scores": tf.nn.softmax(logits)}, '
            "scaffold_fn=scaffold_fn)\n",
            "        else:\n            raise ValueError(mode)\n        return spec\n",
        ),
        (
            "    for each in estimator.predict("
            "input_fn=input_fn_builder(words[:2], labels[:2], False)):\n"
            '        print(" ".join("%.5f" % p for p in each["scores"]))\n',
            "",
        ),
    )
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert "def test_step" in new["main.py"]
    assert new["main.py"].count("def predict_step") == 1  # of the model that only predicts


def test_a_model_that_only_predicts_begins_with_a_checkpoint() -> None:
    levels, new, reasons = upgraded({"main.py": PROGRAM})
    assert levels == [Level.NATIVE], reasons
    assert "class Model2(tf.keras.Model):" in new["main.py"]
    assert "        def predict(self, dataset, **kwargs):\n" in new["main.py"]
    assert "yield_single_examples" not in new["main.py"]
    folder = ("config=tf.contrib.tpu.RunConfig()", "config=tf.contrib.tpu.RunConfig(model_dir='m')")
    levels, _, reasons = upgraded({"main.py": changed(folder)})
    assert "a `model_dir` of a model that begins with other weights" in reasons
    batches = ("yield_single_examples=True", "yield_single_examples=len(words) > 3")
    levels, _, reasons = upgraded({"main.py": changed(batches)})
    assert "`yield_single_examples` of predict()" in reasons


def test_a_scope_that_a_model_fn_opens_itself() -> None:
    call = "(loss, per_example_loss, logits) = classified(settings, ids, label_ids, count)\n"
    text = changed((call, f'with tf.variable_scope("task"):\n            {call}'))
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert '            with named_scope("task"):\n' in new["main.py"]


MATCHED = "            assignment_map = matching(tvars, init_checkpoint)\n"
BEGUN = "            tf.train.init_from_checkpoint(init_checkpoint, assignment_map)\n"


def test_a_checkpoint_that_is_said_once_more() -> None:
    _, plain, _ = upgraded({"main.py": PROGRAM})
    levels, new, reasons = upgraded({"main.py": changed((MATCHED, MATCHED + BEGUN))})
    assert levels == [Level.NATIVE], reasons
    begins = [text["main.py"].partition("def begin(")[2][:600] for text in (plain, new)]
    assert begins[0].count("init_from_checkpoint(self.named") == 1
    assert begins[0] == begins[1]


@pytest.mark.parametrize(
    "more",
    [
        BEGUN + "            assignment_map = matching(tvars, init_checkpoint)\n",
        BEGUN.replace("assignment_map)", "{})"),
        "            if len(tvars) > 3:\n    " + BEGUN,
    ],
)
def test_another_checkpoint_or_another_time_keeps_the_estimator(more: str) -> None:
    levels, _, reasons = upgraded({"main.py": changed((MATCHED, MATCHED + more))})
    assert levels == [Level.COMPAT]
    assert "several checkpoints to begin with" in reasons


def test_a_file_that_only_names_its_scope_has_the_definitions() -> None:
    ranks = (
        "import tensorflow as tf\n\n\ndef said(tensor):\n    if tensor.shape.ndims != 3:\n"
        "        raise ValueError('in %s' % tf.get_variable_scope().name)\n"
    )
    text = changed(
        (
            "    known = tf.shape(tensor)\n",
            "    known = tf.shape(tensor)\n    ranks.said(tensor)\n",
        ),
        ("import tensorflow as tf\n", "import tensorflow as tf\nimport ranks\n"),
    )
    levels, new, reasons = upgraded({"main.py": text, "ranks.py": ranks})
    assert set(levels) == {Level.NATIVE}, reasons
    assert "'in %s' % Scopes.current.path" in new["ranks.py"]
    assert "ranks.named_weight(" in new["main.py"]


def test_a_static_method_of_an_optimizer() -> None:
    static = "    @staticmethod\n    def _name_of(param_name):"
    text = changed(("    def _name_of(self, param_name):", static))
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert static in new["main.py"]


def test_models_that_have_no_file_in_common_have_definitions_each() -> None:
    head = "import collections\nimport os\nimport re\nimport tempfile\n\nimport numpy as np\n"
    start = REST.index("class DecayingAdam(")
    end = REST.index("\n\n\ndef ", start)
    rest = REST[:start] + REST[end:].lstrip().replace("DecayingAdam(", "shared.DecayingAdam(")
    files = {"shared.py": f"import re\n\nimport tensorflow as tf\n\n\n{REST[start:end]}\n"}
    for name in ("one", "other"):
        files[f"{name}_nets.py"] = HEAD
        own = "\n".join(x for x in HEAD.splitlines() if x.startswith(("rng", "words", "kinds")))
        taken = f"from {name}_nets import Encoder, Settings, initializer"
        files[f"{name}.py"] = f"{head}import tensorflow as tf\n\nimport shared\n{taken}\n\n\n{own}"
        files[f"{name}.py"] += f"\n\n\ndef matching({rest}"
    levels, new, reasons = upgraded(files)
    assert set(levels) == {Level.NATIVE}, reasons
    for name in ("one", "other"):
        assert "class Scopes" in new[f"{name}_nets.py"]
        assert "class Scopes" not in new[f"{name}.py"]


def test_a_comment_among_what_an_optimizer_is_given() -> None:
    text = changed(("decay_rate=0.01,", "decay_rate=0.01,  # as before, (only here\n       "))
    levels, new, reasons = upgraded({"main.py": text})
    assert levels == [Level.NATIVE], reasons
    assert (
        "            # as before, (only here\n            self.compile(optimizer=Decaying"
        in new["main.py"]
    )
