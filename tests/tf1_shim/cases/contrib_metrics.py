"""tf.contrib.metrics: each metric over three batches, its update and its value after each."""

# ruff: noqa: B905 - also runs in Python 3.7

import numpy as np


def _scores(step, shape=(8,)):
    return np.random.RandomState(step).uniform(0.02, 0.98, shape).astype(np.float32)


def _labels(step, shape=(8,), top=2):
    values = np.random.RandomState(100 + step).randint(0, top, shape).astype(np.int64)
    values.flat[0] = 0
    values.flat[-1] = top - 1
    return values


def _weights(step, shape=(8,)):
    return np.random.RandomState(200 + step).choice([0.0, 0.5, 1.0, 2.0], shape).astype(np.float32)


def _stream(tf, build, batches, before=False):
    """Feed batches to a metric: facts and arrays."""
    out, facts = [], {}
    with tf.Graph().as_default():
        fed = [tf.placeholder(v.dtype, v.shape) for v in batches[0]]
        value, update = build(*fed)
        local = tf.local_variables()
        facts["variables"] = [[v.name, v.dtype.base_dtype.name] for v in local]
        facts["metric_variables"] = sorted(v.name for v in tf.get_collection("metric_variables"))
        facts["collected"] = [len(tf.get_collection("mine")), len(tf.get_collection("yours"))]
        facts["dtype"] = [t.dtype.base_dtype.name for t in tf.nest.flatten(value)]
        facts["global"] = len(tf.global_variables())
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            if before:
                out.append(sess.run(value))
            for batch in batches:
                feed = dict(zip(fed, batch))
                updated = sess.run(update, feed)
                out += [[] if updated is None else updated, sess.run(value, feed)]
            out.append(sess.run(local))
    parts = [np.asarray(part) for part in tf.nest.flatten(out)]
    facts["shapes"] = [list(part.shape) for part in parts]
    # One array for each metric: what came out of each step, one after the other.
    return facts, np.concatenate([part.ravel().astype(np.float64) for part in parts])


def _all(tf, named, batches, before=False):
    result = {}
    for name, build in named.items():
        facts, result[name] = _stream(tf, build, batches, before)
        result[name + ":facts"] = str(facts)
    return result


IN = {"metrics_collections": ["mine"], "updates_collections": ["yours"]}


def values_and_means(tf, shim):
    m = shim.contrib.metrics
    batches = [(_scores(i, (4, 3)), _weights(i, (4, 3))) for i in range(3)]
    named = {
        "mean": lambda v, w: m.streaming_mean(v, **IN),
        "mean_weighted": lambda v, w: m.streaming_mean(v, w, name="scope"),
        "mean_tensor": lambda v, w: m.streaming_mean_tensor(v, w, **IN),
        "less": lambda v, w: m.streaming_percentage_less(v, 0.5, w, **IN),
        "count": lambda v, w: m.count(v, **IN),
        "count_weighted": lambda v, w: m.count(v, w),
        "count_scalar": lambda v, w: m.count(v, 0.5, name="n"),
        "count_squeezed": lambda v, w: m.count(v, w[..., None]),
        "concat": lambda v, w: m.streaming_concat(v, **IN),
        "concat_axis": lambda v, w: m.streaming_concat(v, axis=-1),
        "concat_most": lambda v, w: m.streaming_concat(v, max_size=7, name="scope"),
    }
    return _all(tf, named, batches, before=True)


