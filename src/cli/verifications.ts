/** `turngraph verifications`: adds verifications to a turn that has ended, for CI, late validators and persons. */
import { plural } from '../core/plural.ts'
import type { OperationInput, OperationOutput } from '../operations/table.ts'
import { ask } from './ask.ts'
import { MAX_REQUEST_BYTES } from './bounded-input.ts'
import { action, group, SHARED, TASK, withTarget } from './command.ts'
import { printText } from './output.ts'

type Request = OperationInput<'addVerifications'>

const EXPECTED = {
  example: 'turngraph verifications add verifications.json --feature FEAT-1 --task TASK-1',
  form: 'one verification as a JSON object in UTF-8, one a line, or a list of them',
  mostBytes: MAX_REQUEST_BYTES,
}

const addAdd = action(
  {
    name: 'add',
    description: 'add verifications, given as JSON or JSON lines, to a turn that has ended',
    arguments: { file: ['[file]', 'the verifications; - or none is standard input'] },
    options: {
      ...TASK,
      turnNumber: ['--turn <n>', 'turn to which they are added (default: the newest)'],
      ...SHARED,
    },
    help: `The file has one verification, a list of them, or the body of POST /v1/verifications.
The record of the turn stays as it is. A verification that the turn already has is not added again.

Examples:
  turngraph verifications add verifications.json --feature FEAT-1 --task TASK-1
  echo '{"criterion_id":"AC-1","status":"verified","source":"person","evidence":"I saw it"}' | turngraph verifications add --feature FEAT-1 --task TASK-1 --turn 1`,
  },
  async ({ file, project, json, ...options }) => {
    const request = { ...(await readRequest(file ?? '-')), ...options }
    const target = await withTarget({
      featureId: request.featureId ?? undefined,
      taskId: request.taskId ?? undefined,
      worldSlug: request.worldSlug ?? undefined,
      project: project ?? request.project ?? undefined,
    })
    const sent: Request = { ...request, ...target }
    await ask('addVerifications', sent, { project: target.project, json }, (answer) =>
      printText(describe(answer)),
    )
  },
)

async function readRequest(file: string): Promise<Request> {
  const { parseRecord, readRecordFile } = await import('./record-file.ts')
  const { operations } = await import('../operations/table.ts')
  const { parseWire, snakeCase } = await import('../core/wire-form.ts')
  const read = await readRecordFile(file, EXPECTED)
  const content =
    'lines' in read
      ? read.lines.map(({ number, bytes }) => parseRecord(bytes, `Line ${number}`, EXPECTED))
      : read.record
  const { input } = operations.addVerifications
  const entry = input.shape.verifications.unwrap().unwrap().element
  const fieldsOf = (shape: object) => Object.keys(shape).map(snakeCase)
  const fields = { request: fieldsOf(input.shape), verification: fieldsOf(entry.shape) }
  return parseWire(input, toRequest(content, fields), 'the verifications')
}

/** Fields with which an object is a request. */
const PROOF_FIELDS = ['verifications', 'junit', 'tap', 'vitest_json']

/**
 * Makes a request from bare verifications. An object is a request if it has proofs, or other fields of a request and none of a
 * verification. Otherwise it is one verification, and the error names its missing fields.
 */
function toRequest(content: unknown, fields: Record<'request' | 'verification', string[]>): unknown {
  if (Array.isArray(content)) return { verifications: content }
  if (typeof content !== 'object' || content === null) return content
  const has = (names: readonly string[]) => names.some((name) => Object.hasOwn(content, name))
  const isRequest = has(PROOF_FIELDS) || (has(fields.request) && !has(fields.verification))
  return isRequest ? content : { verifications: [content] }
}

function describe(answer: OperationOutput<'addVerifications'>): string {
  const { added, verifications, turnNumber, worldSlug, redactions } = answer
  const turn = `turn ${turnNumber} of world ${worldSlug}`
  const all = plural(verifications.length, 'verification')
  if (added === 0) return `Nothing changed: ${turn} already has the ${all}.`
  const known = verifications.length - added
  const notes = [
    ...(known === 0 ? [] : [`${known} of ${all} were already there`]),
    ...(redactions === 0 ? [] : [`${plural(redactions, 'secret')} masked`]),
  ]
  return `Added ${plural(added, 'verification')} to ${turn}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}.`
}

export const addVerifications = group(
  {
    name: 'verifications',
    description: 'verifications that arrive after their turn',
    help: 'Example:\n  turngraph verifications add verifications.json --feature FEAT-1 --task TASK-1',
  },
  [addAdd],
)
