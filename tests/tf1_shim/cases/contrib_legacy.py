"""tf.contrib.legacy_seq2seq and tf.contrib.crf."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _ids(tf, count, seed):
    random = np.random.RandomState(seed)
    return [tf.constant(random.randint(0, 7, 3).astype(np.int32)) for _ in range(count)]


def rnn_decoder(tf, shim):
    inputs = [tf.constant(_data(3, 4)) for _ in range(3)]
    cell = shim.contrib.rnn.GRUCell(4)
    outs, state = shim.contrib.legacy_seq2seq.rnn_decoder(
        inputs, cell.zero_state(3, tf.float32), cell, loop_function=lambda out, i: out * 0.5
    )
    return {"outs": outs, "state": state}


def basic_and_tied(tf, shim):
    inputs = [tf.constant(_data(3, 4) * i) for i in range(3)]
    legacy = shim.contrib.legacy_seq2seq
    a, state = legacy.basic_rnn_seq2seq(inputs, inputs[:2], shim.contrib.rnn.GRUCell(4))
    b, other = legacy.tied_rnn_seq2seq(inputs, inputs[:2], shim.contrib.rnn.BasicLSTMCell(4))
    return {"a": a, "b": b, "state": state, "other": other}


def embedding_rnn(tf, shim):
    outs, state = shim.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
        _ids(tf, 3, 0), _ids(tf, 2, 1), shim.contrib.rnn.BasicLSTMCell(4), 7, 7, 5
    )
    return {"outs": outs, "state": state}


def embedding_rnn_fed(tf, shim):
    outs, state = shim.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
        _ids(tf, 3, 0), _ids(tf, 3, 1), shim.contrib.rnn.GRUCell(4), 7, 7, 5, feed_previous=True
    )
    return {"outs": outs, "state": state}


def embedding_attention(tf, shim):
    outs, state = shim.contrib.legacy_seq2seq.embedding_attention_seq2seq(
        _ids(tf, 3, 0), _ids(tf, 2, 1), shim.contrib.rnn.GRUCell(4), 7, 7, 5, num_heads=2
    )
    return {"outs": outs, "state": state}


def embedding_attention_switch(tf, shim):
    feed = tf.placeholder(tf.bool, [])
    outs, state = shim.contrib.legacy_seq2seq.embedding_attention_seq2seq(
        _ids(tf, 3, 0),
        _ids(tf, 2, 1),
        shim.contrib.rnn.MultiRNNCell([shim.contrib.rnn.BasicLSTMCell(4) for _ in range(2)]),
        7,
        7,
        5,
        feed_previous=feed,
        initial_state_attention=True,
    )
    return {"outs": outs, "state": state, "_feed": {feed: True}}


def losses(tf, shim):
    logits = [tf.constant(_data(3, 7)), tf.constant(_data(3, 7) * 2)]
    targets, weights = _ids(tf, 2, 3), [tf.constant([1.0, 0.5, 0.0])] * 2
    legacy = shim.contrib.legacy_seq2seq
    return {
        "a": legacy.sequence_loss_by_example(logits, targets, weights),
        "b": legacy.sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps=False
        ),
        "c": legacy.sequence_loss(logits, targets, weights),
        "d": legacy.sequence_loss(logits, targets, weights, average_across_batch=False),
    }


def buckets(tf, shim):
    legacy = shim.contrib.legacy_seq2seq

    def model(encoder, decoder):
        return legacy.embedding_rnn_seq2seq(encoder, decoder, shim.contrib.rnn.GRUCell(4), 7, 7, 5)

    ids = _ids(tf, 4, 0)
    outs, found = legacy.model_with_buckets(
        ids, ids, ids, [tf.ones([3])] * 4, [(2, 2), (4, 3)], model
    )
    return {"outs": outs, "losses": found}


def _crf(tf):
    potentials = tf.get_variable("potentials", [3, 5, 4])
    tags = tf.constant(np.random.RandomState(0).randint(0, 4, (3, 5)).astype(np.int32))
    return potentials, tags, tf.constant([5, 0, 3])


def crf_likelihood(tf, shim):
    potentials, tags, lengths = _crf(tf)
    crf = shim.contrib.crf
    value, transitions = crf.crf_log_likelihood(potentials, tags, lengths)
    return {
        "value": value,
        "unary": crf.crf_unary_score(tags, lengths, potentials),
        "binary": crf.crf_binary_score(tags, lengths, transitions),
        "norm": crf.crf_log_norm(potentials, lengths, transitions),
        "score": crf.crf_sequence_score(potentials, tags, lengths, transitions),
        "multi": crf.crf_multitag_sequence_score(
            potentials, tf.one_hot(tags, 4) > 0, tf.constant([5, 2, 3]), transitions
        ),
    }


def crf_decoding(tf, shim):
    potentials = _crf(tf)[0]
    transitions = tf.get_variable("transitions", [4, 4])
    found, best = shim.contrib.crf.crf_decode(potentials, transitions, tf.constant([5, 1, 3]))
    one, single = shim.contrib.crf.crf_decode(
        potentials[:, :1], transitions, tf.constant([1, 1, 1])
    )
    path, score = shim.contrib.crf.viterbi_decode(_data(5, 4), _data(4, 4))
    return {
        "tags": found,
        "best": best,
        "one": one,
        "single": single,
        "path": [int(p) for p in path],
        "score": np.array(score),
    }


def crf_one_step(tf, shim):
    potentials = tf.get_variable("potentials", [3, 1, 4])
    tags = tf.constant([[1], [2], [3]])
    value, _ = shim.contrib.crf.crf_log_likelihood(potentials, tags, tf.constant([1, 1, 1]))
    return {"value": value}
