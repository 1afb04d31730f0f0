/** A secret of some kind, in UTF-16 units of the text. */
export type Secret = Readonly<{ kind: string; start: number; end: number }>

const REFERENCE =
  /^(?:\$?\{{1,2} ?[\w.$-]* ?\}{1,2}|\$[A-Za-z_]\w*|%[A-Za-z_]*%|%s|@\w+@|\*+|\.{3,}|…|<[^<>\0]{0,80}>|\[redacted(?::[0-9a-f]{2,64})?\])$/

/** Checks whether a text only refers to a secret: `${DB_PASSWORD}`, `{password}`, `$PASSWORD`, `%s`, `***`, a mark. */
export const isReference = (text: string): boolean => REFERENCE.test(text)

/** Checks whether a text looks random: letters with digits, or a change of case within a word. */
export const isMixed = (text: string): boolean =>
  (/\d/.test(text) && /[A-Za-z]/.test(text)) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(text)

const PLACEHOLDER =
  /^(?:x+|X+|\.+|-+|_+|\?+|0+|your[\w -]*|my[_-][\w-]*|<.*|\[.*\]|.*\bhere|changeme|change[-_]me|replace[-_]?me|example\w*|dummy|placeholder|hidden|masked|redacted|omitted|optional|required|disabled|enabled|string|number|boolean|object|undefined|null|none|nil|true|false|unknown|any|void|never|bearer|basic|todo|tbd|default|secret|password|passwd|passphrase|token|key|credentials?|username|user|admin|test|sha\d+|md5|utf-?8|base64|int\d*|str|bytes|text|varchar.*|char.*)[,;.)]*$/i

/** Checks for a placeholder of a secret in an example, or for its type: `changeme`, `<token>`, `string`. */
export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text)

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const VALUE_FORMS = { REFERENCE, PLACEHOLDER }
