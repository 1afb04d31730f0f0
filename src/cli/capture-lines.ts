/** Stores the records of JSON lines in order, for `turngraph capture`. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import { parseWire, toWire } from '../core/wire-form.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import { type OperationOutput, operations } from '../operations/table.ts'
import type { Frame } from './ask.ts'
import { printJsonLine, printNote, printText } from './output.ts'
import { parseRecord, type RecordLine } from './record-file.ts'

type CaptureLinesOptions = Frame & {
  onConflict?: 'error' | 'supersede' | undefined
  createWorld?: boolean | undefined
}

const { input, output } = operations.captureTurnState

export function parseCapture(
  record: unknown,
  { project, onConflict, createWorld }: CaptureLinesOptions,
): CaptureRequest {
  const request = parseWire(input, record, 'the turn record')
  return {
    ...request,
    ...(project !== undefined && { project }),
    ...(onConflict !== undefined && { onConflict }),
    ...(createWorld !== undefined && { createWorld }),
  }
}

export function describeCapture(answer: OperationOutput<'captureTurnState'>): string {
  const { turnNumber, worldSlug, created, superseded, worldCreated, warnings = [], redactions = 0 } = answer
  const done = superseded ? 'Replaced' : created ? 'Stored' : 'Already stored:'
  const masked = redactions === 0 ? '' : ` (${plural(redactions, 'secret')} masked)`
  const made = worldCreated && turnNumber > 1 ? ', a new world' : ''
  return [`${done} turn ${turnNumber} of world ${worldSlug}${made}${masked}`, ...warnings].join('; ')
}

/**
 * Captures every line and prints its result with the line number. Continues after an invalid line; stops if the graph is
 * unreachable or the token is rejected.
 * @throws the error that stopped it, otherwise the first error of a line. The error lists the lines that were stored, that must
 *   be fixed, and that must be sent again.
 */
export async function captureLines(
  client: TurngraphClient,
  lines: readonly RecordLine[],
  options: CaptureLinesOptions,
): Promise<void> {
  const stored: number[] = []
  const refused: { line: number; error: TurngraphError }[] = []
  let stoppedBy: TurngraphError | null = null
  for (const { number, bytes } of lines) {
    try {
      const request = parseCapture(parseRecord(bytes, 'The line'), options)
      const answer = await client.captureTurnState(request)
      stored.push(number)
      if (options.json) printJsonLine({ line: number, ...(toWire(output, answer) as object) })
      else printText(`line ${number}: ${describeCapture(answer)}`)
    } catch (error) {
      if (!(error instanceof TurngraphError)) throw error
      refused.push({ line: number, error })
      if (options.json) printJsonLine({ line: number, ...error.toWire() })
      else printNote(`line ${number}: ${error.message}`)
      if (isAway(error) || hasCode(error, 'unauthorized', 'forbidden')) {
        stoppedBy = error
        break
      }
    }
  }
  const [first] = refused
  if (first === undefined) return
  const untried = lines.slice(stored.length + refused.length).map(({ number }) => number)
  const toMend = refused.flatMap(({ line, error }) => (error === stoppedBy ? [] : [line]))
  const toSend = refused.flatMap(({ line, error }) => (error === stoppedBy ? [line, ...untried] : []))
  const were = refused.length === 1 ? 'was' : 'were'
  const message = [
    `${refused.length} of ${lines.length} lines ${were} not stored: ${listLines(refused.map(({ line }) => line))}.`,
    stored.length === 0 ? 'None was stored.' : `Stored: ${listLines(stored)}.`,
    untried.length > 0 && `Not tried: ${listLines(untried)}.`,
  ]
  const hint = [
    toMend.length > 0 && `Mend ${listLines(toMend)}.`,
    toSend.length > 0 && `Send ${listLines(toSend)} again${isAway(stoppedBy) ? '' : ', with another token'}.`,
    options.onConflict === 'supersede'
      ? 'Run those lines alone: a line that is run again may replace a record once more.'
      : 'The whole file may be run again: what is stored is found, and not stored twice.',
  ]
  const asText = (sentences: (string | false)[]) =>
    sentences.filter((sentence) => sentence !== false).join(' ')
  // A script that checks only the exit code retries while the service is unreachable, even if lines also failed.
  throw new TurngraphError((stoppedBy ?? first.error).code, asText(message), {
    hint: asText(hint),
    details: { stored, refused: refused.map(({ line, error }) => ({ line, ...error.toWire().error })) },
  })
}

function listLines(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  const shown = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ')
  return `${numbers.length === 1 ? 'line' : 'lines'} ${shown}`
}
