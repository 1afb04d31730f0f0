/**
 * An independent reader of Claude Code transcripts: the oracle for tests of the streaming reader. It is
 * written only from the transcripts contract, never from `src/transcripts`. It holds whole files in memory,
 * parses every line and makes one pass per question, so that each rule can be checked by reading. `§` marks a
 * place at which the contract is not specific and this program had to decide.
 *
 *     npx tsx test/oracles/transcripts.ts ~/.claude/projects
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groupBy } from '../../src/core/group-by.ts'

export type StepStatus = 'ok' | 'error' | 'denied' | 'interrupted' | 'pending'

export type IndependentStep = {
  id: string
  tool: string
  status: StepStatus
  isParallel: boolean
  /** Only for `error`, without a leading `Error: `; neither scrubbed nor cut. */
  message: string | null
}

export type IndependentTurn = {
  id: string
  sessionId: string
  /** 0-based position in the session; turns without calls count, vanished ones do not. */
  index: number
  kind: string
  status: 'complete' | 'interrupted' | 'open'
  /** The `timestamp` of the start record, unchanged. */
  startedAt: string | null
  durationMs: number | null
  durationSource: 'turn_duration' | 'timestamps' | null
  length: number
  tools: string[]
  pattern: string | null
  errors: number
  parallelSteps: number
  steps: IndependentStep[]
}

export type IndependentSession = {
  sessionId: string
  parentSessionId: string | null
  parentStepId: string | null
  file: string
  turns: IndependentTurn[]
}

export type IndependentReading = {
  sessions: IndependentSession[]
  badLines: number
  recoveredLines: number
  /** § Files without a session: compaction agents, warm-ups, files that are not transcripts. */
  skippedFiles: number
  /** § Counts by `type` (`(none)` without one), and by `system/SUBTYPE`. */
  unknown: Record<string, number>
  pendingBytes: number
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const stringOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

// ---------------------------------------------------------------------------------------------- patterns

/** Returns a pattern: `Read, Read, Edit` → `Read{2+} → Edit`. Runs collapse, always to `{2+}`. */
export function patternOf(tools: readonly string[]): string {
  const runs: { tool: string; calls: number }[] = []
  for (const tool of tools) {
    const last = runs.at(-1)
    if (last?.tool === tool) last.calls += 1
    else runs.push({ tool, calls: 1 })
  }
  return runs.map((run) => (run.calls > 1 ? `${run.tool}{2+}` : run.tool)).join(' → ')
}

// ----------------------------------------------------------------------------------------- bytes to records

type FileText = { records: Json[]; badLines: number; recoveredLines: number; pendingBytes: number }

/**
 * Decodes bytes: invalid UTF-8 becomes U+FFFD; NULs, blanks and a BOM (`\s` includes U+FEFF) are removed at
 * both ends.
 */
function cleanText(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
  let from = 0
  let to = text.length
  const isBlank = (at: number) => /[\0\s]/.test(text.charAt(at))
  while (from < to && isBlank(from)) from += 1
  while (to > from && isBlank(to - 1)) to -= 1
  return text.slice(from, to)
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}

/** Returns the object at the beginning of a text: its shortest prefix that parses. */
function leadingObject(text: string): { object: Json; length: number } | null {
  if (!text.startsWith('{')) return null
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    const piece = parse(text.slice(0, end + 1))
    if (piece.ok && isObject(piece.value)) return { object: piece.value, length: end + 1 }
  }
  return null
}

const PADDING = /^[\0\s]*/
const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0

/**
 * Returns the objects of a line that is not a single object. § A piece is torn up to the next `}{`,
 * `{"parentUuid"`, `{"type"` or `{"uuid"`. An object there counts if it has a type and a uuid or a session,
 * and if the next object, or the end, follows immediately.
 */
