"""CRC-32C, as TensorFlow's files have it: masked, so that sums of sums keep their worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from migrate.checkpoints.errors import need

if TYPE_CHECKING:
    from collections.abc import Callable

_DELTA = 0xA282EAD8


def _extend() -> Callable[[int, Any], int]:
    try:
        import google_crc32c
    except ImportError:
        raise need("google-crc32c", "Checking TensorFlow's checksums") from None
    found: Callable[[int, Any], int] = google_crc32c.extend
    return found


def extend(crc: int, data: bytes) -> int:
    """The sum over what ``crc`` has seen and ``data``; begin with 0."""
    return _extend()(crc, data)


def mask(crc: int) -> int:
    """How a sum is stored."""
    return (((crc >> 15) | (crc << 17)) + _DELTA) & 0xFFFFFFFF
