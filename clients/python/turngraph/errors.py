"""The errors that callers meet: those of the service, and those of a call that never reached it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._generated import STATUSES

if TYPE_CHECKING:
    from ._generated import ErrorCode


class TurngraphError(Exception):
    """The one error class; ``code`` says what went wrong, ``hint`` what to do, ``details`` which field."""

    def __init__(self, code: ErrorCode, message: str, *, hint: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint
        self.details = details

    @property
    def status(self) -> int:
        """The HTTP status that belongs to the code."""
        return STATUSES[self.code]

    @property
    def is_away(self) -> bool:
        """The store is away or slow: the same call may succeed later."""
        return self.code in ("store_unavailable", "timeout")

    def to_wire(self) -> dict[str, Any]:
        """The error object as every door of Turngraph renders it."""
        body = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {"error": {**body, "request_id": None}}


def is_spooled(error: BaseException) -> bool:
    """Whether it says that a capture waits in the spool: the service is away, and the record is safe on this disk."""
    return isinstance(error, TurngraphError) and isinstance(error.details, dict) and error.details.get("spooled") is True


def invalid_field(path: str, message: str, *, hint: str | None = None) -> TurngraphError:
    """The error of one field that does not fit."""
    problems = {"problems": [{"path": path, "message": message}]}
    return TurngraphError("invalid_request", f"{path}: {message}", hint=hint, details=problems)
