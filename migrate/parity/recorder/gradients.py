# -*- coding: utf-8 -*-
"""``tf.gradients``, under whatever name this TensorFlow builds it."""

from __future__ import absolute_import, division, print_function

from .functions import unconverted


def observe_gradients(recorder, tf, graphs, eager):
    """Observe ``tf.gradients``, under whatever name this TensorFlow builds it."""
    from tensorflow.python.framework import ops

    local = recorder.local

    def observe(plain):
        def helper(ys, xs, *args, **kwargs):
            local.depth += 1
            try:
                result = plain(ys, xs, *args, **kwargs)
            finally:
                local.depth -= 1
            if local.depth or local.busy:
                return result
            losses = ys if isinstance(ys, (list, tuple)) else [ys]
            sources = xs if isinstance(xs, (list, tuple)) else [xs]
            graph = ops.get_default_graph()
            if not getattr(graph, "building_function", False):
                graphs.on_gradients(graph, list(losses), list(sources), list(result))
            elif eager is not None and eager.current is not None:
                eager.on_gradient(list(losses), list(sources), list(result))
            return result

        return unconverted(tf, helper)

    for name in ("gradients_util", "gradients_impl"):
        try:
            module = __import__("tensorflow.python.ops." + name, fromlist=["x"])
        except ImportError:
            continue
        if hasattr(module, "_GradientsHelper"):
            module._GradientsHelper = observe(module._GradientsHelper)
            return
    from tensorflow.python.ops import gradients, gradients_impl

    replacement = observe(gradients_impl.gradients)
    gradients_impl.gradients = replacement
    gradients.gradients = replacement
    tf.gradients = replacement
