"""Keeps the bookmarks that a client was answered, by project, so that its reads have all that it wrote."""

from __future__ import annotations

import threading
from collections.abc import Sequence

# More at once are as many writes under way: from then on the leader is asked, which has everything.
MOST_OF_PROJECT = 32
# More text would grow past the 32 KiB that the service takes as headers.
MOST_CHARACTERS = 8 * 1024
MOST_PROJECTS = 1_000


class ClientBookmarks:
    """As the TypeScript client keeps them; may be used from any thread.

    An answer stands for what its request brought, too: it replaces that, and not what other answers have brought meanwhile,
    which may stand for more.
    """

    def __init__(self) -> None:
        # By project, the one that was used last at the end; None: too many or too long, so that none is sent
        # any more.
        self._by_project: dict[str | None, list[str] | None] = {}
        self._lock = threading.Lock()

    def sent_with(self, project: str | None) -> list[str]:
        """What a request brings."""
        with self._lock:
            return list(self._by_project.get(project) or [])

    def keep(self, project: str | None, sent: Sequence[str], answered: str | None) -> None:
        """:param answered: None where the answer has none"""
        with self._lock:
            known = self._by_project.get(project, [])
            if answered is None or known is None:
                return
            bookmarks = [bookmark for bookmark in known if bookmark not in sent and bookmark != answered]
            bookmarks.append(answered)
            self._by_project.pop(project, None)
            too_much = len(bookmarks) > MOST_OF_PROJECT or len(", ".join(bookmarks)) > MOST_CHARACTERS
            self._by_project[project] = None if too_much else bookmarks
            if len(self._by_project) > MOST_PROJECTS:
                # Without its bookmarks a project's reads are answered by the leader.
                del self._by_project[next(iter(self._by_project))]
