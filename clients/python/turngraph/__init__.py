"""Turngraph, the memory of autobuild sessions: context in, turn out."""

from ._generated import ErrorCode as ErrorCode
from .client import TurngraphClient
from .errors import TurngraphError, is_spooled
from .turn_state import (
    TurnMode,
    TurnStateEntity,
    capture_turn_state,
    configure,
    load_turn_continuation_context,
)

__all__ = [
    "TurnMode",
    "TurnStateEntity",
    "TurngraphClient",
    "TurngraphError",
    "capture_turn_state",
    "configure",
    "is_spooled",
    "load_turn_continuation_context",
]
__version__ = "0.1.0"
