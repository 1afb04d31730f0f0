"""Masks the secrets of a record before it waits on a disk, by the rules of the TypeScript client (src/core/scrub).

The forms are generated (_secret_rules.py). The rules of secretlint, which only the service has, find few that these do not:
the service masks those.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Optional

from . import _secret_rules as forms

Range = tuple[int, int]

LONGEST_JUDGED = 1_024
MARK = re.compile(r"\[redacted(?::[0-9a-f]{2,64})?\]")

# What says where a record belongs is never masked: the record would move elsewhere.
IDENTITY = frozenset({"project", "feature_id", "task_id", "world_slug"})

# Between two texts, and between a name and its text: no form runs across the first one (src/core/scrub/scrub.ts).
BETWEEN = "\n\0\n"
NAMES = '":"'
# The key of a program and its arguments. They are scanned as one line.
COMMAND = "command"


def mask_record(record: Any) -> Any:
    """The record with a mark in the place of each secret; the record itself is never changed."""
    texts: list[tuple[int, str]] = []
    parts: list[str] = []
    length = 0

    def add(text: str, after: str) -> None:
        nonlocal length
        texts.append((length, text))
        parts.append(text + after)
        length += len(text) + len(after)

    def visit(value: Any, after: str = BETWEEN) -> None:
        nonlocal length
        if isinstance(value, str):
            add(value, after)
        elif isinstance(value, (list, tuple)):
            for item in value:
                visit(item, after)
            if after != BETWEEN:
                parts.append(BETWEEN)
                length += len(BETWEEN)
        elif isinstance(value, dict):
            for key, item in value.items():
                add(str(key), NAMES if isinstance(item, str) else BETWEEN)
                visit(item, " " if key == COMMAND and isinstance(item, (list, tuple)) else BETWEEN)

    visit(record)
    found = sorted(find_secrets("".join(parts)))
    ranges: dict[str, list[Range]] = {}
    first = 0
    for start, end in found:
        while first < len(texts) and texts[first][0] + len(texts[first][1]) <= start:
            first += 1
        for index in range(first, len(texts)):
            at, text = texts[index]
            if at >= end:
                break
            if start < at + len(text):
                ranges.setdefault(text, []).append((max(start - at, 0), min(end - at, len(text))))
    if not ranges:
        return record
    masked = {text: _mask(text, some) for text, some in ranges.items()}
    return _rewrite(record, lambda text: masked.get(text, text), IDENTITY)


def mark_secret(secret: str) -> str:
    """The same mark in every process; the service replaces it by one of the key of its graph (docs/decisions/masks.md)."""
    digest = hashlib.sha256(f"turngraph secret\n{secret}".encode("utf-8", "replace")).hexdigest()
    return f"[redacted:{digest[:32]}]"


def _mask(text: str, ranges: list[Range]) -> str:
    joined: list[list[int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    shown, done = "", 0
    for start, end in joined:
        secret = text[start:end]
        if not re.search(r"[A-Za-z0-9]", MARK.sub("", secret)):
            continue
        shown += text[done:start] + mark_secret(secret)
        done = end
    return shown + text[done:]


def _rewrite(value: Any, change: Callable[[str], str], kept: frozenset[str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [_rewrite(item, change, frozenset()) for item in value]
    if isinstance(value, dict):
        return {
            key if key in kept else change(key) if isinstance(key, str) else key: (
                item if key in kept else _rewrite(item, change, frozenset())
            )
            for key, item in value.items()
        }
    return value


ESCAPES = re.compile(
    r"(?<!\\)\\+(?:[nrt]|(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})(?:\[[\d;]*[A-Za-z])?)|\x1b\[[\d;]*[A-Za-z]", re.ASCII
)


def _without_escape(match: re.Match[str]) -> str:
    written = match[0]
    return (" " if re.search(r"\\[nrt]\Z|\[", written) else "!") * len(written)


def find_secrets(text: str) -> Iterator[Range]:
    """Every secret that any rule finds, in no order; two rules may find the same one."""
    content = ESCAPES.sub(_without_escape, text) if "\\" in text or "\x1b" in text else text
    yield from _find_by_collection(content)
    for pattern in forms.PATTERNS:
        for match in pattern.finditer(content):
            span = match.span(1) if pattern.groups and match[1] is not None else match.span()
            if not _is_reference(content[span[0] : span[1]]):
                yield span
    for match in JWT.finditer(content):
        yield match.span()
    yield from _find_url_credentials(content)
    yield from _find_keys(content)
    yield from _find_headers(content)
    yield from _find_assignments(content)
    yield from _find_command_secrets(content)
    yield from _find_named_values(content)


JWT = re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}", re.ASCII)
HASH = re.compile(r"[a-f0-9]+")


def _is_reference(text: str) -> bool:
    return forms.REFERENCE.search(text) is not None


def _is_placeholder(text: str) -> bool:
    return forms.PLACEHOLDER.search(text) is not None


MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")


def _is_mixed(text: str) -> bool:
    """Looks made by chance: letters with digits, or of both cases in the middle of a word."""
    has_digit, has_letter = re.search(r"[0-9]", text), re.search(r"[A-Za-z]", text)
    return (has_digit is not None and has_letter is not None) or MIXED.search(text) is not None


_compiled: dict[int, re.Pattern[str]] = {}


def _find_by_collection(content: str) -> Iterator[Range]:
    lower = content.lower()
    for index, (keywords, source, flags, prefix, skips_hash) in enumerate(forms.COLLECTION):
        if not any(keyword in lower for keyword in keywords):
            continue
        pattern = _compiled.get(index)
        if pattern is None:
            pattern = _compiled[index] = re.compile(source, flags)
        for match in pattern.finditer(content):
            token = match[1]
            if token is None or not _is_mixed(token[len(prefix) :]) or (skips_hash and HASH.fullmatch(token)):
                continue
            yield match.span(1)


WEB = re.compile(r"(?:https?|wss?|ftps?)\Z")
PORT = re.compile(r"[0-9]*(?:[/?#]|\Z)")


def _find_url_credentials(content: str) -> Iterator[Range]:
    for match in forms.URL_WITH_COLON.finditer(content):
        user, rest = match[1], match[2]
        is_web = WEB.search(content[max(0, match.start() - 5) : match.start()]) is not None
        password = rest[: max(0, _password_end(user, rest, is_web))]
        if password == "" or _is_reference(password):
            continue
        start = match.start() + len("://")
        yield start, start + len(user) + 1 + len(password)


def _password_end(user: str, rest: str, is_web: bool) -> int:
    has_port = PORT.match(rest) is not None
    if not is_web and not has_port:
        return rest.rfind("@")
    path = re.search(r"[/?#]", rest)
    authority = rest if path is None else rest[: path.start()]
    end = authority.rfind("@")
    if end != -1 or has_port or forms.NAMED_PORT.search(rest):
        return end
    if path is not None and path[0] == "/" and re.search(r"[.]|^localhost\Z", user):
        return -1
    first = rest.find("@")
    if first == -1:
        return -1
    host = re.search(r"[/?#]", rest[first:])
    return rest.rfind("@") if host is None else rest.rfind("@", 0, first + host.start() + 1)


def _find_headers(content: str) -> Iterator[Range]:
    for match in forms.AUTHORIZATION.finditer(content):
        scheme, credential = match[1], match[2]
        if _is_reference(credential) or content[match.end(2) : match.end(2) + 1] in ("(", "[", "{"):
            continue
        if _is_credential(credential, scheme is not None):
            yield match.span(2)
    for match in forms.PARAMETERS.finditer(content):
        yield match.span(1)
    for match in forms.COOKIE.finditer(content):
        for pair in forms.COOKIE_PAIR.finditer(match[1]):
            name, value = pair[1], pair[2]
            if forms.COOKIE_ATTRIBUTE.search(name) or _is_reference(value) or not _is_mixed(value):
                continue
            start = match.start(1) + pair.start(2)
            yield start, start + len(value)


def _is_credential(text: str, has_scheme: bool) -> bool:
    if forms.QUALIFIED_NAME.search(text):
        return False
    if has_scheme:
        return re.match(r".{0,64}(?:[0-9]|[a-z][A-Z])", text) is not None
    return re.search(r"[0-9]", text) is not None and _is_mixed(text) and len(text) >= 12


def _find_keys(content: str) -> Iterator[Range]:
    for match in forms.KEY_BLOCK.finditer(content):
        run = forms.BASE64_RUN.search(match[1])
        if run is None:
            continue
        if match[2] is not None:
            yield match.span()
            continue
        start = match.start(1) + run.start()
        lines = forms.BASE64_LINES.match(content, start)
        yield match.start(), start if lines is None else lines.end()
    if "PuTTY-User-Key-File-" in content:
        for match in forms.PUTTY_PRIVATE.finditer(content):
            yield match.start(1) + 1, match.end(1)
    for match in forms.ENCODED_PEM.finditer(content):
        head = match[0][:80]
        if b"PRIVATE" in base64.b64decode(head[: len(head) // 4 * 4]):
            yield match.span()


@dataclass(frozen=True)
class _Name:
    text: str
    word: str
    is_strong: bool
    is_key: bool
    sign: str
    is_tight: bool
    place: str


@dataclass(frozen=True)
class _Value:
    text: str
    start: int
    end: int
    quoted: bool


def _find_assignments(content: str) -> Iterator[Range]:
    at, ends = 0, _Ends(content)
    while (match := forms.NAME.search(content, at)) is not None:
        at = match.end()
        name = _read_name(content, match)
        if name is None:
            continue
        value = _read_value(content, at, name, ends)
        if value is None or not _is_secret_value(value, name):
            continue
        yield value.start, value.end
        at = max(at, value.end)


WHOLE_HEAD = re.compile(r"(?:^|[^A-Za-z])\Z")
STRONG_BEGINNING = re.compile(r"pass(?:w|p)|pwd|secret|token|api")
KEY_OF_RECORD = re.compile(r"(?:^|\0\n)[^\"\n]{0,60}\Z")


def _read_name(content: str, match: re.Match[str]) -> Optional[_Name]:
    word, suffix, quote, sign = match[1] or "", match[2] or "", match[3], match[4] or ""
    before = content[max(0, match.start() - 80) : match.start()]
    found = re.search(r"[\w.$-]*\Z", before, re.ASCII)
    head = found[0] if found else ""
    is_whole = WHOLE_HEAD.search(head) is not None or re.match(r"[A-Z]", word) is not None
    lower = word.lower()
    text = head + word
    is_strong = forms.STRONG.search(text) is not None
    if not is_whole and not is_strong and not STRONG_BEGINNING.match(lower):
        return None
    if forms.PUBLIC_NAME.search(text):
        return None
    around = before[: len(before) - len(head)]
    if forms.TEST_TITLE.search(around):
        return None
    place = _find_place(around, head, quote, sign, text, suffix)
    if place is None:
        return None
    is_key = quote == '"' and sign == ":" and KEY_OF_RECORD.search(around) is not None
    is_tight = not re.search(r"[ \t]", sign) and not re.match(r"(?:this|self|[a-z]{1,2})\.", text)
    return _Name(text, lower, is_strong, is_key, sign.strip(), is_tight, place)


SET_COMMAND = re.compile(
    r"(?:\bsetx|\bset -\w{1,4}|\bENV|\bset-secret|configure set|\bconfig set|\bsetenv)[ \t]{1,4}[\"'\w.:/-]{0,60}\Z",
    re.ASCII,
)
IN_PAIR = re.compile(r"[;{\"'][ \t]{0,4}\Z")
BEHIND_PAIR = re.compile(r";[ \t]{0,4}[\w ]{0,20}\Z", re.ASCII)


def _find_place(
    around: str, head: str, quote: Optional[str], sign: str, text: str, suffix: str
) -> Optional[str]:
    if sign == "":
        if quote is not None:
            return None
        if re.match(r"--?[A-Za-z]", head) or re.fullmatch(r"--?", head):
            return "option"
        return "option" if SET_COMMAND.search(around) and re.match(r"[A-Za-z]", text) else None
    if head.startswith("-D") and sign == "=":
        return "line"
    if re.match(r"--?[A-Za-z]", head):
        return "option"
    if quote is not None:
        return "field"
    if around.endswith("${"):
        return "default"
    if "=" not in sign:
        return "other"
    if re.search(r"[?&#]\Z|&amp;\Z", around):
        return "query"
    is_upper = re.fullmatch(r"[A-Z0-9_]+", text) is not None
    if not is_upper and (IN_PAIR.search(around) or BEHIND_PAIR.search(around)):
        return "pair"
    is_variable = re.fullmatch(r"[A-Z][A-Z0-9_]*", text + suffix) is not None and not re.search(r"[ \t]", sign)
    begins_line = re.search(r"(?:^|\n)[ \t]{0,8}\Z", around) is not None
    return "line" if is_variable or begins_line or forms.SETS_VARIABLE.search(around) else "other"


class _Ends:
    """Where marks and runs end: each is looked for once, so that the time is linear in the text."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._marks: dict[str, int] = {}
        self._runs: dict[re.Pattern[str], int] = {}

    def of_mark(self, mark: str, start: int) -> int:
        known = self._marks.get(mark, -1)
        if known < start:
            at = self._content.find(mark, start)
            known = self._marks[mark] = len(self._content) if at == -1 else at
        return known

    def of_run(self, run: re.Pattern[str], start: int) -> int:
        known = self._runs.get(run, -1)
        if known <= start:
            found = run.match(self._content, start)
            known = self._runs[run] = start if found is None else found.end()
        return known


