"""Constants that have another name (constants have no identity that the dumps could show)."""

from __future__ import annotations

from migrate.symbols.curated.decisions import Decision, Equal

_SAVED_MODEL = {
    "constants": (
        "ASSETS_DIRECTORY", "ASSETS_KEY", "SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT",
        "SAVED_MODEL_SCHEMA_VERSION", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME",
    ),
    "signature_constants": (
        "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES",
        "CLASSIFY_OUTPUT_SCORES", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS",
        "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME",
        "REGRESS_OUTPUTS",
    ),
    "tag_constants": ("GPU", "SERVING", "TPU", "TRAINING"),
}  # fmt: skip

DECISIONS: dict[str, Decision] = {
    "COMPILER_VERSION": Equal("version.COMPILER_VERSION"),
    "CXX11_ABI_FLAG": Equal("sysconfig.CXX11_ABI_FLAG"),
    "GIT_VERSION": Equal("version.GIT_VERSION"),
    "GRAPH_DEF_VERSION": Equal("version.GRAPH_DEF_VERSION"),
    "GRAPH_DEF_VERSION_MIN_CONSUMER": Equal("version.GRAPH_DEF_VERSION_MIN_CONSUMER"),
    "GRAPH_DEF_VERSION_MIN_PRODUCER": Equal("version.GRAPH_DEF_VERSION_MIN_PRODUCER"),
    "MONOLITHIC_BUILD": Equal("sysconfig.MONOLITHIC_BUILD"),
    "QUANTIZED_DTYPES": Equal("dtypes.QUANTIZED_DTYPES"),
    "VERSION": Equal("version.VERSION"),
    "lite.constants.FLOAT": Equal("float32"),
    "lite.constants.FLOAT16": Equal("float16"),
    "lite.constants.INT32": Equal("int32"),
    "lite.constants.INT64": Equal("int64"),
    "lite.constants.INT8": Equal("int8"),
    "lite.constants.QUANTIZED_UINT8": Equal("uint8"),
    "lite.constants.STRING": Equal("string"),
    **{
        f"saved_model.{space}.{name}": Equal("saved_model." + name)
        for space, names in _SAVED_MODEL.items()
        for name in names
    },
}
