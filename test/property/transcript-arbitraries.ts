import fc from 'fast-check'
import {
  calls,
  failed,
  instant,
  result,
  SESSION,
  says,
  system,
  user,
  type Written,
} from '../support/written-transcript.ts'

/**
 * Any transcript that Claude Code could write, and what happens to files: a list of happenings is drawn, and each
 * becomes a record of its thread. References (which call a result answers) are numbers, taken modulo what there is.
 */

const THREADS = ['main', 'main', 'main', 'agent-one', 'agent-two', 'old-one', 'old-two'] as const
type ThreadName = (typeof THREADS)[number]

type Happening = { thread: ThreadName; pause: number; told: Told }

type Told =
  | { is: 'user'; content: string | Written[]; promptId: string | null; more: Written }
  | { is: 'answer'; stop: string | null; synthetic: boolean; sameResponse: boolean }
  | { is: 'calls'; tools: string[]; sameResponse: boolean; stop: string | null; by: 'message' | 'request' | 'uuid' }
  | { is: 'results'; of: number[]; outcome: number }
  | { is: 'again'; which: number }
  | { is: 'system'; subtype: string; durationMs: number | null }
  | { is: 'other'; record: Written }

const block = (text: string): Written => ({ type: 'text', text })
const image: Written = { type: 'image', source: { type: 'base64', data: '' } }

const PROMPTS: readonly (string | Written[])[] = [
  'Fix the cart',
  [block('Fix the cart')],
  [block('<ide_opened_file>a.ts</ide_opened_file>'), block('Fix it')],
  [block('<system-reminder>x</system-reminder>'), image],
  [image],
  'Warmup',
  'Wärme → \u{1f600} }{ "type":"user"',
  '<command-message>review</command-message>\n<command-name>/review</command-name>',
  [block('<command-message>review</command-message>')],
  '<command-name>/clear</command-name>',
  '<command-name>/model</command-name>\n<command-message>model</command-message>',
  '<bash-input>ls</bash-input>',
  '<task-notification>\n<task-id>b1</task-id>',
  '<teammate-message teammate_id="lead">go</teammate-message>',
]
const NOTES: readonly (string | Written[])[] = [
  '',
  ' \n',
  [],
  [block('<ide_selection>x</ide_selection>')],
  [block('<system-reminder>x</system-reminder>')],
  '<local-command-stdout>ok</local-command-stdout>',
  '<local-command-stderr>no</local-command-stderr>',
  '<local-command-caveat>Caveat</local-command-caveat>',
  '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>',
  '<bash-stderr>a</bash-stderr>',
  'Caveat: The messages below',
  'Operation stopped by hook: no',
]
const INTERRUPTIONS = [
  '[Request interrupted by user]',
  [block('[Request interrupted by user for tool use]')],
] as const

const OUTCOMES: readonly ((id: string) => Written)[] = [
  (id) => result(id),
  (id) => result(id, { is_error: false, content: '[Request interrupted by user' }),
  (id) => failed(id, 'Error: File does not exist.'),
  (id) => failed(id, [block('<tool_use_error>no such string'), block('in the file')]),
  (id) => failed(id, '', { toolUseResult: 'Error: Exit code 2' }),
  (id) => failed(id, 'Exit code 137\n[Request interrupted by user for tool use]'),
  (id) => failed(id, "The user doesn't want to take this action right now. STOP"),
  (id) => failed(id, "The user doesn't want to proceed with this tool use. The tool use was rejected"),
  (id) => failed(id, 'Permission to use Bash has been denied'),
  (id) => failed(id, 'no', { toolUseResult: 'User rejected tool use' }),
  (id) => failed(id, 'no', { toolDenialKind: 'hook' }),
  (id) => result(id, { content: [block('done')] }, { toolUseResult: { agentId: 'one', status: 'completed' } }),
]