def binary(tf, shim):
    m = shim.contrib.metrics
    batches = [(_labels(i + 50), _labels(i), _weights(i)) for i in range(3)]
    named = {
        "accuracy": lambda p, y, w: m.streaming_accuracy(p, y, **IN),
        "accuracy_weighted": lambda p, y, w: m.streaming_accuracy(p, y, w, name="scope"),
        "precision": lambda p, y, w: m.streaming_precision(p, y, w, **IN),
        "recall": lambda p, y, w: m.streaming_recall(p, y, w, **IN),
        "tp": lambda p, y, w: m.streaming_true_positives(p, y, w, **IN),
        "tn": lambda p, y, w: m.streaming_true_negatives(p, y, w, **IN),
        "fp": lambda p, y, w: m.streaming_false_positives(p, y, w, **IN),
        "fn": lambda p, y, w: m.streaming_false_negatives(p, y, w, **IN),
        "fpr": lambda p, y, w: m.streaming_false_positive_rate(p, y, **IN),
        "fpr_weighted": lambda p, y, w: m.streaming_false_positive_rate(p, y, w),
        "fnr": lambda p, y, w: m.streaming_false_negative_rate(p, y, **IN),
        "fnr_weighted": lambda p, y, w: m.streaming_false_negative_rate(p, y, w, name="s"),
        "squeezed": lambda p, y, w: m.streaming_false_negative_rate(p[:, None], y, w[:, None]),
    }
    return _all(tf, named, batches, before=True)


def at_thresholds(tf, shim):
    m = shim.contrib.metrics
    batches = [(_scores(i), _labels(i), _weights(i)) for i in range(3)]
    cuts = [0.1, 0.5, 0.7]
    named = {
        "tp": lambda p, y, w: m.streaming_true_positives_at_thresholds(p, y, cuts),
        "tp_weighted": lambda p, y, w: m.streaming_true_positives_at_thresholds(p, y, cuts, w),
        "tn": lambda p, y, w: m.streaming_true_negatives_at_thresholds(p, y, cuts, w),
        "fp": lambda p, y, w: m.streaming_false_positives_at_thresholds(p, y, cuts, w),
        "fn": lambda p, y, w: m.streaming_false_negatives_at_thresholds(p, y, cuts, 0.5),
        "precision": lambda p, y, w: m.streaming_precision_at_thresholds(p, y, cuts, w, **IN),
        "recall": lambda p, y, w: m.streaming_recall_at_thresholds(p, y, cuts, w, **IN),
        "fpr": lambda p, y, w: m.streaming_false_positive_rate_at_thresholds(p, y, cuts, **IN),
        "fpr_weighted": lambda p, y, w: m.streaming_false_positive_rate_at_thresholds(
            p, y, cuts, w, name="scope"
        ),
        "fnr": lambda p, y, w: m.streaming_false_negative_rate_at_thresholds(p, y, cuts, w, **IN),
        "sensitivity": lambda p, y, w: m.streaming_sensitivity_at_specificity(p, y, 0.6, w, 50),
        "specificity": lambda p, y, w: m.streaming_specificity_at_sensitivity(p, y, 0.6, w, 50),
        "points": lambda p, y, w: m.streaming_curve_points(y, p, num_thresholds=12, **IN),
        "points_pr": lambda p, y, w: m.streaming_curve_points(y, p, w, 9, curve="PR"),
    }
    return _all(tf, named, batches, before=True)


def best_of_thresholds(tf, shim):
    m = shim.contrib.metrics
    batches = [(_scores(i), _labels(i), _weights(i)) for i in range(3)]
    named = {
        "f1": lambda p, y, w: m.f1_score(y, p, **IN),
        "f1_weighted": lambda p, y, w: m.f1_score(y, p, w, 20, name="scope"),
        "recall": lambda p, y, w: m.recall_at_precision(y, p, 0.6, **IN),
        "recall_strict": lambda p, y, w: m.recall_at_precision(y, p, 0.6, w, 30, strict_mode=True),
        "recall_none": lambda p, y, w: m.recall_at_precision(y, p, 1.0, w, 30, strict_mode=True),
        "precision": lambda p, y, w: m.precision_at_recall(y, p, 0.7, **IN),
        "precision_weighted": lambda p, y, w: m.precision_at_recall(y, p, 0.4, w, 25, name="s"),
        "equal": lambda p, y, w: m.precision_recall_at_equal_thresholds(
            tf.cast(y, tf.bool), p, num_thresholds=11
        ),
        "equal_weighted": lambda p, y, w: m.precision_recall_at_equal_thresholds(
            tf.cast(y, tf.bool), p, w, 7, False, name="scope"
        ),
    }
    return _all(tf, named, batches, before=True)


