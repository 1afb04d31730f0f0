// Describes the problems of a value that does not fit its schema, in words that are not written for
// programmers. The parser's own messages are.
import type * as z from 'zod'

/** Returns the message of an issue, for `safeParse({ error })`; undefined if the schema has its own message. */
export function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_type':
      return issue.expected === 'int'
        ? 'must be a whole number'
        : `must be of type ${issue.expected === 'record' ? 'object' : issue.expected}, and is ${typeName(issue.input)}`
    case 'too_small':
      return `must ${sizeText(issue.origin, issue.minimum, issue.inclusive === false ? 'above' : 'at least')}`
    case 'too_big':
      return `must ${sizeText(issue.origin, issue.maximum, issue.inclusive === false ? 'below' : 'at most')}`
    case 'invalid_union':
      return unionText(issue.errors)
    default:
      return undefined
  }
}

const UNITS: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function sizeText(origin: string, bound: number | bigint, word: string): string {
  const shown = bound.toLocaleString('en-US')
  const units = UNITS[origin]
  return units === undefined
    ? `be ${word} ${shown}`
    : `have ${word} ${shown} ${units[Number(bound) === 1 ? 0 : 1]}`
}

function unionText(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const wanted = forms.flatMap(([first]) => (first === undefined ? [] : [first.message]))
  return [...new Set(wanted)].join(', or ')
}

const typeName = (value: unknown): string => {
  if (value === null) return 'null'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value) // a number of JavaScript that JSON lacks
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
