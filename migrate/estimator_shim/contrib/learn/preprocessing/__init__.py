"""``tf.contrib.learn.preprocessing``: words and categories as numbers."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "TOKENIZER_RE",
    "ByteProcessor",
    "CategoricalProcessor",
    "CategoricalVocabulary",
    "VocabularyProcessor",
    "tokenizer",
]

__getattr__ = _lazy.names(
    __name__,
    {
        "ByteProcessor": f"{__name__}.text",
        "CategoricalProcessor": f"{__name__}.categorical",
        "CategoricalVocabulary": f"{__name__}.categorical_vocabulary",
        "TOKENIZER_RE": f"{__name__}.text",
        "VocabularyProcessor": f"{__name__}.text",
        "tokenizer": f"{__name__}.text",
        "categorical": "",
        "categorical_vocabulary": "",
        "text": "",
    },
    "tf.contrib.learn.preprocessing",
)


def __dir__() -> list[str]:
    return sorted(__all__)
