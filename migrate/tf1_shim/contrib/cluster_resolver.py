"""``tf.contrib.cluster_resolver``, which became ``tf.distribute.cluster_resolver``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "ClusterResolver",
    "GCEClusterResolver",
    "KubernetesClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionClusterResolver",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.cluster_resolver")

ClusterResolver = tf.distribute.cluster_resolver.ClusterResolver
GCEClusterResolver = tf.distribute.cluster_resolver.GCEClusterResolver
KubernetesClusterResolver = tf.distribute.cluster_resolver.KubernetesClusterResolver
SimpleClusterResolver = tf.distribute.cluster_resolver.SimpleClusterResolver
SlurmClusterResolver = tf.distribute.cluster_resolver.SlurmClusterResolver
TFConfigClusterResolver = tf.distribute.cluster_resolver.TFConfigClusterResolver
TPUClusterResolver = tf.distribute.cluster_resolver.TPUClusterResolver
UnionClusterResolver = tf.distribute.cluster_resolver.UnionResolver
