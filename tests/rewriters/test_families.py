"""What holds for every rule of the families, and for edits that share a string."""

from __future__ import annotations

import pytest

from migrate import symbols
from migrate.engine import rule as rules
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.symbols.outcomes import Behaviour, CompatV1

FAMILIES = range(204, 224)
rules.load()
MINE = {name: rule for name, (rule, _) in rules._ENDPOINTS.items() if int(rule.id[3:]) in FAMILIES}


@pytest.mark.parametrize("endpoint", sorted(MINE))
def test_endpoints(endpoint: str) -> None:
    """Handlers are asked in TF 1 programs alone, and the op that they may keep is there."""
    record = symbols.outcome(endpoint)
    assert record is not None
    assert isinstance(record.outcome, (Behaviour, CompatV1)) or not symbols.resolves(endpoint)
    assert symbols.resolves(f"tensorflow.compat.v1{endpoint.removeprefix('tensorflow')}")


@pytest.mark.parametrize(
    "rule", [r for r in rules.all_rules().values() if int(r.id[3:]) in FAMILIES]
)
def test_pages(rule: rules.Rule) -> None:
    module = rule.module.rpartition(".")[2]
    first = rule.doc.split("\n", 1)[0]
    assert module
    assert rule.url.startswith("https://")
    assert len(first) <= 100


def written(text: str) -> str:
    (result,) = texts({"case.py": text.encode()}, Options())
    assert result.status == "changed", result.reason
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('f"{tf.image.resize_area(x, s)}"', "f\"{tf.image.resize(x, s, method='area')}\""),
        ("f'{tf.image.resize_area(x, s)}'", "f'{tf.image.resize(x, s, method=\"area\")}'"),
        ('rf"{tf.image.resize_area(x, s)}"', "rf\"{tf.image.resize(x, s, method='area')}\""),
        (
            'tf.image.resize_area(f"{x}", s)',
            'tf.image.resize(f"{x}", s, method="area")',
        ),
    ],
)
def test_quotes_in_strings(before: str, after: str) -> None:
    assert written(f"import tensorflow as tf\ny = {before}\n") == (
        f"import tensorflow as tf\ny = {after}\n"
    )