def areas(tf, shim):
    m = shim.contrib.metrics
    batches = [(np.round(_scores(i), 1), _labels(i), _weights(i) + 0.5) for i in range(3)]
    named = {
        "auc": lambda p, y, w: m.streaming_auc(p, y, **IN),
        "auc_pr": lambda p, y, w: m.streaming_auc(p, y, w, 50, curve="PR", name="scope"),
        "dynamic": lambda p, y, w: m.streaming_dynamic_auc(y, p, **IN),
        "dynamic_weighted": lambda p, y, w: m.streaming_dynamic_auc(y, p, "ROC", weights=w),
        "dynamic_pr": lambda p, y, w: m.streaming_dynamic_auc(y, p, "PR", weights=w, name="s"),
        "interval": lambda p, y, w: m.auc_with_confidence_intervals(
            y, p, updates_collections=["yours"]
        ),
        "interval_plain": lambda p, y, w: m.auc_with_confidence_intervals(
            y, p, w, alpha=0.8, logit_transformation=False, name="scope"
        ),
    }
    out = _all(tf, named, batches)
    histogram = {
        "histogram": lambda p, y, w: m.auc_using_histogram(tf.cast(y, tf.bool), p, [0.0, 1.0]),
        "histogram_small": lambda p, y, w: m.auc_using_histogram(
            tf.cast(y, tf.bool), p, [0.2, 0.7], 5, ["local_variables"], False, "scope"
        ),
    }
    out.update(_all(tf, histogram, batches))
    return out


def regression(tf, shim):
    m = shim.contrib.metrics
    batches = [(_scores(i, (6, 2)), _scores(i + 30, (6, 2)), _weights(i, (6, 2))) for i in range(3)]
    named = {
        "absolute": lambda p, y, w: m.streaming_mean_absolute_error(p, y, w, **IN),
        "squared": lambda p, y, w: m.streaming_mean_squared_error(p, y, w, **IN),
        "root": lambda p, y, w: m.streaming_root_mean_squared_error(p, y, **IN),
        "relative": lambda p, y, w: m.streaming_mean_relative_error(p, y, y, w, **IN),
        "covariance": lambda p, y, w: m.streaming_covariance(p, y, **IN),
        "covariance_weighted": lambda p, y, w: m.streaming_covariance(p, y, w, name="scope"),
        "pearson": lambda p, y, w: m.streaming_pearson_correlation(p, y, **IN),
        "pearson_weighted": lambda p, y, w: m.streaming_pearson_correlation(p, y, w[:, :1]),
        "cosine": lambda p, y, w: m.streaming_mean_cosine_distance(p, y, 1, **IN),
        "cosine_weighted": lambda p, y, w: m.streaming_mean_cosine_distance(
            p, y, 1, w[:, :1], name="scope"
        ),
    }
    return _all(tf, named, batches)


def classes(tf, shim):
    m = shim.contrib.metrics
    batches = [(_labels(i + 50, top=3), _labels(i, top=3), _weights(i)) for i in range(3)]
    named = {
        "iou": lambda p, y, w: m.streaming_mean_iou(p, y, 3, w, **IN),
        "kappa": lambda p, y, w: m.cohen_kappa(y, p, 3, **IN),
        "kappa_weighted": lambda p, y, w: m.cohen_kappa(y[:, None], p, 3, w, name="scope"),
        "kappa_whole": lambda p, y, w: m.cohen_kappa(y, p, 3, tf.cast(w, tf.int64)),
    }
    return _all(tf, named, batches)


