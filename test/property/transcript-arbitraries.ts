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

/** Current sidechains have the id of an agent; those of old files only have a parent. */
const THREADS = ['main', 'main', 'main', 'agent-one', 'agent-two', 'old-one', 'old-two'] as const
type ThreadName = (typeof THREADS)[number]

type Happening = { thread: ThreadName; pause: number; what: What }

type What =
  | { is: 'user'; content: Content; promptId: string | undefined; more: Written }
  | { is: 'answer'; stop: string | null; model: string; sameResponse: boolean }
  | {
      is: 'calls'
      tools: string[]
      stop: string | null
      sameResponse: boolean
      by: 'message' | 'request' | 'uuid'
      startsAgain: boolean
    }
  | { is: 'results'; of: number[]; outcome: (id: string) => Written }
  | { is: 'again'; which: number }
  | { is: 'replay'; from: number; count: number }
  | { is: 'system'; subtype: string; durationMs: number | undefined }
  | { is: 'other'; record: Written }

type Content = string | Written[]

const block = (text: string): Written => ({ type: 'text', text })
const image: Written = { type: 'image', source: { type: 'base64', data: '' } }

const PROMPTS: Content[] = [
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
const NOTES: Content[] = [
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
const INTERRUPTIONS: Content[] = [
  '[Request interrupted by user]',
  [block('[Request interrupted by user for tool use]')],
]
const OUTCOMES: ((id: string) => Written)[] = [
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
  (id) =>
    result(id, { content: [block('done')] }, { toolUseResult: { agentId: 'one', status: 'completed' } }),
]
const OTHERS: Written[] = [
  {
    type: 'progress',
    data: { type: 'agent_progress', message: { type: 'user', message: { content: 'x' } } },
  },
  { type: 'file-history-snapshot', messageId: 'm', snapshot: { type: 'user' } },
  { type: 'summary', summary: 'It says "type":"user" }{', leafUuid: 'l' },
  { attachment: { type: 'user', content: '"type":"assistant"' }, type: 'attachment' },
  { type: 'queue-operation', operation: 'enqueue', content: '<command-name>/x' },
  { type: '__proto__', message: { content: 'Do it' } },
  { type: 'not-known-yet', message: { content: 'Do it' } },
  { message: { content: 'Do it' } },
]

const userSays = (contents: Content[], more: Written = {}) =>
  fc.record({
    is: fc.constant('user' as const),
    content: fc.constantFrom(...contents),
    promptId: fc.option(fc.constantFrom('p1', 'p2', 'p3'), { nil: undefined, freq: 3 }),
    more: fc.constant(more),
  })
const stop = fc.constantFrom(null, null, 'tool_use', 'end_turn', 'stop_sequence')
const tool = fc.constantFrom('Read', 'Read', 'Grep', 'Edit', 'Bash', 'mcp__a__b', '__proto__')

const what: fc.Arbitrary<What> = fc.oneof(
  { weight: 5, arbitrary: userSays(PROMPTS) },
  { weight: 2, arbitrary: userSays(NOTES) },
  { weight: 1, arbitrary: userSays(PROMPTS, { isMeta: true }) },
  { weight: 1, arbitrary: userSays(PROMPTS, { origin: { kind: 'peer' } }) },
  { weight: 1, arbitrary: userSays(PROMPTS, { origin: { kind: 'human' } }) },
  { weight: 1, arbitrary: userSays(PROMPTS, { isCompactSummary: true }) },
  { weight: 1, arbitrary: userSays(INTERRUPTIONS) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('answer' as const),
      stop,
      model: fc.constantFrom('claude-x', 'claude-x', '<synthetic>'),
      sameResponse: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('calls' as const),
      tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
      stop,
      sameResponse: fc.boolean(),
      by: fc.constantFrom('message' as const, 'message' as const, 'request' as const, 'uuid' as const),
      startsAgain: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('results' as const),
      of: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
      outcome: fc.constantFrom(...OUTCOMES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('again' as const), which: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('replay' as const), from: fc.nat(30), count: fc.nat(30) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('system' as const),
      subtype: fc.constantFrom('stop_hook_summary', 'turn_duration', 'compact_boundary', 'new_subtype'),
      durationMs: fc.option(fc.nat(1e6), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...OTHERS).map((record) => ({ is: 'other' as const, record })) },
)

const happening: fc.Arbitrary<Happening> = fc.record({
  thread: fc.constantFrom(...THREADS),
  pause: fc.nat(5),
  what,
})

/** Transcripts. Half of them have only the main thread, so that long threads occur. */
export const anyTranscript = (maxLength: number): fc.Arbitrary<Written[]> =>
  fc.tuple(fc.boolean(), fc.array(happening, { maxLength, size: 'max' })).map(([isAlone, happenings]) => {
    const writer = new Writer()
    for (const each of happenings) writer.write(isAlone ? { ...each, thread: 'main' } : each)
    return writer.records
  })

type Placed = readonly [record: Written, thread: ThreadName]

class Writer {
  readonly records: Written[] = []
  #second = 0
  readonly #last = new Map<ThreadName, string>()
  readonly #responses = new Map<ThreadName, number>()
  readonly #calls: { id: string; thread: ThreadName }[] = []
  readonly #assistants: Placed[] = []

  write({ thread, pause, what }: Happening): void {
    this.#second += pause
    // A second compaction appends history again, with its uuids and times.
    if (what.is === 'replay') this.records.push(...this.records.slice(what.from, what.from + what.count))
    else if (what.is === 'other') this.records.push({ ...this.#common('main'), ...what.record })
    else for (const placed of this.#placed(what, thread)) this.#add(placed)
  }

  #placed(what: Exclude<What, { is: 'other' | 'replay' }>, thread: ThreadName): Placed[] {
    const n = this.records.length
    switch (what.is) {
      case 'user':
        return [[user(what.content, { promptId: what.promptId, ...what.more }), thread]]
      case 'answer': {
        const id = `msg_${this.#response(thread, what.sameResponse)}`
        return [[says('So be it', { id, model: what.model, stop_reason: what.stop }), thread]]
      }
      case 'calls': {
        const response = this.#response(thread, what.sameResponse)
        const ids = what.tools.map((_, i) => (what.startsAgain ? `call_${i}` : `toolu_${n}_${i}`))
        this.#calls.push(...ids.map((id) => ({ id, thread })))
        const message = {
          stop_reason: what.stop,
          ...(what.by === 'message' ? { id: `msg_${response}` } : {}),
        }
        const more = what.by === 'request' ? { requestId: `req_${response}` } : {}
        const named = what.tools.map((name, i) => `${name} ${ids[i]}`)
        return [[calls(named, message, more), thread]]
      }
      case 'results':
        return what.of.flatMap((i) => {
          const call = this.#calls[i % this.#calls.length]
          return call === undefined ? [] : [[what.outcome(call.id), call.thread] as const]
        })
      case 'again': // a copy with its own uuid: its calls are known
        return this.#assistants.slice(what.which, what.which + 1)
      case 'system':
        return [[system(what.subtype, { durationMs: what.durationMs }), thread]]
    }
  }

  /** Number of the response of a thread: the previous one, or a new one. */
  #response(thread: ThreadName, isSame: boolean): number {
    const before = this.#responses.get(thread)
    const response = isSame && before !== undefined ? before : this.records.length
    this.#responses.set(thread, response)
    return response
  }

  #add(placed: Placed): void {
    const [record, thread] = placed
    const uuid = `r${this.records.length}`
    if (record.type === 'assistant') this.#assistants.push(placed)
    this.records.push({ ...this.#common(thread), uuid, ...record })
    this.#last.set(thread, uuid)
  }

  #common(thread: ThreadName): Written {
    this.#second++
    return {
      parentUuid: this.#last.get(thread) ?? this.#last.get('main') ?? null,
      isSidechain: thread !== 'main',
      ...(thread.startsWith('agent-') ? { agentId: thread.slice('agent-'.length) } : {}),
      sessionId: SESSION,
      timestamp: instant(this.#second),
    }
  }
}

// ------------------------------------------------------------------------------------------------ in bytes

/** Separators of two records. The empty one occurs if two programs write one file. */
const SEPARATORS = ['\n', '\n', '\n', '\n', '\r\n', '\n\n', ' \n\t\n', '\n\0\0\0\n', '\n\ufeff', '\0\n', '']

/** A record in a file: whole, or cut off in the middle before the next one on the same line. */
const anyCut = fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 300 }))

/** A transcript as the text of a file. */
export const anyFile: fc.Arbitrary<string> = fc
  .tuple(
    anyTranscript(60),
    fc.infiniteStream(fc.constantFrom(...SEPARATORS)),
    fc.infiniteStream(anyCut),
    fc.constantFrom('', '\n'),
  )
  .map(([records, separators, cuts, end]) => {
    // A replayed record is one that was read before, so none is cut off.
    const isReplayed = new Set(records).size < records.length
    const written = records.map((record, i) => {
      const text = JSON.stringify(record)
      const cut = cuts.next().value
      // The next record of an old sidechain needs its parent to find its thread.
      const isOld = record.isSidechain === true && record.agentId === undefined
      const isCut = !isReplayed && !isOld && cut > 0 && cut < text.length && i < records.length - 1
      return isCut ? text.slice(0, cut) : text + (i < records.length - 1 ? separators.next().value : end)
    })
    return written.join('')
  })

/** The sizes of the chunks in which it is read. */
export const anyChunks = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 4096 })),
  {
    minLength: 1,
    maxLength: 5,
  },
)

