"""What to write instead of an operation that XLA, and so a TPU, has no kernel for."""

from __future__ import annotations

from migrate.parity.devices.xla_kernels import STRINGS

HOST = "Move it out of the step, into the input pipeline on the host"
REWRITES = {
    "PyFunc": HOST + ", or write it with TensorFlow's operations.",
    "PyFuncStateless": HOST + ", or write it with TensorFlow's operations.",
    "EagerPyFunc": HOST + ", or write it with TensorFlow's operations.",
    "PrintV2": "Return the value from the step and print it outside.",
    "Print": "Return the value from the step and print it outside.",
    "StringFormat": "Return the value from the step and print it outside.",
    "Assert": "Check the value outside of the step.",
    "SegmentSum": "Use tf.math.unsorted_segment_sum with a fixed num_segments.",
    "SegmentMean": "Use tf.math.unsorted_segment_mean with a fixed num_segments.",
    "SegmentMax": "Use tf.math.unsorted_segment_max with a fixed num_segments.",
    "SegmentMin": "Use tf.math.unsorted_segment_min with a fixed num_segments.",
    "SegmentProd": "Use tf.math.unsorted_segment_prod with a fixed num_segments.",
    "SparseSegmentSum": "Gather the rows and use tf.math.unsorted_segment_sum.",
    "SparseSegmentMean": "Gather the rows and use tf.math.unsorted_segment_mean.",
    "SparseSegmentSqrtN": "Gather the rows and use tf.math.unsorted_segment_sqrt_n.",
    "MaxPoolWithArgmax": "Use tf.nn.max_pool; find positions, where they are needed, by tf.argmax "
    "over extracted patches.",
    "CTCLoss": "Use tf.nn.ctc_loss with dense labels and logit_length.",
    "SparseTensorDenseMatMul": "Use a dense matrix, or tf.gather and tf.math.unsorted_segment_sum.",
    "SparseTensorDenseAdd": "Use a dense tensor, by tf.sparse.to_dense outside of the step.",
    "SparseToDense": "Use tf.one_hot or tf.scatter_nd with a fixed shape.",
    "Where": "Use a mask (tf.where with three arguments): its shape does not depend on values.",
    "Unique": HOST + ": the shape of its result depends on values.",
    "UniqueV2": HOST + ": the shape of its result depends on values.",
    "ListDiff": HOST + ": the shape of its result depends on values.",
    "HashTableV2": HOST + ": look words up in tf.data.",
    "LookupTableFindV2": HOST + ": look words up in tf.data.",
    "NonMaxSuppressionV3": "Use tf.image.combined_non_max_suppression outside, or "
    "NonMaxSuppressionV4 with pad_to_max_output_size.",
    "IteratorGetNext": "Take the batch outside and give it to the step as an argument.",
    "Multinomial": "Draw by tf.random.stateless_categorical.",
    "DynamicPartition": "Use a mask: the shape of its results depends on values.",
    "Bincount": "Use tf.math.unsorted_segment_sum over ones.",
    "ResourceScatterNdSub": "Use tf.tensor_scatter_nd_sub and assign the result.",
    "RaggedTensorToTensor": HOST + ": pad the batch there.",
    "ResourceGatherNd": "Read the variable first: "
    "tf.gather_nd(tf.convert_to_tensor(variable), indices).",
    "ResizeArea": 'Use tf.image.resize by "bilinear", or resize in the input pipeline.',
    "ResizeBicubic": 'Use tf.image.resize by "bilinear", or resize in the input pipeline.',
    "DenseToDenseSetOperation": "It checks shapes: with static shapes that is done while tracing.",
}
KINDS = (
    (("ResourceSparseApply", "SparseApply"),
     "Make the gradient dense (tf.convert_to_tensor) before it is applied, or use SGD or Adam."),
    (("Queue", "Reader", "Iterator", "Dataset"), "Take the batch outside; give it to the step."),
    (("String", "Regex", "AsString", "Decode", "Encode", "Parse", "Substr", "StaticRegex"),
     HOST + ": XLA has no strings."),
    (("WriteScalarSummary", "WriteSummary", "WriteHistogram", "ScalarSummary", "HistogramSummary",
      "MergeSummary", "ImageSummary", "WriteImageSummary", "SummaryWriter"),
     "Return the values from the step and write the summary outside."),
    (("LookupTable", "HashTable", "MutableHash", "InitializeTable"),
     HOST + ": look words up in tf.data."),
    (("Save", "Restore", "MergeV2", "ReadFile", "WriteFile", "MatchingFiles"),
     "Read and write files outside of the step."),
    (("SdcaOptimizer", "BoostedTrees"), "This trainer exists on CPUs only."),
    (("Sparse",), "Use dense tensors inside of the step."),
    (("Ragged",), HOST + ": pad the batch there."),
    (("CandidateSampler",), "Draw the classes on the host and give them to the step."),
)  # fmt: skip
ERRORS = (
    ("T=DT_STRING", HOST + ": XLA has no strings."),
    ("fixed tensor list size", "Give the loop a fixed length: a static sequence length, or "
     "maximum_iterations."),
    ("maximum_iterations", "Give tf.while_loop a fixed maximum_iterations."),
    ("must be a compile-time constant", "Make that argument a number that is known when the step "
     "is traced."),
    ("dynamic", "Make the shape independent of values: pad to a fixed size and use a mask."),
    ("resource that is no variable", "Tables, queues and iterators have to stay outside of the "
     "step."),
)  # fmt: skip


def of_a_shape(error: str) -> bool:
    """Whether XLA has the kernels, but a shape or a length is not known when it compiles."""
    return "fixed tensor list size" in error or "must be a compile-time constant" in error


def rewrite(op: str) -> str:
    """What would lift the obstacle, in one sentence."""
    if op.endswith(STRINGS):
        return HOST + ": XLA has no strings."
    if op in REWRITES:
        return REWRITES[op]
    for prefixes, text in KINDS:
        if any(part in op for part in prefixes):
            return text
    return HOST + ", or write it with operations that XLA has."


def advice(error: str) -> str:
    """What would lift an obstacle that is no missing kernel."""
    return next((text for part, text in ERRORS if part in error), "")