def _read_value(content: str, at: int, name: _Name, ends: _Ends) -> Optional[_Value]:
    opening = forms.OPENING.match(content, at)
    if opening is not None:
        start = opening.end()
        end = (
            ends.of_mark("\n\0", start)
            if name.is_key
            else _closing(content, start, (opening[1] or "") + (opening[2] or ""), ends)
        )
        return _slice(content, start, end, True)
    if name.sign == ":" and (typed := forms.TYPE.match(content, at)) is not None:
        return _read_value(content, typed.end(), replace(name, sign="="), ends)
    if name.sign == "=" and (braced := forms.BRACED.match(content, at)) is not None:
        if name.place == "pair" or _is_mixed(braced[1]):
            return _Value(braced[1], at, braced.end(), True)
    return _slice(content, at, _unquoted_end(content, at, name, ends), False)


def _slice(content: str, start: int, end: int, quoted: bool) -> Optional[_Value]:
    if end <= start:
        return None
    return _Value(content[start : min(end, start + LONGEST_JUDGED)], start, end, quoted)


def _closing(content: str, start: int, mark: str, ends: _Ends) -> int:
    text_end = ends.of_mark("\n\0", start)
    at = ends.of_mark(mark, start)
    while at < text_end:
        before = at
        while before > 0 and content[before - 1] == "\\":
            before -= 1
        if (at - before) % 2 == 0:
            return at
        at = ends.of_mark(mark, at + 1)
    return min(ends.of_mark("\n", start), text_end)