/** Sorts up to four places at which a read of the file ended, which gives five stages. */
export const cutsOf = (places: readonly number[], length: number): number[] =>
  places.map((place) => place % (length + 1)).sort((a, b) => a - b)

export const anyPlaces = fc.array(fc.nat(), { maxLength: 4 })

/** A line that contains no record, without its newline. */
export const anyGarbage: fc.Arbitrary<Buffer> = fc.oneof(
  // Without a closing brace, by which it could hold objects.
  fc
    .tuple(fc.constantFrom(...'#{["'), fc.uint8Array({ maxLength: 80 }))
    .map(([first, rest]) =>
      Buffer.concat([Buffer.from(first), Buffer.from(rest.filter((byte) => byte !== 0x0a && byte !== 0x7d))]),
    ),
  fc
    .constantFrom(
      '1',
      'null',
      '[]',
      '[{}]',
      '"{"',
      '{',
      '}',
      '}{',
      '{"type":',
      '{"type":"user"',
      '{}x',
      'x{}',
      '\ufeff',
      '['.repeat(9999),
    )
    .map((text) => Buffer.from(text)),
  fc.nat(200).map((length) => Buffer.alloc(length)),
  // A torn record of a type that is parsed: a torn one of a skipped type is not noticed if it ends like a whole one.
  fc
    .tuple(anyTranscript(3), fc.nat())
    .map(([records, at]) => {
      const record = records.find(({ type }) => type === 'user' || type === 'assistant') ?? user('x')
      return JSON.stringify(record).slice(0, -1 - (at % 80))
    })
    .map((text) => Buffer.from(text)),
)