const SKIPPED: readonly Written[] = [
  { type: 'progress', data: { type: 'agent_progress', message: { type: 'user', message: { content: 'x' } } } },
  { type: 'file-history-snapshot', messageId: 'm', snapshot: { type: 'user' } },
  { type: 'summary', summary: 'It says "type":"user" }{', leafUuid: 'l' },
  { attachment: { type: 'user', content: '"type":"assistant"' }, type: 'attachment' },
  { type: 'queue-operation', operation: 'enqueue', content: '<command-name>/x' },
  { type: '__proto__', message: { content: 'Do it' } },
  { type: 'not-known-yet', message: { content: 'Do it' } },
  { message: { content: 'Do it' } },
]

const promptId = fc.option(fc.constantFrom('p1', 'p2', 'p3'), { nil: null, freq: 3 })
const stop = fc.constantFrom(null, null, 'tool_use', 'end_turn', 'stop_sequence')
const tools = fc.array(fc.constantFrom('Read', 'Read', 'Grep', 'Edit', 'Bash', 'mcp__a__b', '__proto__'), {
  minLength: 1,
  maxLength: 3,
})
const userSays = (contents: readonly (string | Written[])[], more: Written = {}) =>
  fc.record({
    is: fc.constant('user' as const),
    content: fc.constantFrom(...contents),
    promptId,
    more: fc.constant(more),
  })