RUNS = {"pair": forms.RUN_OF_PAIR, "query": forms.RUN_OF_QUERY, "default": forms.RUN_OF_DEFAULT}


def _unquoted_end(content: str, start: int, name: _Name, ends: _Ends) -> int:
    run = forms.WORD if name.place == "pair" and not name.is_strong else RUNS.get(name.place, forms.WORD)
    end = ends.of_run(run, start)
    head = content[start : min(end, start + LONGEST_JUDGED)]
    following = None if name.place == "line" else forms.NEXT.search(head)
    if following is not None:
        return start + following.start()
    tail = content[max(start, end - 16) : end]
    closers = re.search(r"[,;]+\Z" if re.search(r"[(\[{<]", head) else r"[,;)\]}>.:]+\Z", tail)
    return end - (0 if closers is None else len(closers[0]))


def _is_secret_value(value: _Value, name: _Name) -> bool:
    text = value.text
    shortest = 3 if name.place in ("pair", "query") else 6
    if len(text) < shortest or _is_reference(text) or "[redacted" in text:
        return False
    if _is_placeholder(text) or re.match(r"\$[({A-Za-z]", text) or _is_public_value(text, name):
        return False
    if name.word in ("code", "sig") and name.place not in ("query", "pair"):
        return False
    if name.word == "pass" and re.search(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}", text):
        return False
    if forms.SPACE.search(text):
        return _is_phrase(text, value.quoted, name)
    if not value.quoted and _is_code(text, name):
        return False
    if name.word == "token" and name.place == "line" and name.is_tight and re.fullmatch(r"[A-Z0-9_]+", name.text):
        return not _is_path(text)
    if not value.quoted and not name.is_strong and re.search(r"\.[a-z]{2,20}\Z", text):
        return False
    if not name.is_strong:
        least = 16 if name.word in ("key", "code") else 10
        return forms.TOKEN.search(text) is not None and _is_random(text) and len(text) >= least
    if name.place in ("pair", "query"):
        return True
    if name.place == "line" and name.is_tight:
        return not _is_path(text)
    is_word = value.quoted and name.sign == "=" and forms.ENDS_IN_SIGN.search(text) is not None
    return is_word or _is_random(text)


