/** Reads what must hold from the file that states a task: Markdown, or JSON of the form of PUT /v1/specification. Pure. */
import { lexer, type Token, type Tokens } from 'marked'
import { TurngraphError } from '../core/errors.ts'

export type TaskFile = {
  taskId: string | null
  featureId: string | null
  criteria: { criterionId?: string; text: string; kind?: string }[]
}

export type TaskFileOptions = {
  /** Makes each nested item a criterion of its own; else they belong to their parent's text. */
  nested?: boolean
}

/**
 * Front matter names the task (`id` or `task_id`, `feature_id`); the criteria are the items of the lists under the first heading
 * that says "Acceptance Criteria", up to the next heading of its level or above. A leading `AC-3:`, `**AC-003**` or `AC3 -` is
 * the id (contract: specification.md).
 *
 * @throws `invalid_request` where the file states no criteria; it says what was looked for
 * @example
 * parseTaskFile('# Retry\n## Acceptance criteria\n- [ ] AC-1: An unknown host is retried', 'tasks/TASK-1.md')
 */
export function parseTaskFile(
  source: string,
  file: string,
  { nested = false }: TaskFileOptions = {},
): TaskFile {
  const { body, ...names } = splitFrontMatter(source)
  const tokens = lexer(body)
  const start = tokens.findIndex((token) => isHeading(token) && SAYS_CRITERIA.test(token.text))
  if (start < 0) throw statesNone(file, 'it has no heading "Acceptance Criteria"', tokens)
  const level = (tokens[start] as Tokens.Heading).depth
  const end = tokens.findIndex((token, i) => i > start && isHeading(token) && token.depth <= level)
  const lists = tokens.slice(start + 1, end < 0 ? undefined : end).filter(isList)
  const texts = lists
    .flatMap(({ items }) => items.flatMap((item) => collectTexts(item, nested)))
    .filter((text) => text !== '')
  if (texts.length === 0)
    throw statesNone(file, 'there is no list under its heading "Acceptance Criteria"', tokens)
  return { ...names, criteria: texts.map(splitId) }
}

/**
 * @throws `invalid_request` where it is no JSON object with `criteria`; what they are is checked when they are declared
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
    criteria: criteria.map((each) => {
      if (typeof each === 'string') return { text: each }
      const { criterion_id: criterionId, ...rest } = (each ?? {}) as Record<string, unknown>
      return { ...(criterionId != null && { criterionId }), ...rest } as TaskFile['criteria'][number]
    }),
  }
}

/** The task and the feature that the front matter of a file names; null where it names none. */
export function namesIn(source: string): Pick<TaskFile, 'taskId' | 'featureId'> {
  const { taskId, featureId } = splitFrontMatter(source)
  return { taskId, featureId }
}

const SAYS_CRITERIA = /acceptance\s+criteria/i

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'
const isList = (token: Token): token is Tokens.List => token.type === 'list'

/** An item's own words on one line, then those of the items in it; each a text of its own where that is asked for. */
function collectTexts(item: Tokens.ListItem, nested: boolean): string[] {
  const below = item.tokens
    .filter(isList)
    .flatMap(({ items }) => items.flatMap((each) => collectTexts(each, nested)))
  const own = oneLine(
    item.tokens
      .filter((token) => !isList(token) && token.type !== 'checkbox')
      .map(({ raw }) => raw)
      .join('\n'),
  )
  return nested ? [own, ...below] : [[own, ...below].filter((text) => text !== '').join(' ')]
}

const oneLine = (text: string): string => text.replace(CHECKBOX, '').replace(/\s+/gu, ' ').trim()

const CHECKBOX = /^\s*\[[ xX]\]\s+/

/** Letters may stand between, as in `AC-LOAD-01`; the mark around an id may hold more of the text. */
const ID = /^(\*\*|__|`)?(AC(?:-?\d{1,4}|(?:-[A-Za-z]+)+-\d{1,4}))(.*)$/is

/** `AC-3: …`, `AC3 - …`; `**AC-003** …`, `**AC-003:** …`, `` `AC-1` … ``, `**AC-3: …** …`. */
function splitId(text: string): { criterionId?: string; text: string } {
  const [, mark, id, after = ''] = ID.exec(text) ?? []
  const rest = id === undefined ? null : mark === undefined ? afterPlainId(after) : afterMarkedId(after, mark)
  if (id === undefined || rest === null || rest === '') return { text }
  return { criterionId: id.replace(/^([A-Za-z]+)(\d)/, '$1-$2').toUpperCase(), text: rest }
}

function afterPlainId(after: string): string | null {
  const found = /^\s*(?::|[-–—.)](?=\s))\s*/.exec(after)
  return found === null ? null : after.slice(found[0].length)
}

function afterMarkedId(after: string, mark: string): string | null {
  for (const end of [mark, `:${mark}`]) {
    if (after.startsWith(end)) return after.slice(end.length).replace(/^:?\s*(?:[-–—]\s+)?/, '')
  }
  // The mark ends after more words: they keep it.
  return after.startsWith(':') && after.includes(mark) ? mark + after.slice(1).trimStart() : null
}

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

/** A scalar of YAML: quoted, or up to a comment. */
function scalar(value: string): string {
  const quoted = /^(["'])(.*)\1/.exec(value)
  const plain = quoted?.[2] ?? value.replace(/(?:^|\s)#.*$/, '').trim()
  return plain === 'null' || plain === '~' ? '' : plain
}

function statesNone(file: string, what: string, tokens: readonly Token[]): TurngraphError {
  const headings = tokens.filter(isHeading).map(({ text }) => JSON.stringify(text))
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
      `is no JSON: ${cause instanceof Error ? cause.message : cause}`,
      'A Markdown file ends in .md.',
    )
  }
}

const invalid = (file: string, message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', `${file} ${message}.`, {
    hint,
    details: { problems: [{ path: file, message }] },
  })
