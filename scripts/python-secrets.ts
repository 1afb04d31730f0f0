// Writes clients/python/turngraph/_secret_rules.py: the forms of secrets, from the tables of src/core/scrub.
import { ASSIGNMENT_FORMS } from '../src/core/scrub/assignments.ts'
import { RULES } from '../src/core/scrub/collection.ts'
import { COMMAND_FORMS, FORMS_BY_COMMAND } from '../src/core/scrub/command-secrets.ts'
import { CREDENTIAL_FORMS } from '../src/core/scrub/credentials.ts'
import { NAMED_VALUE_FORMS } from '../src/core/scrub/named-values.ts'
import { PATTERNS } from '../src/core/scrub/patterns.ts'
import { PRIVATE_KEY_FORMS } from '../src/core/scrub/private-keys.ts'
import { VALUE_FORMS } from '../src/core/scrub/secret.ts'
import { writeGenerated } from './write-generated.ts'

/**
 * Patterns whose lookbehind has a variable length, which Python does not support: the same forms without it.
 */
const READ_FROM_THE_FRONT: Readonly<Record<string, string>> = {
  mailchimp: String.raw`(?<![A-Za-z0-9])([a-f0-9]{32}-us\d{1,2})(?!\w)`,
  telegram: String.raw`(?<![A-Za-z0-9])((?:bot)?\d{8,10}:[A-Za-z0-9_-]{35})(?![\w-])`,
  'curl-user': String.raw`\b(?:curl|wget|https?|xh)\b[^\n\0]{0,300}?(?:\s-u|--(?:proxy-)?user)[\s=]{1,4}["']?[\w.@-]{1,64}:(?!//)([^\s"'${'`'}\0]{4,})`,
  line: String.raw`(?:^|(?<=[\n\0"]))[ \t]{0,20}(?:password|passwd)[ \t]{1,8}["']?(?=[^\s\0]{0,64}\d)(?=[^\s\0]{0,64}[A-Za-z])([^\s"':=\0]{6,})["']?[ \t]{0,8}(?=[\r\n\0]|\Z)`,
}

/** The white space of JavaScript. `\s` of Python's `re.ASCII` has only that of ASCII. */
const SPACE = String.raw`\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`

/** Translates an escape. No class has `\S`, for which a class of Python has no form. */
function escapeToPython(written: string, isInClass: boolean): string {
  if (written === '\\S' && isInClass) throw new Error('A class of a pattern has \\S')
  if (written === '\\S') return `[^${SPACE}]`
  if (written === '\\s') return isInClass ? SPACE : `[${SPACE}]`
  return written === '\\/' ? '/' : written
}

/** Translates a pattern of JavaScript to Python: `$` is the end, and a bracket within a class is escaped. */
function toPython(source: string): string {
  let written = ''
  let isInClass = false
  for (let i = 0; i < source.length; i++) {
    const character = source[i] ?? ''
    if (character === '\\') {
      written += escapeToPython(source.slice(i, i + 2), isInClass)
      i++
    } else if (isInClass) {
      if (character === ']') isInClass = false
      written += '[&~|'.includes(character) ? `\\${character}` : character
    } else if (character === '[') {
      isInClass = true
      written += character
    } else written += character === '$' ? '\\Z' : character
  }
  return written
}

const quoted = (text: string): string => JSON.stringify(text)
const form = ({ source, flags }: RegExp): string =>
  `re.compile(${quoted(toPython(source))}, ${flags.includes('i') ? 'FOLDED' : 'EXACT'})`

const forms = Object.entries({
  ...VALUE_FORMS,
  ...ASSIGNMENT_FORMS,
  ...CREDENTIAL_FORMS,
  ...NAMED_VALUE_FORMS,
  ...PRIVATE_KEY_FORMS,
  ...COMMAND_FORMS,
}).map(([name, pattern]) => `${name} = ${form(pattern)}`)

const patterns = PATTERNS.map(([kind, pattern]) => {
  const front = READ_FROM_THE_FRONT[kind]
  return `    ${front === undefined ? form(pattern) : `re.compile(${quoted(toPython(front))}, EXACT)`},`
})

const rules = RULES.map(
  ({ keywords, pattern, prefix, kind }) =>
    `    ([${keywords.map(quoted).join(', ')}], ${quoted(toPython(pattern.source))}, ${pattern.flags.includes('i') ? 'FOLDED' : 'EXACT'}, ${quoted(prefix)}, ${kind === 'clickhouse-cloud-api-secret-key' ? 'True' : 'False'}),`,
)

const commands = FORMS_BY_COMMAND.map(([names, given]) => {
  const { when, flags = [], userFlags = [], assignments = false, names: words, position } = given
  const list = (texts: readonly string[]) => `(${texts.map((text) => `${quoted(text)}, `).join('')})`
  return `    CommandForm(${quoted(names)}, ${when === undefined ? 'None' : form(when)}, ${list(flags)}, ${list(userFlags)}, ${assignments ? 'True' : 'False'}, ${words === undefined ? 'None' : form(words)}, ${position ?? 'None'}),`
})

writeGenerated({
  'clients/python/turngraph/_secret_rules.py': `"""The forms of secrets. Generated from the tables of src/core/scrub by \`npm run docs\`: do not edit.

Rules of gitleaks are among them: Copyright (c) 2019 Zachary Rice, MIT License (src/core/scrub/gitleaks-rules.ts).
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

EXACT = re.ASCII
FOLDED = re.ASCII | re.IGNORECASE


class CommandForm(NamedTuple):
    commands: str
    when: Optional[re.Pattern[str]]
    flags: tuple[str, ...]
    user_flags: tuple[str, ...]
    assignments: bool
    names: Optional[re.Pattern[str]]
    position: Optional[int]


SPACE = re.compile(${quoted(`[${SPACE}]+`)})
${forms.join('\n')}

PATTERNS: list[re.Pattern[str]] = [
${patterns.join('\n')}
]

# Keywords, pattern, flags, the prefix that does not count as random, and whether a hash is no secret.
COLLECTION: list[tuple[list[str], str, int, str, bool]] = [
${rules.join('\n')}
]

COMMANDS: list[CommandForm] = [
${commands.join('\n')}
]
`,
})
