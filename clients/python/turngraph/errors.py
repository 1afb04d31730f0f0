"""The errors of the service, and of calls that never reached it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._generated import STATUSES

if TYPE_CHECKING:
    from ._generated import ErrorCode


class TurngraphError(Exception):
    """An error: ``code`` is its kind, ``hint`` the remedy, and ``details`` names the field."""

    def __init__(self, code: ErrorCode, message: str, *, hint: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint
        self.details = details

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return STATUSES[self.code]

    @property
    def is_away(self) -> bool:
        """True if the store is away or slow, so the same call may succeed later."""
        return self.code in ("store_unavailable", "timeout")

    def to_wire(self) -> dict[str, Any]:
        """Returns the error object in the form of all interfaces of Turngraph."""
        body = {"code": self.code, "message": self.message, "hint": self.hint, "details": self.details}
        return {"error": {**body, "request_id": None}}


def is_spooled(error: BaseException) -> bool:
    """Returns whether the service is away and the capture waits in the spool, on this disk."""
    return isinstance(error, TurngraphError) and isinstance(error.details, dict) and error.details.get("spooled") is True


def invalid_field(path: str, message: str, *, hint: str | None = None) -> TurngraphError:
    """Creates the error of an invalid field."""
    problems = {"problems": [{"path": path, "message": message}]}
    return TurngraphError("invalid_request", f"{path}: {message}", hint=hint, details=problems)