const told: fc.Arbitrary<Told> = fc.oneof(
  { weight: 5, arbitrary: userSays(PROMPTS) },
  { weight: 2, arbitrary: userSays(NOTES) },
  { weight: 1, arbitrary: userSays(PROMPTS, { isMeta: true }) },
  { weight: 1, arbitrary: userSays(PROMPTS, { isCompactSummary: true }) },
  { weight: 1, arbitrary: userSays(INTERRUPTIONS as unknown as (string | Written[])[]) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('answer' as const),
      stop,
      synthetic: fc.boolean().map((yes) => yes),
      sameResponse: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('calls' as const),
      tools,
      sameResponse: fc.boolean(),
      stop,
      by: fc.constantFrom('message' as const, 'message' as const, 'request' as const, 'uuid' as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('results' as const),
      of: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
      outcome: fc.nat(OUTCOMES.length - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('again' as const), which: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('system' as const),
      subtype: fc.constantFrom('stop_hook_summary', 'turn_duration', 'compact_boundary', 'new_subtype'),
      durationMs: fc.option(fc.nat(1e6), { nil: null }),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...SKIPPED).map((record) => ({ is: 'other' as const, record })) },
)

const happening: fc.Arbitrary<Happening> = fc.record({
  thread: fc.constantFrom(...THREADS),
  pause: fc.nat(5),
  told,
})

/** The records of what happened. */
export const transcript = (maxLength = 40): fc.Arbitrary<Written[]> =>
  fc
    .tuple(fc.boolean(), fc.array(happening, { maxLength, size: 'max' }))
    .map(([alone, happenings]) => recordsOf(alone ? happenings.map((each) => ({ ...each, thread: 'main' })) : happenings))

function recordsOf(happenings: readonly Happening[]): Written[] {
  const writer = new Writer()
  for (const each of happenings) writer.write(each)
  return writer.records
}

class Writer {
  readonly records: Written[] = []
  #second = 0
  readonly #waiting = new Set<ThreadName>()
  readonly #last = new Map<ThreadName, string>()
  readonly #responses = new Map<ThreadName, number>()
  readonly #calls: { id: string; thread: ThreadName }[] = []
  readonly #assistants: { record: Written; thread: ThreadName }[] = []

  write({ thread, pause, told }: Happening): void {
    this.#second += pause
    if (told.is === 'other') this.records.push({ ...this.#common('main'), ...told.record })
    else for (const [record, of] of this.#told(told, thread)) this.#add(record, of)
  }

  #told(told: Exclude<Told, { is: 'other' }>, thread: ThreadName): [Written, ThreadName][] {
    const n = this.records.length
    switch (told.is) {
      case 'user':
        if (told.content === 'Warmup' && thread !== 'main') return []
        if (typeof told.content === 'string' && /^<(command-name|bash-input)/.test(told.content)) this.#waiting.add(thread)
        return [[user(told.content, { promptId: told.promptId ?? undefined, ...told.more }), thread]]
      case 'answer': {
        const model = told.synthetic && n % 3 === 0 ? '<synthetic>' : 'claude-x'
        const id = `msg_${this.#response(thread, told.sameResponse)}`
        return [[says('So be it', { id, model, stop_reason: told.stop }), thread]]
      }
      case 'calls': {
        const response = this.#response(thread, told.sameResponse)
        const ids = told.tools.map((tool, i) => `${tool} toolu_${n}_${i}`)
        for (const each of ids) this.#calls.push({ id: each.split(' ')[1] ?? '', thread })
        const message = told.by === 'message' ? { id: `msg_${response}` } : {}
        const more = told.by === 'request' ? { requestId: `req_${response}` } : {}
        return [[calls(ids, { ...message, stop_reason: told.stop }, more), thread]]
      }
      case 'results': {
        const answered = told.of.map((i) => this.#calls[i % this.#calls.length]).filter((call) => call !== undefined)
        const write = OUTCOMES[told.outcome] ?? result
        return answered.map(({ id, thread: of }) => [write(id), of])
      }
      case 'again': {
        const assistant = this.#assistants[told.which % this.#assistants.length]
        return assistant === undefined ? [] : [[assistant.record, assistant.thread]]
      }
      case 'system':
        if (this.#waiting.has(thread)) return []
        return [[system(told.subtype, { durationMs: told.durationMs ?? undefined }), thread]]
    }
  }

  /** The number of a thread's response: that of the one before, or a new one. */
  #response(thread: ThreadName, same: boolean): number {
    const before = this.#responses.get(thread)
    const response = same && before !== undefined ? before : this.records.length
    this.#responses.set(thread, response)
    return response
  }

  #add(record: Written, thread: ThreadName): void {
    const uuid = `r${this.records.length}`
    const placed = { ...this.#common(thread), uuid, ...record }
    if (record.type === 'assistant' && !JSON.stringify(record).includes('<synthetic>')) this.#waiting.delete(thread)
    if (record.type === 'assistant') this.#assistants.push({ record, thread })
    this.#last.set(thread, typeof placed.uuid === 'string' ? placed.uuid : uuid)
    this.records.push(placed)
  }

  #common(thread: ThreadName): Written {
    this.#second++
    const parentUuid = this.#last.get(thread) ?? (thread === 'main' ? null : (this.#last.get('main') ?? null))
    return {
      parentUuid,
      isSidechain: thread !== 'main',
      ...(thread.startsWith('agent-') ? { agentId: thread.slice('agent-'.length) } : {}),
      sessionId: SESSION,
      timestamp: instant(this.#second),
    }
  }
}

// ------------------------------------------------------------------------------------------------ in bytes

/** What may stand between two records; nothing at all is two writers of one file. */
const SEPARATORS = ['\n', '\n', '\n', '\n', '\r\n', '\n\n', ' \n\t\n', '\n\0\0\0\n', '\n\ufeff', '\0\n'] as const

export const separator = fc.constantFrom<string>(...SEPARATORS)
export const separatorOrNone = fc.constantFrom<string>(...SEPARATORS, '')

/** A transcript as a file. */
export const fileOf = (between: fc.Arbitrary<string>, maxLength = 40): fc.Arbitrary<string> =>
  fc
    .tuple(transcript(maxLength), fc.array(between, { minLength: maxLength * 4, maxLength: maxLength * 4 }), fc.boolean())
    .map(([records, separators, endsWithNewline]) => {
      const text = records.map((record, i) => (i === 0 ? '' : separators[i]) + JSON.stringify(record)).join('')
      return text + (endsWithNewline && text !== '' ? '\n' : '')
    })