function objectsOf(text: string): { used: Json[]; isTorn: boolean } {
  const used: Json[] = []
  let isTorn = false
  let isBehindTorn = false
  for (let rest = text; rest !== ''; ) {
    const found = leadingObject(rest)
    const behind = found === null ? '' : rest.slice(found.length).replace(PADDING, '')
    const { type, uuid, sessionId } = found?.object ?? {}
    const isRecord = typeof type === 'string' && [uuid, sessionId].some((name) => typeof name === 'string')
    if (found !== null && (!isBehindTorn || (isRecord && /^(\{|$)/.test(behind)))) {
      used.push(found.object)
      isBehindTorn = false
      rest = behind
    } else {
      isTorn = true
      isBehindTorn = true
      const starts = /(?<=\}[\0\s]*)\{|\{"(?:parentUuid|type|uuid)"/g
      starts.lastIndex = 1
      rest = rest.slice(starts.exec(rest)?.index ?? rest.length)
    }
  }
  return { used, isTorn }
}

/**
 * Returns the bytes of a last line that need not be read again. § Includes complete objects before an
 * unfinished one.
 */
function wholeBytes(bytes: Uint8Array): number {
  const raw = Buffer.from(bytes).toString('latin1') // one character per byte
  let at = lengthOf(/^(?:[\0\s]|\xef\xbb\xbf)*/, raw)
  let whole = 0
  for (let found = leadingObject(raw.slice(at)); found !== null; found = leadingObject(raw.slice(at))) {
    whole = at + found.length
    at = whole + lengthOf(PADDING, raw.slice(whole))
  }
  return at === raw.length && whole > 0 ? at : whole
}

function readFileText(path: string): FileText {
  const bytes = readFileSync(path)
  const file: FileText = { records: [], badLines: 0, recoveredLines: 0, pendingBytes: 0 }
  let at = 0
  while (at < bytes.length) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    const text = cleanText(bytes.subarray(at, end))
    if (newline === -1) {
      const whole = wholeBytes(bytes.subarray(at))
      if (whole > 0) readLine(cleanText(bytes.subarray(at, at + whole)), file)
      file.pendingBytes = end - at - whole
    } else if (text !== '') {
      readLine(text, file)
    }
    at = end + 1
  }
  return file
}

function readLine(text: string, file: FileText): void {
  const whole = parse(text)
  if (whole.ok) {
    if (isObject(whole.value)) file.records.push(whole.value)
    else file.badLines += 1
    return
  }
  const { used, isTorn } = objectsOf(text)
  file.records.push(...used)
  if (used.length > 0) file.recoveredLines += 1
  if (isTorn) file.badLines += 1
}

// --------------------------------------------------------------------------------------- records to threads

/**
 * Types of records that make turns. The next set is known but not needed; any other type is counted as
 * unknown.
 */
const READ_TYPES = new Set(['user', 'assistant', 'system'])
const IGNORED_TYPES = new Set([
  'progress',
  'attachment',
  'file-history-snapshot',
  'summary',
  'ai-title',
  'custom-title',
  'last-prompt',
  'queue-operation',
])
const KNOWN_SUBTYPES = new Set(['stop_hook_summary', 'turn_duration', 'compact_boundary'])

const typeOf = (record: Json): string => (typeof record.type === 'string' ? record.type : '(none)')
const isKnown = (record: Json): boolean => READ_TYPES.has(typeOf(record)) || IGNORED_TYPES.has(typeOf(record))

function unknownNameOf(record: Json): string | null {
  if (!isKnown(record)) return typeOf(record)
  const subtype = record.type === 'system' ? stringOf(record.subtype) : null
  return subtype !== null && !KNOWN_SUBTYPES.has(subtype) ? `system/${subtype}` : null
}

/** A thread of conversation: that of a session, or that of one subagent. */
type Thread = {
  sessionId: string
  /** The session of the file; for a separate thread its parent, unless a subagent started it. */
  rootId: string
  agentId: string | null
  isSidechain: boolean
  records: Json[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function firstString(records: Json[], field: string): string | null {
  for (const record of records) {
    const value = stringOf(record[field])
    if (value !== null) return value
  }
  return null
}

function threadsOf(path: string, records: Json[]): Thread[] {
  if (!records.some(isKnown)) return []
  const name = basename(path, '.jsonl')
  const rootId = UUID.test(name) ? name : firstString(records, 'sessionId')
  if (rootId === null) return []
  const read = records.filter((record) => READ_TYPES.has(typeOf(record)))

  if (name.startsWith('agent-')) {
    // § The file is the thread: `isSidechain` and `agentId` in its records do not separate them.
    const agentId = firstString(records, 'agentId') ?? name.slice('agent-'.length)
    return [{ sessionId: `${rootId}/${agentId}`, rootId, agentId, isSidechain: true, records: read }]
  }

  const ownerOf = ownersIn(read, rootId)
  const foreign = groupBy(read, (record) => ownerOf.get(record) ?? rootId)
  return [...foreign].flatMap(([owner, records]) => threadsOfSession(owner, records))
}

/**
 * § A record of another session belongs to the file if the file has no record yet, if it follows a record of
 * the file, or if its session did so once. Only conversation of another session is separate.
 */
function ownersIn(records: Json[], rootId: string): Map<Json, string> {
  const owners = new Map<Json, string>()
  const ofFile = new Set<string>()
  const same = new Set([rootId])
  const separate = new Set<string>()
  for (const record of records) {
    const id = stringOf(record.sessionId) ?? rootId
    const follows = ofFile.size === 0 || ofFile.has(stringOf(record.parentUuid) ?? '')
    const speaks = record.type === 'user' || record.type === 'assistant'
    if (!same.has(id) && !follows && (speaks || separate.has(id))) {
      owners.set(record, id)
      if (record.isSidechain !== true) separate.add(id)
      continue
    }
    if (follows && !separate.has(id)) same.add(id)
    const uuid = stringOf(record.uuid)
    if (uuid !== null && record.isSidechain !== true) ofFile.add(uuid)
  }
  return owners
}

function threadsOfSession(rootId: string, read: Json[]): Thread[] {
  const threads: Thread[] = []
  // § A file that contains only records of sidechains has no separate session.
  if (read.some((record) => isKnown(record) && record.isSidechain !== true)) {
    const own = read.filter((record) => record.isSidechain !== true)
    threads.push({ sessionId: rootId, rootId, agentId: null, isSidechain: false, records: own })
  }
  const sidechains = new Map<string, Thread>()
  const threadByUuid = new Map<string, Thread>()
  for (const record of read.filter((each) => each.isSidechain === true)) {
    const agentId = stringOf(record.agentId)
    const uuid = stringOf(record.uuid)
    const key = agentId ?? uuid
    let thread =
      agentId === null
        ? (threadByUuid.get(uuid ?? '') ?? threadByUuid.get(stringOf(record.parentUuid) ?? ''))
        : sidechains.get(agentId)
    if (thread === undefined) {
      if (key === null) continue // § neither an agent nor a uuid: the thread has no name
      thread = { sessionId: `${rootId}/${key}`, rootId, agentId, isSidechain: true, records: [] }
      sidechains.set(key, thread)
    }
    thread.records.push(record)
    if (uuid !== null) threadByUuid.set(uuid, thread)
  }
  return [...threads, ...sidechains.values()]
}

// ------------------------------------------------------------------------------------- what a record means

const messageOf = (record: Json): Json => objectOf(record.message)

function blocksOf(record: Json): Json[] {
  const content = messageOf(record).content
  return Array.isArray(content) ? content.filter(isObject) : []
}

const textsOfBlocks = (blocks: Json[]): string[] =>
  blocks.flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))

/**
 * Returns the texts of a user record: a string, or the text blocks except `<ide_…>` and `<system-reminder>`;
 * no blank ones.
 */
function saidTexts(record: Json): string[] {
  const content = messageOf(record).content
  const texts =
    typeof content === 'string'
      ? [content]
      : textsOfBlocks(blocksOf(record)).filter((text) => !/^\s*<(ide_|system-reminder>)/.test(text))
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

/**
 * § Ignores all other content of the record: an interruption with a `tool_result` or in an `isMeta` record
 * counts, too.
 */
function isInterruption(record: Json): boolean {
  return record.type === 'user' && (saidTexts(record)[0]?.startsWith('[Request interrupted') ?? false)
}

const NO_START =
  /^(<local-command-(stdout|stderr|caveat)>|<bash-(stdout|stderr)>|\[Request interrupted|Caveat:|Operation stopped by hook)/

/** Returns the kind of the turn that this record would start, or null if it is not a start. */
function startKindOf(record: Json, isSidechain: boolean): string | null {
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true) return null
  // § The uuid of the start identifies the turn, so a record without one cannot start a turn.
  if (stringOf(record.uuid) === null) return null
  const blocks = blocksOf(record)
  if (blocks.some((block) => block.type === 'tool_result')) return null
  const text = saidTexts(record)[0]
  const hasPicture = blocks.some((block) => block.type === 'image' || block.type === 'document')
  if (text === undefined && !hasPicture) return null
  if (text !== undefined && NO_START.test(text)) return null
  if (text?.startsWith('<command-message>')) return 'skill'
  if (text?.startsWith('<command-name>')) return 'command'
  if (text?.startsWith('<bash-input>')) return 'bash'
  if (text?.startsWith('<task-notification>')) return 'task_notification'
  if (text?.startsWith('<teammate-message')) return 'teammate'
  const origin = stringOf(objectOf(record.origin).kind)
  if (origin !== null && origin !== 'human') return origin.split('-').join('_')
  return isSidechain ? 'subagent' : 'human'
}

/**
 * True for an assistant record that opens turns and proves completion: any except those of the model
 * `<synthetic>`.
 */
const isAnswer = (record: Json): boolean =>
  record.type === 'assistant' && messageOf(record).model !== '<synthetic>'

function provesCompletion(record: Json): boolean {
  if (isAnswer(record)) {
    const reason = messageOf(record).stop_reason
    return reason === 'end_turn' || reason === 'stop_sequence'
  }
  return (
    record.type === 'system' && (record.subtype === 'stop_hook_summary' || record.subtype === 'turn_duration')
  )
}

// ----------------------------------------------------------------------------------------- threads to turns

/** A turn's records in file order, before any value is computed from them. */
type Draft = {
  id: string
  kind: string
  promptId: string | null
  records: Json[]
  endedBy: 'start' | 'interruption' | 'file'
}

function draft(kind: string, start: Json): Draft {
  const promptId = kind === 'continuation' ? null : stringOf(start.promptId)
  return { id: stringOf(start.uuid) ?? '', kind, promptId, records: [start], endedBy: 'file' }
}

/**
 * Removes replayed history: repeated uuids. § Also removes repetitions of the newest record, which have the
 * same time.
 */
function withoutReplays(records: Json[]): Json[] {
  const uuids = new Set<string>()
  let newest = Number.NEGATIVE_INFINITY
  return records.filter((record) => {
    const uuid = stringOf(record.uuid)
    const time = Date.parse(stringOf(record.timestamp) ?? '')
    const isReplay = uuid !== null && uuids.has(uuid) && time <= newest
    if (uuid !== null) uuids.add(uuid)
    if (!Number.isNaN(time)) newest = Math.max(newest, time)
    return !isReplay
  })
}

function draftsOf(thread: Thread): Draft[] {
  const drafts: Draft[] = []
  let open: Draft | undefined
  /** A command or bash input that no assistant has answered yet. */
  let unanswered: Draft | undefined

  const close = (endedBy: Draft['endedBy']) => {
    if (open !== undefined) drafts.push({ ...open, endedBy })
    open = undefined
  }
  // § Treats the start as if it did not exist: later records belong to the turn that was open.
  const forgetUnanswered = () => {
    open?.records.push(...(unanswered?.records.slice(1) ?? []))
    unanswered = undefined
  }

  for (const record of withoutReplays(thread.records)) {
    if (isInterruption(record)) {
      forgetUnanswered()
      open?.records.push(record)
      close('interruption')
      continue
    }
    const kind = startKindOf(record, thread.isSidechain)
    const promptId = stringOf(record.promptId)
    const isSamePrompt = kind !== 'skill' && promptId !== null && promptId === open?.promptId
    if (kind !== null && !isSamePrompt) {
      forgetUnanswered()
      if (kind === 'command' || kind === 'bash') {
        unanswered = draft(kind, record)
      } else {
        close('start')
        open = draft(kind, record)
      }
      continue
    }
    if (isAnswer(record) && unanswered !== undefined) {
      close('start')
      open = unanswered
      unanswered = undefined
    }
    if (isAnswer(record) && open === undefined && stringOf(record.uuid) !== null) {
      open = draft('continuation', record)
      continue
    }
    const current = unanswered ?? open
    current?.records.push(record)
  }
  forgetUnanswered()
  close('file')
  return drafts
}

type Result = { block: Json; record: Json }

const responseOf = (record: Json): string =>
  stringOf(messageOf(record).id) ?? stringOf(record.requestId) ?? stringOf(record.uuid) ?? ''

/**
 * Identifies a call by its response and its id: ids may restart in every response, and a copy has the same
 * response.
 */
const nameOfCall = (response: string, id: string): string => JSON.stringify([response, id])

/**
 * Returns the result of each call, in the order of the file. § If several calls have the same id and no
 * result yet, a result belongs to the call in the record that it names, otherwise to the newest call of its
 * thread, otherwise to the newest call. A call that is newer than the result itself counts only if the result
 * names its record, or no record.
 */
function resultsOf(records: Json[], threads: readonly Thread[]): Map<string, Result> {
  const results = new Map<string, Result>()
  const asked: { id: string; name: string; record: Json }[] = []
  const timeOf = (record: Json) => Date.parse(stringOf(record.timestamp) ?? '')
  for (const record of records) {
    for (const block of blocksOf(record)) {
      if (record.type === 'assistant' && block.type === 'tool_use') {
        const id = stringOf(block.id) ?? ''
        const name = nameOfCall(responseOf(record), id)
        if (!asked.some((call) => call.name === name)) asked.push({ id, name, record })
      }
      if (record.type === 'user' && block.type === 'tool_result') {
        const parents = [record.sourceToolAssistantUUID, record.parentUuid].filter(
          (id) => stringOf(id) !== null,
        )
        const open = asked.filter(
          (call) =>
            call.id === block.tool_use_id &&
            !results.has(call.name) &&
            (parents.length === 0 ||
              parents.includes(call.record.uuid) ||
              !(timeOf(record) < timeOf(call.record))),
        )
        // § Sorts by time: replayed history may contain a call that was torn before.
        open.sort((a, b) => timeOf(a.record) - timeOf(b.record) || 0)
        const own = threads.find((thread) => thread.records.includes(record))
        const call =
          open.findLast((each) => parents.includes(each.record.uuid)) ??
          open.findLast((each) => own?.records.includes(each.record)) ??
          open.at(-1)
        if (call !== undefined) results.set(call.name, { block, record })
      }
    }
  }
  return results
}

/**
 * Returns the text of a string, of text blocks, or of a `toolUseResult` string. § Removes `Error: ` before
 * comparisons.
 */
function resultText({ block, record }: Result): string {
  const content = block.content
  const own =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? textsOfBlocks(content.filter(isObject)).join('\n')
        : ''
  const text = own !== '' ? own : (stringOf(record.toolUseResult) ?? '')
  return text.replace(/^Error: /, '')
}

const INTERRUPTED =
  /^((Exit code -?\d+\n)?\[Request interrupted by user|The user doesn't want to take this action right now)/
const DENIED =
  /^(The user doesn't want to proceed with this tool use|Permission to use |Claude requested permissions |This command requires approval|This Bash command contains multiple operations\. The following part)/

/**
 * § Sentences of Claude Code's tools that the contract calls known. A star is one word, number or quoted
 * name; a final `$` forbids any text after it.
 */
const TOOL_SENTENCES = [
  'Request failed with status code *$',
  'Found * matches of the string to replace, but replace_all is false.',
  'String to replace not found in file.',
  'File does not exist.',
  'File has not been read yet. Read it first before writing to it.',
  'File content (*) exceeds maximum allowed * (*).',
  'Shell * is not running, so cannot be killed (status: *)$',
  'Sibling tool call errored$',
].map((sentence) => {
  const isAll = sentence.endsWith('$')
  const words = (isAll ? sentence.slice(0, -1) : sentence).split('*')
  const quoted = words.map((part) => part.replace(/[.()$]/g, '\\$&'))
  return new RegExp(`^${quoted.join('[^)\\n]{1,40}?')}${isAll ? '$' : ''}`)
})

/**
 * Returns the part of an error text whose form shows that a program wrote it. § Returns null in case of
 * doubt.
 */
function programText(text: string, tool: string): string | null {
  if (tool === 'AskUserQuestion' || tool === 'ExitPlanMode') return null
  if (/the user (said|provided|doesn't want|rejected)|user rejected/i.test(text)) return null
  const [firstLine] = text.split('\n')
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  const isPytest = /=== test session starts ===/.test(text) && /\d\.\d\ds( \([\d:]+\))? ={3,}$/.test(last)
  const isOfPytest = isPytest && (firstLine?.startsWith('===') || firstLine?.startsWith('ERROR: '))
  if (/^Exit code -?\d+$/.test(firstLine ?? '') || firstLine === '### Error' || isOfPytest)
    return (text.split('[Request interrupted by user')[0]?.split('<system-reminder>')[0] ?? '').trimEnd()
  if (text.startsWith('<tool_use_error>')) {
    const [inner = '', ...after] = text.split('</tool_use_error>')
    if (after.length === 0) return inner.trimEnd()
    return `${inner.split('\nString: ')[0]}</tool_use_error>`
  }
  for (const sentence of TOOL_SENTENCES) {
    const found = text.match(sentence)?.[0]
    if (found !== undefined) return found
  }
  return null
}

/** § True for output of a program in an old version, as the corpus has it: an error, without its text. */
const isPrinted = (text: string): boolean =>
  text
    .split('\n')
    .some((line) =>
      /^(Traceback \(most|time="|WARN |ERROR: |Pre-commit |Tool execution failed|\/\S+$|\S+:\d+:|\S+: .*No such file|.*was blocked\. For security)/.test(
        line,
      ),
    )

/** Applies the rows of the contract's table in order. */
function statusOf(result: Result | undefined, tool: string, isTurnInterrupted: boolean): StepStatus {
  if (result === undefined) return isTurnInterrupted ? 'interrupted' : 'pending'
  if (result.block.is_error !== true) return 'ok'
  const text = resultText(result)
  if (INTERRUPTED.test(text)) return 'interrupted'
  if (DENIED.test(text)) return 'denied'
  if (stringOf(result.record.toolUseResult)?.replace('Error: ', '').startsWith('User rejected'))
    return 'denied'
  if (result.record.toolDenialKind !== undefined && result.record.toolDenialKind !== null) return 'denied'
  // A person's sentence: no known form, and `toolUseResult` is a plain string or absent.
  const isKnown = programText(text, tool) !== null || isPrinted(text) || /^Exit code /.test(text)
  return text.trim() === '' || isKnown || typeof result.record.toolUseResult === 'object' ? 'error' : 'denied'
}

type Call = { id: string; tool: string; response: string; position: number }

/** Returns each new `tool_use` block of a turn. `taken` contains the earlier calls of the thread. */
function callsOf(turn: Draft, taken: Set<string>): Call[] {
  const calls: Call[] = []
  for (const [position, record] of turn.records.entries()) {
    if (record.type !== 'assistant') continue
    const response = responseOf(record)
    for (const block of blocksOf(record)) {
      const { id } = block
      const tool = stringOf(block.name)
      if (block.type !== 'tool_use' || typeof id !== 'string' || tool === null) continue
      if (taken.has(nameOfCall(response, id))) continue
      taken.add(nameOfCall(response, id))
      calls.push({ id, tool, response, position })
    }
  }
  return calls
}

function durationOf(turn: Draft): Pick<IndependentTurn, 'durationMs' | 'durationSource'> {
  const measured = turn.records
    .filter((record) => record.type === 'system' && record.subtype === 'turn_duration')
    .map((record) => record.durationMs)
    .filter((value) => typeof value === 'number')
    .at(-1)
  if (measured !== undefined) return { durationMs: measured, durationSource: 'turn_duration' }
  const times = turn.records.map((record) => Date.parse(stringOf(record.timestamp) ?? ''))
  const start = times[0]
  // § Uses the newest time, so that a clock that was set back gives no negative duration.
  const last = Math.max(...times.filter((time) => !Number.isNaN(time)))
  if (start === undefined || Number.isNaN(start)) {
    return { durationMs: null, durationSource: null }
  }
  return { durationMs: last - start, durationSource: 'timestamps' }
}

function turnOf(
  turn: Draft,
  calls: Call[],
  results: Map<string, Result>,
  sessionId: string,
): IndependentTurn {
  const callsInResponse = (response: string) => calls.filter((call) => call.response === response).length
  const steps = calls.map(({ id, tool, response }): IndependentStep => {
    const result = results.get(nameOfCall(response, id))
    const status = statusOf(result, tool, turn.endedBy === 'interruption')
    const message = status === 'error' && result !== undefined ? programText(resultText(result), tool) : null
    return { id, tool, status, isParallel: callsInResponse(response) > 1, message }
  })
  const afterLastCall = turn.records.slice((calls.at(-1)?.position ?? 0) + 1)
  const endOfFile = afterLastCall.some(provesCompletion) ? 'complete' : 'open'
  const tools = steps.map((step) => step.tool)
  return {
    id: turn.id,
    sessionId,
    index: -1,
    kind: turn.kind,
    status: turn.endedBy === 'start' ? 'complete' : turn.endedBy === 'file' ? endOfFile : 'interrupted',
    startedAt: stringOf(turn.records[0]?.timestamp),
    ...durationOf(turn),
    length: steps.length,
    tools,
    pattern: tools.length > 0 ? patternOf(tools) : null,
    errors: steps.filter((step) => step.status === 'error').length,
    parallelSteps: steps.filter((step) => step.isParallel).length,
    steps,
  }
}

function turnsOf(thread: Thread, results: Map<string, Result>): IndependentTurn[] {
  const taken = new Set<string>()
  const turns = new Map<string, IndependentTurn>()
  for (const each of draftsOf(thread)) {
    const calls = callsOf(each, taken)
    if (each.kind === 'continuation' && calls.length === 0) continue
    const turn = turnOf(each, calls, results, thread.sessionId)
    // § A repeated start in one thread is one turn, at its first position: the copy with more calls counts.
    const copy = turns.get(turn.id)
    if (copy === undefined || turn.length > copy.length) turns.set(turn.id, turn)
  }
  return [...turns.values()].map((turn, index) => ({ ...turn, index }))
}

// ------------------------------------------------------------------------------------------------ sessions

/** True for compaction agents, and for sidechains without calls whose prompt is `Warmup` or missing. */
function isSkipped(thread: Thread, turns: IndependentTurn[]): boolean {
  if (!thread.isSidechain) return false
  if (thread.agentId?.startsWith('acompact')) return true
  if (turns.some((turn) => turn.length > 0)) return false
  const prompt = thread.records.find((record) => startKindOf(record, true) !== null)
  return prompt === undefined || saidTexts(prompt)[0] === 'Warmup'
}

type Parent = { sessionId: string; stepId: string }

/**
 * Collects the agents that calls of this thread started, by `toolUseResult.agentId`. The first call counts.
 */
function collectParents(thread: Thread, parents: Map<string, Parent>): void {
  for (const record of thread.records) {
    const agentId = stringOf(objectOf(record.toolUseResult).agentId)
    const result = blocksOf(record).find((block) => block.type === 'tool_result')
    const stepId = stringOf(result?.tool_use_id)
    const key = `${thread.rootId}/${agentId}`
    if (agentId !== null && stepId !== null && !parents.has(key)) {
      parents.set(key, { sessionId: thread.sessionId, stepId })
    }
  }
}

/**
 * § Reads the call from `agent-ID.meta.json` next to `agent-ID.jsonl`, which names it as `toolUseId` (none in
 * the corpus).
 */
function stepIdInMeta(path: string): string | null {
  const metaPath = path.replace(/\.jsonl$/, '.meta.json')
  if (metaPath === path || !existsSync(metaPath)) return null
  const meta = parse(readFileSync(metaPath, 'utf8'))
  return meta.ok ? stringOf(objectOf(meta.value).toolUseId) : null
}

function transcriptFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(byCodeUnit)
}

/** Reads one file, or a folder: regular `*.jsonl` files, recursively, in code-unit order of path. */
export function readIndependently(path: string): IndependentReading {
  const reading: IndependentReading = {
    sessions: [],
    badLines: 0,
    recoveredLines: 0,
    skippedFiles: 0,
    unknown: {},
    pendingBytes: 0,
  }
  const found: { session: IndependentSession; thread: Thread }[] = []
  const parents = new Map<string, Parent>()

  for (const file of transcriptFiles(path)) {
    const { records, ...counts } = readFileText(file)
    reading.badLines += counts.badLines
    reading.recoveredLines += counts.recoveredLines
    reading.pendingBytes += counts.pendingBytes
    for (const name of records.map(unknownNameOf)) {
      if (name !== null) reading.unknown[name] = (reading.unknown[name] ?? 0) + 1
    }
    const threads = threadsOf(file, records)
    const results = resultsOf(records, threads)
    const sessionsBefore = found.length
    for (const thread of threads) {
      const turns = turnsOf(thread, results)
      collectParents(thread, parents)
      if (isSkipped(thread, turns)) continue
      const session = {
        sessionId: thread.sessionId,
        parentSessionId: null,
        parentStepId: null,
        file,
        turns,
      }
      found.push({ session, thread })
    }
    if (found.length === sessionsBefore) reading.skippedFiles += 1
  }

  for (const { session, thread } of found) {
    if (thread.isSidechain) {
      const parent = thread.agentId === null ? undefined : parents.get(`${thread.rootId}/${thread.agentId}`)
      session.parentSessionId = parent?.sessionId ?? thread.rootId
      session.parentStepId = parent?.stepId ?? stepIdInMeta(session.file)
    }
    reading.sessions.push(session)
  }
  return reading
}

// --------------------------------------------------------------------------------------------------- forks

/**
 * § Prefers more calls; then, for independence from the order of import: more results, the smaller session
 * id, the text.
 */
function compareCopies(a: IndependentTurn, b: IndependentTurn): number {
  const results = (turn: IndependentTurn) => turn.steps.filter((step) => step.status !== 'pending').length
  return (
    b.length - a.length ||
    results(b) - results(a) ||
    byCodeUnit(a.sessionId, b.sessionId) ||
    byCodeUnit(JSON.stringify(a), JSON.stringify(b))
  )
}

/** Merges sessions like the graph: one turn per start uuid, linked to every session that has it. */
export function mergeForks(
  sessions: IndependentSession[],
): Map<string, IndependentTurn & { sessionIds: string[] }> {
  const copies = new Map<string, IndependentTurn[]>()
  for (const turn of sessions.flatMap((session) => session.turns)) {
    copies.set(turn.id, [...(copies.get(turn.id) ?? []), turn])
  }
  const merged = new Map<string, IndependentTurn & { sessionIds: string[] }>()
  for (const [id, turns] of copies) {
    const sessionIds = [...new Set(turns.map((turn) => turn.sessionId))].sort(byCodeUnit)
    for (const best of turns.toSorted(compareCopies).slice(0, 1)) merged.set(id, { ...best, sessionIds })
  }
  return merged
}

// ------------------------------------------------------------------------------------------ as a program

function countsOf(reading: IndependentReading): Record<string, number> {
  const turns = reading.sessions.flatMap((session) => session.turns)
  const steps = turns.flatMap((turn) => turn.steps)
  const withStatus = (status: StepStatus) => steps.filter((step) => step.status === status).length
  return {
    sessions: reading.sessions.length,
    turns: turns.length,
    withCalls: turns.filter((turn) => turn.length > 0).length,
    steps: steps.length,
    parallel: steps.filter((step) => step.isParallel).length,
    errors: withStatus('error'),
    denied: withStatus('denied'),
    interrupted: withStatus('interrupted'),
    pending: withStatus('pending'),
    bad: reading.badLines,
    recovered: reading.recoveredLines,
    skipped: reading.skippedFiles,
  }
}

function printTable(paths: string[]): void {
  for (const path of paths) {
    const rows: Record<string, Record<string, number>> = {}
    for (const file of transcriptFiles(path)) {
      rows[relative(path, file) || file] = countsOf(readIndependently(file))
    }
    rows.TOTAL = countsOf(readIndependently(path))
    console.table(rows)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printTable(process.argv.slice(2))
