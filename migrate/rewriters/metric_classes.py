"""Metrics of TF 1 that Keras hasn't got with the same numbers: classes of the output."""

from __future__ import annotations

import re

AT_K = '''class {kind}AtK({tf}.keras.metrics.Metric):
    """{said}"""

    def __init__(self, k):
        super().__init__()
        self.k = k
        self.hits = self.add_weight(shape=(), initializer="zeros", dtype="float64", name="hits")
        self.all = self.add_weight(shape=(), initializer="zeros", dtype="float64", name="all")

    def update_state(self, labels, predictions):
        top = {tf}.cast({tf}.math.top_k(predictions, self.k).indices, {tf}.int64)
        each = {tf}.concat([{tf}.shape(top)[:-1], [-1]], 0)  # the labels of an example
        labels = {tf}.reshape({tf}.cast(labels, {tf}.int64), each)
        hit = {tf}.reduce_any({tf}.equal(top[..., None], labels[..., None, :]), -1)
        self.hits.assign_add({tf}.reduce_sum({tf}.cast(hit, {tf}.float64)))
{counted}

    def result(self):
        return self.hits.value / self.all.value
'''
# Those that Keras hasn't got: classes of the output.
OWN = {
    "PrecisionAtK": (
        AT_K.replace("{kind}", "Precision")
        .replace("{said}", "How many of the `k` classes that score highest are labels.")
        .replace(
            "{counted}", "        self.all.assign_add({tf}.cast({tf}.size(top), {tf}.float64))"
        )
    ),
    "RecallAtK": (
        AT_K.replace("{kind}", "Recall")
        .replace("{said}", "How many of the labels are among the `k` classes that score highest.")
        .replace(
            "{counted}",
            """\
        same = {tf}.cast({tf}.equal(labels[..., None], labels[..., None, :]), {tf}.int32)
        before = {tf}.linalg.band_part(same, -1, 0) - {tf}.linalg.band_part(same, 0, 0)
        first = {tf}.equal({tf}.reduce_sum(before, -1), 0)  # a label counts once
        self.all.assign_add({tf}.reduce_sum({tf}.cast(first, {tf}.float64)))""",
        )
    ),
    "MeanPerClassAccuracy": '''class MeanPerClassAccuracy({tf}.keras.metrics.Metric):
    """The mean of all classes' accuracies: a class without examples counts as 0."""

    def __init__(self, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.right = self.add_weight(shape=[num_classes], initializer="zeros", name="right")
        self.total = self.add_weight(shape=[num_classes], initializer="zeros", name="total")

    def update_state(self, labels, predictions):
        labels = {tf}.reshape({tf}.cast(labels, {tf}.int64), [-1])
        right = {tf}.equal({tf}.reshape({tf}.cast(predictions, {tf}.int64), [-1]), labels)
        classes = {tf}.one_hot(labels, self.num_classes)
        self.total.assign_add({tf}.reduce_sum(classes, 0))
        self.right.assign_add({tf}.reduce_sum(classes * {tf}.cast(right, {tf}.float32)[:, None], 0))

    def result(self):
        return {tf}.reduce_mean({tf}.math.divide_no_nan(self.right.value, self.total.value))
''',
}
AREA = '''class PrecisionRecallArea({tf}.keras.metrics.AUC):
    """The area under precision and recall, of trapezoids as TF 1 adds them up."""

    def result(self):
        right = self.true_positives + 1e-6
        precision = right / (right + self.false_positives)
        recall = right / (right + self.false_negatives)
        heights = (precision[:-1] + precision[1:]) / 2
        return {tf}.reduce_sum((recall[:-1] - recall[1:]) * heights)
'''
COUNTED = '''
    def counted(self, labels, predictions):
        """Take a batch in: the accuracy of each class."""
        self.update_state(labels, predictions)
        return {tf}.math.divide_no_nan(self.right.value, self.total.value)
'''
# Those of a session, whose update is a tensor as well; tf_keras' variables have no `value`.
VALUE, TENSOR = re.compile(r"self\.(\w+)\.value"), r"{tf}.convert_to_tensor(self.\1)"
SESSIONS = {
    **{name: VALUE.sub(TENSOR, source) for name, source in OWN.items()},
    "MeanPerClassAccuracy": VALUE.sub(TENSOR, OWN["MeanPerClassAccuracy"] + COUNTED),
    "PrecisionRecallArea": AREA,
    "MeanIoU": '''class MeanIoU({tf}.keras.metrics.Metric):
    """The mean of the intersections over unions of all classes that there are."""

    def __init__(self, num_classes):
        super().__init__()
        shape = [num_classes, num_classes]
        self.matrix = self.add_weight(
            shape=shape, initializer="zeros", dtype="float64", name="matrix")

    def update_state(self, labels, predictions, sample_weight=None):
        labels, predictions = {tf}.reshape(labels, [-1]), {tf}.reshape(predictions, [-1])
        self.matrix.assign_add({tf}.math.confusion_matrix(
            labels, predictions, self.matrix.shape[0], sample_weight, {tf}.float64))

    def counted(self, labels, predictions, sample_weight=None):
        """Take a batch in: how many there are of each class as each class."""
        self.update_state(labels, predictions, sample_weight)
        return {tf}.convert_to_tensor(self.matrix)

    def result(self):
        matrix = {tf}.cast({tf}.convert_to_tensor(self.matrix), {tf}.float32)
        both = {tf}.linalg.diag_part(matrix)
        either = {tf}.reduce_sum(matrix, 0) + {tf}.reduce_sum(matrix, 1) - both
        there = {tf}.math.count_nonzero(either, dtype={tf}.float32)
        total = {tf}.reduce_sum({tf}.math.divide_no_nan(both, either))
        return {tf}.math.divide_no_nan(total, there)
''',
    "SensitivityAtSpecificity": '''class SensitivityAtSpecificity({tf}.keras.metrics.AUC):
    """The sensitivity at the threshold whose specificity comes closest to what is asked for."""

    def __init__(self, specificity, num_thresholds=200):
        super().__init__(num_thresholds)
        self.specificity = specificity

    def result(self):
        negatives = self.true_negatives + self.false_positives
        specificities = self.true_negatives / (negatives + 1e-7)
        place = {tf}.argmin({tf}.abs(specificities - self.specificity))
        right, missed = (
            {tf}.convert_to_tensor(x)[place] for x in (self.true_positives, self.false_negatives))
        return right / (right + missed + 1e-7)
''',
}
# Weights of TF 1's metrics: one number, or of the values' rank, or one less or more.
SPREAD = '''def spread(weights, values):
    """Weights of all values in a row, as TensorFlow 1's metrics had them."""
    weights = {tf}.cast(weights, {tf}.float32)
    ones = {tf}.ones([{tf}.maximum({tf}.rank(values) - {tf}.rank(weights), 0)], {tf}.int32)
    sizes = {tf}.concat([{tf}.shape(weights)[:{tf}.rank(values)], ones], 0)
    return {tf}.reshape({tf}.broadcast_to({tf}.reshape(weights, sizes), {tf}.shape(values)), [-1])
'''
