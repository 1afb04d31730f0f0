/** Reads the criteria from a task's file: Markdown, or JSON in the form of PUT /v1/specification. Pure. */
import { TurngraphError } from '../core/errors.ts'
import { splitLabel } from '../rules/labels.ts'
import { splitWords } from '../rules/words.ts'
import { type Block, type Heading, type ListItem, readBlocks, removeComments } from './markdown-lines.ts'

export type TaskFile = {
  taskId: string | null
  featureId: string | null
  criteria: { criterionId?: string; text: string; kind?: string }[]
  /** Number of list items without words, such as an empty check box. They are skipped. */
  emptyItems: number
}

export type TaskFileOptions = {
  /** Makes each nested item a separate criterion. By default nested items are part of their parent's text. */
  nested?: boolean
}

/**
 * Reads a task's Markdown file. Front matter names the task (`id` or `task_id`, `feature_id`). The criteria
 * are the list items under the first heading with "Acceptance Criteria", up to the next heading of its level
 * or above. A label at the start of an item is its id, verbatim (contract: specification.md). Items without
 * words are skipped and counted.
 *
 * @throws `invalid_request` if the file has no criteria; the message names the heading that was expected
 * @example
 * parseTaskFile('# Retry\n## Acceptance criteria\n- [ ] AC-1: An unknown host is retried', 'tasks/TASK-1.md')
 */
export function parseTaskFile(
  source: string,
  file: string,
  { nested = false }: TaskFileOptions = {},
): TaskFile {
  const { body, ...names } = splitFrontMatter(source)
  const blocks = readBlocks(body)
  const start = blocks.findIndex((block) => isHeading(block) && SAYS_CRITERIA.test(block.text))
  const heading = blocks[start]
  if (heading === undefined || !isHeading(heading))
    throw statesNone(file, 'it has no heading "Acceptance Criteria"', blocks)
  const end = blocks.findIndex((block, i) => i > start && isHeading(block) && block.level <= heading.level)
  const items = blocks
    .slice(start + 1, end < 0 ? undefined : end)
    .filter(isItem)
    .flatMap((item) => collectTexts(item, nested))
  if (items.reduce((sum, text) => sum + text.length, 0) > MOST_CHARACTERS)
    throw invalid(
      file,
      `has more than ${MOST_CHARACTERS} characters of criteria under its heading "Acceptance Criteria"`,
      'Split the task, or write criteria that are shorter.',
    )
  const criteria = items.map(toCriterion).filter(({ text }) => splitWords(text).length > 0)
  if (items.length === 0)
    throw statesNone(file, 'there is no list under its heading "Acceptance Criteria"', blocks)
  if (criteria.length === 0)
    throw statesNone(file, 'no item under its heading "Acceptance Criteria" has words', blocks)
  return { ...names, criteria, emptyItems: items.length - criteria.length }
}

function toCriterion(item: string): TaskFile['criteria'][number] {
  const { label, text } = splitLabel(item)
  return label === null ? { text: item } : { criterionId: label, text }
}

/** Warns of items without words; null if there are none. */
export const describeEmptyItems = ({ emptyItems }: TaskFile): string | null =>
  emptyItems === 0
    ? null
    : `${emptyItems} ${emptyItems === 1 ? 'item' : 'items'} under "Acceptance Criteria" ${emptyItems === 1 ? 'has' : 'have'} no words; skipped`

/**
 * @throws `invalid_request` if it is not a JSON object with `criteria`; the criteria are checked when they
 *   are declared
 */
export function parseSpecificationJson(source: string, file: string): TaskFile {
  const given = jsonIn(source, file)
  if (
    typeof given !== 'object' ||
    given === null ||
    !('criteria' in given) ||
    !Array.isArray(given.criteria)
  ) {
    throw invalid(
      file,
      'has no list `criteria`',
      'Write {"criteria": [{"text": "…"}]}, as PUT /v1/specification takes it.',
    )
  }
  const { criteria, ...names } = given as { criteria: Record<string, unknown>[] } & Record<string, unknown>
  const name = (key: string) => (typeof names[key] === 'string' ? (names[key] as string) : null)
  return {
    taskId: name('task_id'),
    featureId: name('feature_id'),
    emptyItems: 0,
    criteria: criteria.map((each) => {
      if (typeof each === 'string') return { text: each }
      const { criterion_id: criterionId, ...rest } = (each ?? {}) as Record<string, unknown>
      return { ...(criterionId != null && { criterionId }), ...rest } as TaskFile['criteria'][number]
    }),
  }
}

/** Reads the task and the feature from the front matter of a file; null if it does not name them. */
export function namesIn(source: string): Pick<TaskFile, 'taskId' | 'featureId'> {
  const { taskId, featureId } = splitFrontMatter(source)
  return { taskId, featureId }
}

const SAYS_CRITERIA = /acceptance\s+criteria/i

/** Maximum length of the criteria section: 64 KiB. */
const MOST_CHARACTERS = 65_536

const isHeading = (block: Block): block is Heading => block.kind === 'heading'
const isItem = (block: Block): block is ListItem => block.kind === 'item'

/**
 * Joins an item's own words and those of its nested items on one line. With `nested`, each item is a separate
 * text.
 */
function collectTexts({ lines, items }: ListItem, nested: boolean): string[] {
  const below = items.flatMap((item) => collectTexts(item, nested))
  const own = removeComments(lines.join('\n')).replace(CHECKBOX, '').replace(/\s+/gu, ' ').trim()
  return nested ? [own, ...below] : [[own, ...below].filter((text) => text !== '').join(' ')]
}

const CHECKBOX = /^\s*\[[ \txX]?\](?=\s|$)/

function splitFrontMatter(source: string): { body: string; taskId: string | null; featureId: string | null } {
  const text = source.replace(/^\uFEFF/, '')
  const found = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  const lines = [...(found?.[1] ?? '').matchAll(/^(id|task_id|feature_id)[ \t]*:[ \t]*(.*?)[ \t]*$/gm)]
  const fields = new Map(lines.map(([, name = '', value = '']) => [name, scalar(value)] as const))
  return {
    body: text.slice(found?.[0].length ?? 0),
    taskId: fields.get('id') || fields.get('task_id') || null,
    featureId: fields.get('feature_id') || null,
  }
}

/** Reads a scalar of YAML: quoted, or up to a comment. */
function scalar(value: string): string {
  const quoted = /^(["'])(.*)\1/.exec(value)
  const plain = quoted?.[2] ?? value.replace(/(?:^|\s)#.*$/, '').trim()
  return plain === 'null' || plain === '~' ? '' : plain
}

function statesNone(file: string, what: string, blocks: readonly Block[]): TurngraphError {
  const headings = blocks.filter(isHeading).map(({ text }) => JSON.stringify(text))
  const seen = headings.length === 0 ? 'none' : headings.slice(0, 10).join(', ')
  return invalid(
    file,
    `states no criteria: ${what}. Headings: ${seen}`,
    'Write a list under a heading "Acceptance Criteria".',
  )
}

function jsonIn(source: string, file: string): unknown {
  try {
    return JSON.parse(source)
  } catch (cause) {
    throw invalid(
      file,
      `is not JSON: ${cause instanceof Error ? cause.message : cause}`,
      'A Markdown file ends in .md.',
    )
  }
}

const invalid = (file: string, message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', `${file} ${message}.`, {
    hint,
    details: { problems: [{ path: file, message }] },
  })
