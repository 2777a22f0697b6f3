"""Thalweg makes parallel programs communicate faster on the machine that they really run on."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thalweg.stream import FinishRequest, Stream
    from thalweg.stream_library import StreamError, StreamStatistics

__all__ = ["FinishRequest", "Stream", "StreamError", "StreamStatistics"]


# The command starts without numpy, which streams need.
def __getattr__(name: str) -> Any:
    """Give what programs on streams use."""
    if name in __all__:
        from thalweg import stream  # noqa: PLC0415

        return getattr(stream, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
