"""``tensorflow.contrib.framework.python.ops.audio_ops``: WAV files, spectrograms, cepstra."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["audio_spectrogram", "decode_wav", "encode_wav", "mfcc"]

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.contrib.framework.python.ops.audio_ops")

decode_wav = tf.audio.decode_wav
encode_wav = tf.audio.encode_wav


def audio_spectrogram(
    input: Any,
    window_size: int,
    stride: int,
    magnitude_squared: bool = False,
    name: str | None = None,
) -> Any:
    """The spectrogram of sound: what frequencies it has, window by window.

    Args:
      input: (samples, channels), float32.
      window_size: The samples of a window.
      stride: The samples from one window to the next.
      magnitude_squared: Whether to give the square of the magnitudes.
      name: The operation's name.

    Returns:
      (channels, windows, frequencies), float32.
    """
    return tf.raw_ops.AudioSpectrogram(
        input=input,
        window_size=window_size,
        stride=stride,
        magnitude_squared=magnitude_squared,
        name=name,
    )


def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Any:
    """The mel-frequency cepstral coefficients of a spectrogram.

    Args:
      spectrogram: (channels, windows, frequencies), of squared magnitudes.
      sample_rate: Samples per second of the sound, a scalar int32.
      upper_frequency_limit: The highest frequency that counts, in Hertz.
      lower_frequency_limit: The lowest.
      filterbank_channel_count: The mel filters.
      dct_coefficient_count: The coefficients of a window.
      name: The operation's name.

    Returns:
      (channels, windows, dct_coefficient_count), float32.
    """
    return tf.raw_ops.Mfcc(
        spectrogram=spectrogram,
        sample_rate=sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )
