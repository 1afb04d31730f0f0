/** Collects the tasks, criteria and warnings of a specification file, in any format. Pure. */
import { MAX_CRITERIA, MAX_PATTERN_CHARACTERS } from '../../memory/specification/specification.ts'
import { findCommands, splitCommand } from '../../rules/command-line.ts'
import { normalizeLabel, splitOwnLabel } from '../../rules/labels.ts'
import type { CriterionKind } from '../../rules/values.ts'
import { joinedWords } from '../../rules/words.ts'
import { removeComments } from '../markdown-lines.ts'

export type StatedCriterion = {
  criterionId?: string
  text: string
  kind?: CriterionKind
  /** The program and its arguments, or a text in the form of a command line, whose exit proves it. */
  command?: string | string[]
  tests?: string[]
}
export type StatedTask = { featureId: string | null; taskId: string | null; criteria: StatedCriterion[] }
/** `line` is null if the format does not know it. */
export type StatedWarning = { line: number | null; message: string }

export type Stated = {
  tasks: StatedTask[]
  warnings: StatedWarning[]
  /** The reason why the file states no task, as the rest of a sentence that begins with the file. */
  refused?: string
  /** True if the file has too many parts to be read: it may state criteria. */
  isTooLong?: true
}

export type ReadOptions = {
  /** Path of the file as it was given; empty for a text without a file. */
  path: string
  /** Makes each nested item a separate criterion. By default nested items are part of their parent's text. */
  nested?: boolean
  /** Reads each task of a spec-kit `tasks.md`. */
  tasks?: boolean
  /** Feature of the flag, if a format makes it a part of its own. */
  featureId?: string | null
  /** Texts of the files that come before this one and that it changes, oldest first. */
  earlier?: readonly string[]
}

/** Maximum length of the criteria of one task: the request that declares them is below 1 MiB. */
const MAX_STATED_CHARACTERS = 512 * 1024
const MAX_TEXT_BYTES = 64 * 1024
/** Maximum number of texts of one task that are looked at: a hostile file has a million. */
export const MAX_TEXTS = 20_000

type Candidate = StatedCriterion & { line: number | null; section: string | null }

type Addition = {
  text: string
  line: number | null
  /** Null: the text has no id, even if it begins with a label. Left out: a label at its start is the id. */
  criterionId?: string | null
  section?: string | null
  tests?: readonly string[]
  kind?: CriterionKind
  command?: string | readonly string[]
}

export class StatedList {
  readonly warnings: StatedWarning[]
  readonly #criteria: Candidate[] = []
  readonly #lineOfWords = new Map<string, number | null>()
  /** Number of texts, also those without words. */
  added = 0

  constructor(warnings: StatedWarning[] = []) {
    this.warnings = warnings
  }

  warn(line: number | null, message: string): void {
    this.warnings.push({ line, message })
  }

  get size(): number {
    return this.#criteria.length
  }

  /** Adds a text. A text without words, or with the words of an earlier one, is left out with a warning. */
  add({ text: stated, line, criterionId, section = null, tests, kind, command }: Addition): void {
    this.added++
    if (this.added > MAX_TEXTS) return
    const { label, text } = splitStatedLabel(cleanText(stated), criterionId)
    const warn = (message: string) => this.warn(line, message)
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
      return void warn('an item is longer than 64 KiB; it is not read')
    const words = joinedWords(text)
    if (words === '') return void warn('an item has no words; it is skipped')
    if (STRUCK_OUT.test(text)) return void warn('an item is struck out; it is not read')
    const earlier = this.#lineOfWords.get(words)
    if (earlier !== undefined) return void warn(`an item repeats the text${atLine(earlier)}; it is read once`)
    this.#lineOfWords.set(words, line)
    const patterns = (tests ?? []).filter((each) => each.length <= MAX_PATTERN_CHARACTERS)
    const commands = command !== undefined ? [command] : kind === undefined ? findCommands(text) : []
    if (commands.length > 1)
      warn(
        `${commands.length} commands are not declared: a criterion can have only one command; split the item, or put the commands into a script`,
      )
    const [given] = commands.length === 1 ? commands : []
    const split = typeof given === 'string' ? splitCommand(given) : given ? { argv: [...given] } : null
    if (split !== null && 'refused' in split)
      warn(`the command \`${given}\` is not declared: it ${split.refused}`)
    this.#criteria.push({
      ...(label !== null && { criterionId: label }),
      text,
      ...(kind !== undefined && { kind }),
      ...(split !== null && 'argv' in split && { kind: 'command', command: split.argv }),
      ...(patterns.length > 0 && { tests: patterns }),
      line,
      section,
    })
  }

  /** The criteria, each with an id of its own or without one. */
  toCriteria(): StatedCriterion[] {
    prefixRepeatedLabels(this.#criteria)
    const places = new Map<string, Candidate>()
    for (const each of this.#criteria) {
      if (each.criterionId === undefined) continue
      const key = normalizeLabel(each.criterionId)
      const first = places.get(key)
      if (first === undefined) places.set(key, each)
      else {
        this.warn(
          each.line,
          `the id ${each.criterionId} is taken${atLine(first.line)}; the item gets another one`,
        )
        delete each.criterionId
      }
    }
    nameUnnamed(this.#criteria, new Set(places.keys()))
    return this.#criteria.map(({ line: _, section: __, ...criterion }) => criterion)
  }

  /** @param none the reason why an empty list has no criteria */
  toStated(names: { featureId: string | null; taskId: string | null }, none: string): Stated {
    const { warnings } = this
    const criteria = this.toCriteria()
    if (this.added > MAX_TEXTS)
      return { tasks: [], warnings, refused: `has more than ${MAX_TEXTS} items of one task` }
    const refused = criteria.length === 0 ? `states no criteria: ${none}` : describeExcess(criteria)
    return refused === null ? { tasks: [{ ...names, criteria }], warnings } : { tasks: [], warnings, refused }
  }
}

/** Splits the label from a text. A text without a label keeps a number at its start, as in "404. is the answer". */
function splitStatedLabel(
  text: string,
  criterionId: string | null | undefined,
): { label: string | null; text: string } {
  if (criterionId !== undefined) return { label: criterionId, text }
  const split = splitOwnLabel(text)
  return split.label === null ? { label: null, text } : split
}

/** Writes a text as one line, without comments, a check box and the marks of fences. */
export function cleanText(text: string): string {
  const uncommented = removeComments(text)
  const kept = HAS_FENCE_MARK.test(uncommented) ? removeFenceMarks(uncommented) : uncommented
  return kept.replace(CHECK_BOX, '').replace(/\s+/gu, ' ').trim()
}

/** Matches a check box. Some editors write other marks than `x`, and some authors write no space after an empty box. */
const CHECK_BOX = /^\s*\[(?:\s?[xX]?\s?|[^\p{L}\p{N}[\]]{1,2})\](?=\s|$)|^\s*\[ \](?=[\p{L}\p{N}*_`])/u
export const hasCheckBox = (text: string): boolean => CHECK_BOX.test(text)

/** Matches a struck-out text, with or without a note after it: `~~text~~ (moved)`, `~~text~~ - moved`. */
const STRUCK_OUT = /^~~(?:(?!~~).)+~~\s*(?:$|[*_]{0,2}(?:\((?:[^()]|\([^()]*\))*\)[\s*_.]*$|[–—]|-+\s))/u
const removeFenceMarks = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !FENCE_MARK.test(line))
    .join('\n')

const HAS_FENCE_MARK = /`{3}|~{3}/
const FENCE_MARK = /^[ \t]*(?:`{3,}[^`]*|~{3,}.*)$/

const atLine = (line: number | null): string => (line === null ? '' : ` in line ${line}`)

/** `R1.AC-1` and `R2.AC-1` if two sections have the label AC-1. */
function prefixRepeatedLabels(criteria: readonly Candidate[]): void {
  const sections = new Map<string, Set<string | null>>()
  for (const { criterionId, section } of criteria) {
    if (criterionId === undefined) continue
    const key = normalizeLabel(criterionId)
    const found = sections.get(key)
    if (found === undefined) sections.set(key, new Set([section]))
    else found.add(section)
  }
  for (const each of criteria) {
    if (each.criterionId === undefined || each.section === null) continue
    const isRepeated = (sections.get(normalizeLabel(each.criterionId))?.size ?? 0) > 1
    if (isRepeated) each.criterionId = `${each.section}.${each.criterionId}`
  }
}

/** Gives an id to each criterion whose default, `AC-001` … in order, is the id of another one. */
function nameUnnamed(criteria: readonly Candidate[], taken: ReadonlySet<string>): void {
  let free = criteria.length
  for (const [i, each] of criteria.entries()) {
    if (each.criterionId !== undefined || !taken.has(toDefaultId(i + 1))) continue
    do free++
    while (taken.has(toDefaultId(free)))
    each.criterionId = toDefaultId(free)
  }
}

const toDefaultId = (number: number): string => normalizeLabel(`AC-${number}`)

export function describeExcess(criteria: readonly StatedCriterion[]): string | null {
  if (criteria.length > MAX_CRITERIA)
    return `states ${criteria.length} criteria of one task; the limit is ${MAX_CRITERIA}`
  const characters = criteria.reduce((sum, { text }) => sum + text.length, 0)
  return characters > MAX_STATED_CHARACTERS
    ? `has more than ${MAX_STATED_CHARACTERS} characters of criteria of one task`
    : null
}
