"""tf.contrib.image and tf.contrib.nn."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _image(*shape):
    return np.random.RandomState(sum(shape)).uniform(0, 255, shape)


def transform(tf, shim):
    image = shim.contrib.image
    batch = tf.constant(_image(2, 5, 6, 3).astype(np.float32))
    one = [0.9, -0.2, 0.3, 0.1, 1.1, -0.4, 0.01, 0.02]
    out = {"_inputs": [batch]}
    for kind in ("NEAREST", "bilinear"):
        out[kind] = image.transform(batch, one, kind)
        for dtype in (np.uint8, np.int32, np.int64, np.float16, np.float64):
            fixed = tf.constant(_image(2, 5, 6, 3).astype(dtype))
            out[kind + dtype.__name__] = tf.cast(image.transform(fixed, one, kind), tf.float64)
    each = tf.constant([one, [1.0, 0.1, 0.0, 0.3, 0.8, 1.0, 0.0, 0.0]])
    out["each"] = image.transform(batch, each, "BILINEAR", output_shape=[4, 7])
    out["plane"] = image.transform(batch[0, :, :, 0], one)
    out["single"] = image.transform(batch[0], one, output_shape=tf.constant([3, 3]))
    return out


def rotate_and_translate(tf, shim):
    image = shim.contrib.image
    batch = tf.constant(_image(2, 5, 6, 3).astype(np.float32))
    plane = tf.constant(_image(7, 4).astype(np.uint8))
    unknown = tf.placeholder(tf.float32, [None, None, None, 1])
    return {
        "_inputs": [batch],
        "_feed": {unknown: _image(1, 4, 5, 1)},
        "rotate": image.rotate(batch, 0.5),
        "rotate_each": image.rotate(batch, [0.3, -2.0], "BILINEAR"),
        "rotate_plane": tf.cast(image.rotate(plane, tf.constant(1.0)), tf.int32),
        "rotate_single": image.rotate(batch[0], np.pi / 2, interpolation="BILINEAR"),
        "rotate_unknown": image.rotate(unknown, 1.2),
        "translate": image.translate(batch, [1, 2]),
        "translate_each": image.translate(batch, [[1.5, -0.5], [0.0, 2.2]], "BILINEAR"),
        "translate_plane": tf.cast(image.translate(plane, [-1.0, 1.0]), tf.int32),
    }


def transforms(tf, shim):
    image = shim.contrib.image
    first = image.angles_to_projective_transforms([0.3, -1.0], 10.0, 20.0)
    second = image.translations_to_projective_transforms([[1.0, 2.0], [0.5, -3.0]])
    return {
        "angle": image.angles_to_projective_transforms(0.3, 5.0, 4.0),
        "angles": first,
        "translation": image.translations_to_projective_transforms([1.0, 2.0]),
        "translations": second,
        "composed": image.compose_transforms(first, second),
        "composed_one": image.compose_transforms(first),
        "composed_three": image.compose_transforms(first[0], second[1], second[0]),
        "matrices": image.flat_transforms_to_matrices(first),
        "flat": image.matrices_to_flat_transforms(tf.constant(_data(2, 3, 3) + 2.0)),
    }


def warp(tf, shim):
    image = shim.contrib.image
    batch = tf.constant(_data(2, 6, 7, 3))
    flow = tf.constant(_data(2, 6, 7, 2) * 2.0)
    # The splines' equations are too near to singular for comparisons in float32.
    source = tf.constant(np.random.RandomState(1).uniform(0, 5, (2, 4, 2)))
    dest = source + tf.constant(_data(2, 4, 2) * 0.3, tf.float64)
    points = tf.constant(_data(2, 5, 2), tf.float64)
    values = tf.constant(_data(2, 5, 3), tf.float64)
    queries = tf.constant(_data(2, 8, 2), tf.float64)
    sharp = tf.cast(batch, tf.float64)
    out = {"_inputs": [batch, flow, source, points, values, queries]}
    out["dense"] = image.dense_image_warp(batch, flow)
    out["dense_half"] = image.dense_image_warp(batch, tf.ones_like(flow) * 0.5)
    for order in (1, 2, 3, 4, 6):
        out[f"spline{order}"] = image.interpolate_spline(points, values, queries, order) * 0.1
    out["smooth"] = image.interpolate_spline(points, values, queries, 2, 0.1)
    out["sparse"] = image.sparse_image_warp(sharp, source, dest)
    out["sparse_held"] = image.sparse_image_warp(
        sharp, source, dest, 1, 0.05, num_boundary_points=2, name="warp"
    )
    return out


def components(tf, shim):
    image = shim.contrib.image
    rs = np.random.RandomState(0)
    spiral = np.ones((9, 9), np.int32)
    spiral[1, :8] = spiral[1:8, 7] = spiral[7, 1:8] = spiral[3:8, 1] = spiral[3, 1:6] = 0
    spiral[5, 3:6] = spiral[4, 5] = 0
    return {
        "binary": image.connected_components(tf.constant(rs.uniform(size=(3, 8, 9)) > 0.45)),
        "numbers": image.connected_components(tf.constant(rs.randint(-1, 3, (10, 12)))),
        "floats": image.connected_components(tf.constant(rs.randint(0, 2, (4, 5)) * 0.5)),
        "strings": image.connected_components(tf.constant([["a", "", "b"], ["a", "b", "b"]])),
        "spiral": image.connected_components(tf.constant(spiral)),
        "nothing": image.connected_components(tf.zeros([3, 2])),
        "column": image.connected_components(tf.constant([[1], [1], [0], [2]])),
    }


def matching(tf, shim):
    image = shim.contrib.image
    distances = np.random.RandomState(0).permutation(20).reshape(4, 5).astype(np.float32)
    found = {
        "all": image.bipartite_match(distances, -1.0),
        "some": image.bipartite_match(distances, 3.0),
        "none": image.bipartite_match(distances, 0.0),
        "top": image.bipartite_match(distances, 4.0, top_k=2),
        "high": image.bipartite_match(distances.T, -1.0),
        "fed": image.bipartite_match(tf.constant(distances), tf.constant(2.0), name="match"),
    }
    out = {}
    for key, match in found.items():
        out[key + "_rows"] = match.row_to_col_match_indices
        out[key + "_columns"] = match.col_to_row_match_indices
    return out


def alpha_dropout(tf, shim):
    nn = shim.contrib.nn
    x = tf.constant(_data(4, 6))
    return {
        "_inputs": [x],
        "half": nn.alpha_dropout(x, 0.5, seed=3),
        "tensor": nn.alpha_dropout(x, tf.constant(0.8), noise_shape=[4, 1], seed=4),
        "all": nn.alpha_dropout(x, 1.0),
    }


def softplus(tf, shim):
    nn = shim.contrib.nn
    x = tf.constant(_data(4, 6) * 4.0)
    alpha = tf.constant([0.5, 1.0, 2.0, 3.0, 0.1, 1.5])
    clip = tf.constant(2.0)
    return {
        "_inputs": [x, alpha, clip],
        "plain": nn.scaled_softplus(x, 0.7),
        "each": nn.scaled_softplus(x, alpha),
        "clipped": nn.scaled_softplus(x, alpha, clip),
        "double": nn.scaled_softplus(tf.cast(x, tf.float64), 2.0, 1.0, name="scope"),
    }


def flipped(tf, shim):
    nn = shim.contrib.nn
    logits = tf.constant(_data(4, 3))
    chances = tf.nn.softmax(tf.constant(_data(3, 4).T))
    return {
        "_inputs": [logits],
        "softmax": nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, chances),
        "sparse": nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
            logits, [0, 2, 1, 1]
        ),
        "sigmoid": nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, chances),
        "third": nn.nth_element(logits, 2),
        "largest": nn.nth_element(logits, 0, reverse=True),
        "transposed": nn.conv1d_transpose(
            tf.constant(_data(2, 4, 3)), tf.constant(_data(3, 5, 3)), [2, 8, 5], 2
        ),
    }


def sampled_softmax(tf, shim):
    nn = shim.contrib.nn
    weights = tf.constant(_data(12, 5))
    biases = tf.constant(_data(12))
    inputs = tf.constant(_data(4, 5))
    labels = tf.constant([[1], [3], [5], [11]], tf.int64)
    both = tf.constant([[1, 2], [3, 4], [5, 0], [11, 7]], tf.int64)
    fixed = tf.nn.log_uniform_candidate_sampler(labels, 1, 6, True, 12, seed=5)
    two = tf.nn.log_uniform_candidate_sampler(both, 2, 7, True, 12, seed=6)
    return {
        "_inputs": [weights, biases, inputs],
        "sparse": nn.sampled_sparse_softmax_loss(weights, biases, labels, inputs, 6, 12, fixed),
        "sparse_hits": nn.sampled_sparse_softmax_loss(
            weights, biases, labels, inputs, 6, 12, fixed, remove_accidental_hits=False
        ),
        "sparse_drawn": nn.sampled_sparse_softmax_loss(weights, biases, labels, inputs, 6, 12),
        "sparse_parts": nn.sampled_sparse_softmax_loss(
            [weights[:6], weights[6:]],
            [biases[:6], biases[6:]],
            labels,
            inputs,
            6,
            12,
            fixed,
            partition_strategy="div",
        ),
        "rank": nn.rank_sampled_softmax_loss(
            weights, biases, labels, inputs, 6, 3, 12, 1, fixed, 0.7, True, "div"
        ),
        "rank_two": nn.rank_sampled_softmax_loss(
            weights, biases, both, inputs, 7, 4, 12, 2, two, tf.constant(1.3), False, "mod"
        ),
    }