def ranked(tf, shim):
    m = shim.contrib.metrics
    batches = [(_scores(i, (5, 6)), _labels(i, (5, 2), 6), _weights(i, (5,))) for i in range(3)]

    def top(p):
        return tf.nn.top_k(p, 3).indices

    named = {
        "recall": lambda p, y, w: m.streaming_recall_at_k(p, y[:, 0], 2, w, **IN),
        "sparse_recall": lambda p, y, w: m.streaming_sparse_recall_at_k(p, y, 2, weights=w, **IN),
        "sparse_recall_class": lambda p, y, w: m.streaming_sparse_recall_at_k(p, y, 2, 1),
        "sparse_precision": lambda p, y, w: m.streaming_sparse_precision_at_k(p, y, 3, weights=w),
        "sparse_precision_class": lambda p, y, w: m.streaming_sparse_precision_at_k(p, y, 3, 0, w),
        "average": lambda p, y, w: m.streaming_sparse_average_precision_at_k(p, y, 3, w, **IN),
        "top_precision": lambda p, y, w: m.streaming_sparse_precision_at_top_k(top(p), y, **IN),
        "top_precision_class": lambda p, y, w: m.streaming_sparse_precision_at_top_k(
            top(p), y, 5, w, name="scope"
        ),
        "top_recall": lambda p, y, w: m.sparse_recall_at_top_k(y, top(p), **IN),
        "top_recall_class": lambda p, y, w: m.sparse_recall_at_top_k(y, top(p), 0, w),
        "top_average": lambda p, y, w: m.streaming_sparse_average_precision_at_top_k(
            top(p), y, **IN
        ),
        "top_average_weighted": lambda p, y, w: m.streaming_sparse_average_precision_at_top_k(
            top(p), y, w, name="scope"
        ),
        "top_average_one": lambda p, y, w: m.streaming_sparse_average_precision_at_top_k(
            top(p), y[:, 0]
        ),
        "top_average_sparse": lambda p, y, w: m.streaming_sparse_average_precision_at_top_k(
            top(p), _sparse(tf, y), w
        ),
    }
    return _all(tf, named, batches)


def _sparse(tf, labels):
    """The distinct labels of each row, in order, as a SparseTensor."""
    lowest = tf.reduce_min(labels, 1)
    highest = tf.reduce_max(labels, 1)
    several = tf.where(tf.not_equal(lowest, highest))[:, 0]
    rows = tf.range(5, dtype=tf.int64)
    first = tf.stack([rows, tf.zeros_like(rows)], 1)
    second = tf.stack([several, tf.ones_like(several)], 1)
    values = tf.concat([lowest, tf.gather(highest, several)], 0)
    return tf.sparse_reorder(tf.SparseTensor(tf.concat([first, second], 0), values, [5, 2]))


def plain(tf, shim):
    m = shim.contrib.metrics
    predictions = tf.constant([0, 2, 1, 1])
    labels = tf.constant([0, 1, 1, 2])
    left = tf.constant([[1, 2, 3], [4, 5, 6]], tf.int64)
    right = tf.constant([[2, 3, 9], [6, 4, 4]], tf.int64)
    values, updates = m.aggregate_metric_map(
        {"a": m.streaming_mean(labels), "b": m.streaming_accuracy(predictions, labels)}
    )
    listed = m.aggregate_metrics(m.streaming_mean(labels), m.count(labels))
    return {
        "accuracy": m.accuracy(predictions, labels),
        "accuracy_weighted": m.accuracy(predictions, labels, tf.constant([1.0, 0.0, 2.0, 0.5])),
        "confusion": m.confusion_matrix(labels, predictions),
        "confusion_weighted": m.confusion_matrix(
            labels, predictions, 4, tf.float32, "c", tf.constant([1.0, 0.0, 2.0, 0.5])
        ),
        "intersection": m.set_intersection(left, right).values,
        "union": tf.sparse_tensor_to_dense(m.set_union(left, right)),
        "difference": m.set_difference(left, right, aminusb=False).values,
        "size": m.set_size(m.set_intersection(left, right)),
        "keys": [sorted(values), sorted(updates)],
        "listed": [len(part) for part in listed],
    }