def _is_public_value(text: str, name: _Name) -> bool:
    if forms.METHOD.search(text):
        return True
    if forms.WORKING_FOLDER.search(name.text):
        return re.match(r"[~./]|[A-Za-z]:", text) is not None
    if re.fullmatch(r"(?:session[_.-]?)?key", name.text, re.IGNORECASE):
        is_made = forms.KEY_FORM.search(text) is not None
        return not is_made or forms.UUID.search(text) is not None or forms.WORDS.search(text) is not None
    if name.text.lower() != "pass":
        return False
    is_setting = name.is_key or name.place != "line" or (name.is_tight and name.sign == "=")
    is_result = re.fullmatch(r"[A-Z][A-Za-z]*-?[0-9]+|[0-9]+", text) is not None
    return not is_setting or is_result or (name.sign != "=" and name.place == "other")


def _is_code(text: str, name: _Name) -> bool:
    if name.place != "line" or not name.is_tight or not name.is_strong:
        return forms.CODE.search(text) is not None
    call = forms.CALL.search(text)
    return call is not None and _is_identifier(forms.NAME_DIGITS.sub("x", call[1]))


def _is_identifier(text: str) -> bool:
    return forms.IDENTIFIER.search(text) is not None


def _is_path(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", text, re.ASCII) is not None and _is_identifier(text)


def _is_phrase(text: str, quoted: bool, name: _Name) -> bool:
    if not name.is_strong or len(text) > 200:
        return False
    if name.place == "pair":
        return True
    if not quoted:
        return False
    if name.place == "line" and re.match(r"[A-Z]", name.text):
        return True
    words = [word for word in forms.SPACE.split(text) if word]
    return sum(not _is_prose(word) for word in words) * 2 >= len(words)


def _is_prose(word: str) -> bool:
    bare = word.lstrip("(\"'“‘[*_-").rstrip(".,:;!?)\"'”’]*_%s-")
    if bare == "" or re.fullmatch(r"[0-9]{1,4}", bare):
        return True
    bare = re.sub(r"^[A-Z]{2,6}-", "", bare)
    plain = re.sub(r"['’-]", "", bare)
    return plain.isalpha() and (plain.isupper() or plain[1:] == plain[1:].lower())


FOLDER = re.compile(r"(?:\.{0,2}/|[a-z]+://|~/)")
FILE = re.compile(r"\.(?:[jt]sx?|json|ya?ml|md|py|go|pem|key|txt|env|sh)\Z|/.*\.[a-z]{1,5}(?:[:#?]|\Z)")
RANDOM = re.compile(r"[0-9]|[a-z][A-Z].*[a-z][A-Z]|[A-Za-z][!@#$%^&*~+?][A-Za-z]")


def _is_random(text: str) -> bool:
    """Not a word, a path, a version or a number: digits or signs between letters."""
    if re.fullmatch(r"[0-9.,:_-]+", text):
        return re.fullmatch(r"[0-9]{6,}", text) is not None
    if FOLDER.match(text) or FILE.search(text):
        return False
    if _is_identifier(forms.NAME_DIGITS.sub("x", text)):
        return False
    return RANDOM.search(text) is not None


def _find_named_values(content: str) -> Iterator[Range]:
    for pattern, name, value, sign in (
        (forms.PAIR, 1, 2, forms.FIELDS),
        (forms.REVERSED_PAIR, 2, 1, forms.FIELDS),
        (forms.ELEMENT, 1, 2, forms.ELEMENTS),
    ):
        if sign.search(content):
            for match in pattern.finditer(content):
                if _is_secret_of(match[name], match[value][:LONGEST_JUDGED]):
                    yield match.span(value)
    if forms.OPENED_STRING.search(content):
        for match in forms.CALLED.finditer(content):
            text = match[1]
            if _is_random(text) and not forms.SPACE.search(text) and not _is_reference(text):
                yield match.span(1)


def _is_secret_of(name: str, value: str) -> bool:
    if _is_reference(value) or _is_placeholder(value) or value.startswith("$") or forms.PUBLIC_NAME.search(name):
        return False
    if forms.STRONG.search(name):
        return _is_mixed(value) or re.search(r"[!@#$%^&*]", value) is not None
    is_named = re.search(r"(?:pass|pwd|secret|token|key|credentials?)\Z", name, re.IGNORECASE) is not None
    is_token = forms.TOKEN.search(value) is not None and _is_random(value) and not forms.UUID.search(value)
    return is_named and is_token and len(value) >= 8


MAX_COMMAND = 400
MAX_WORDS = 40

Word = tuple[str, int]

_by_command: dict[str, list[forms.CommandForm]] = {}
for _form in forms.COMMANDS:
    for _command in _form.commands.split(" "):
        _by_command.setdefault(_command, []).append(_form)


def _find_command_secrets(content: str) -> Iterator[Range]:
    for match in forms.COMMAND.finditer(content):
        words, rest = _read_words(content, match.end())
        for form in _by_command.get(match[1], []):
            if form.when is None or form.when.search(rest):
                for word in _select_words(words, form):
                    yield from _to_secret(word)
    for match in forms.PIPED.finditer(content):
        if not forms.TAKES_SECRET.search(match[2]):
            continue
        given = (match[1], match.start(1))
        for word in _secret_of_user(given) if "chpasswd" in match[2] else (given,):
            yield from _to_secret(word)
    for match in forms.HERE_STRING.finditer(content):
        if re.search(r"(?:secret|login|passw|token)[^\n\0]*\Z", content[max(0, match.start() - 120) : match.start()]):
            yield from _to_secret((match[1], match.start(1)))


def _read_words(content: str, start: int) -> tuple[list[Word], str]:
    words: list[Word] = []
    at = start
    while len(words) < MAX_WORDS and at < start + MAX_COMMAND:
        blanks = forms.BLANKS.match(content, at)
        begin = at if blanks is None else blanks.end()
        word = forms.COMMAND_WORD.match(content, begin)
        if word is None:
            break
        words.append((word[0], begin))
        at = word.end()
    return words, content[start:at]


def _select_words(words: list[Word], form: forms.CommandForm) -> Iterator[Word]:
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else None
        for flag in form.flags:
            if (value := _value_of_flag(word, flag, following)) is not None:
                yield value
        for flag in form.user_flags:
            ends = len(flag) == 2 and re.fullmatch(r"-[A-Za-z]{2,8}", word[0]) and word[0].endswith(flag[1])
            value = following if ends else _value_of_flag(word, flag, following)
            if value is not None:
                yield from _secret_of_user(value)
        if form.names is not None and following is not None and form.names.search(_unquote(word)[0]):
            yield following
        if form.assignments:
            yield from _assigned_to(word)
    if form.position is not None:
        plain = [word for word in words if not word[0].startswith("-")]
        place = form.position if form.position == -1 else form.position - 1
        if plain and place < len(plain):
            yield plain[place]


def _value_of_flag(word: Word, flag: str, following: Optional[Word]) -> Optional[Word]:
    text, start = word
    if text == flag:
        return following
    if not text.startswith(flag):
        return None
    glued = text[len(flag) :]
    if len(flag) > 2 and not glued.startswith("="):
        return None
    skipped = len(flag) + (1 if glued.startswith("=") else 0)
    return text[skipped:], start + skipped


def _secret_of_user(given: Word) -> Iterator[Word]:
    text, start = _unquote(given)
    sign = re.search(r"[:%]", text)
    if sign is None:
        return
    at = sign.start()
    if at == len(text) - 1:
        if _is_mixed(text):
            yield text[:at], start
    elif not text[at + 1 :].startswith("//"):
        yield text[at + 1 :], start + at + 1


ASSIGNED = re.compile(r"(--from-literal=[\"']?)?([\w./-]{1,80}=)", re.ASCII)


def _assigned_to(given: Word) -> Iterator[Word]:
    text, start = _unquote(given)
    assigned = ASSIGNED.match(text)
    if assigned is None or assigned[2].startswith("-"):
        return
    value = text[assigned.end() :]
    if _is_mixed(value):
        yield value, start + assigned.end()


def _unquote(word: Word) -> Word:
    text, start = word
    opening = re.match(r"\\{0,4}[\"']", text)
    if opening is None:
        return word
    rest = text[opening.end() :]
    closing = re.search(r"\\{0,4}[\"']\Z", rest)
    return rest if closing is None else rest[: closing.start()], start + opening.end()


def _to_secret(word: Word) -> Iterator[Range]:
    text, start = _unquote(word)
    if len(text) < 4 or forms.ELSEWHERE.search(text) or _is_reference(text) or _is_placeholder(text):
        return
    yield start, start + len(text)
