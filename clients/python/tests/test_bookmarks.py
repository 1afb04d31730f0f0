"""Which bookmarks a client keeps."""

from __future__ import annotations

import unittest

from turngraph._bookmarks import MOST_CHARACTERS, MOST_OF_PROJECT, MOST_PROJECTS, ClientBookmarks


class BookmarksTest(unittest.TestCase):
    def test_an_answer_replaces_what_its_request_brought_and_nothing_else(self) -> None:
        bookmarks = ClientBookmarks()
        bookmarks.keep("shop", [], "a")
        bookmarks.keep("shop", [], "b")
        bookmarks.keep("shop", ["a"], "c")
        self.assertEqual(bookmarks.sent_with("shop"), ["b", "c"])

    def test_an_answer_without_a_bookmark_changes_nothing(self) -> None:
        bookmarks = ClientBookmarks()
        bookmarks.keep("shop", [], "a")
        bookmarks.keep("shop", ["a"], None)
        self.assertEqual(bookmarks.sent_with("shop"), ["a"])

    def test_the_bookmarks_of_one_project_are_not_sent_for_another_one(self) -> None:
        bookmarks = ClientBookmarks()
        bookmarks.keep("shop", [], "a")
        self.assertEqual((bookmarks.sent_with("bank"), bookmarks.sent_with(None)), ([], []))

    def test_a_project_with_more_bookmarks_than_a_request_may_carry_sends_none_any_more(self) -> None:
        bookmarks = ClientBookmarks()
        for number in range(MOST_OF_PROJECT):
            bookmarks.keep("shop", [], f"b{number}")
        self.assertEqual(len(bookmarks.sent_with("shop")), MOST_OF_PROJECT)
        for late in ("one more", "and one later"):
            bookmarks.keep("shop", [], late)
            self.assertEqual(bookmarks.sent_with("shop"), [])

    def test_a_project_whose_bookmarks_are_longer_than_a_header_takes_sends_none_any_more(self) -> None:
        bookmarks = ClientBookmarks()
        for character in "ab":
            bookmarks.keep("shop", [], character * (MOST_CHARACTERS // 2 - 1))
        self.assertEqual(len(", ".join(bookmarks.sent_with("shop"))), MOST_CHARACTERS)
        for late in ("c", "and one later"):
            bookmarks.keep("shop", [], late)
            self.assertEqual(bookmarks.sent_with("shop"), [])

    def test_of_many_projects_those_that_were_used_last_keep_theirs(self) -> None:
        bookmarks = ClientBookmarks()
        for number in range(MOST_PROJECTS):
            bookmarks.keep(f"p{number}", [], "a")
        bookmarks.keep("p0", ["a"], "b")
        bookmarks.keep("one more", [], "a")
        self.assertEqual((bookmarks.sent_with("p1"), bookmarks.sent_with("p0")), ([], ["b"]))


if __name__ == "__main__":
    unittest.main()
