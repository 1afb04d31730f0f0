/** Records the observations of `turngraph verify`, and keeps them in a file if that fails. */
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isAway, TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import type { OperationInput, OperationOutput } from '../operations/table.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import type { Frame } from './ask.ts'
import { MAX_REQUEST_BYTES } from './bounded-input.ts'
import { printJson, printText } from './output.ts'
import type { Given } from './verify-options.ts'
import { usage } from './verify-task.ts'

/** Folder in the data folder for what could not be recorded. */
const KEPT_FOLDER = 'unrecorded'

export type Request = OperationInput<'addVerifications'>
type Answer = OperationOutput<'addVerifications'>

export async function store(request: Request | null, { project, json }: Given, more: object): Promise<void> {
  if (request === null) return json ? printJson({ ...more, recorded: null }) : undefined
  const { answer, left, error } = await sendInParts(request, { project })
  if (left !== null) throw await keep(left, project, error)
  if (answer !== null) await printAnswer(answer, json, more)
}

/** Maximum size of a part as JSON. A service accepts 1 MiB; the names of fields in a request are slightly longer than here. */
const MAX_PART_BYTES = MAX_REQUEST_BYTES * 0.75

type Sent = { answer: Answer | null; left: Request | null; error?: unknown }

/** Records verifications in parts that a service accepts. All of them go to the turn of the first part. */
async function sendInParts(request: Request, frame: Frame): Promise<Sent> {
  const { withClient } = await import('./connect.ts')
  let answer: Answer | null = null
  let left: Request | null = request
  try {
    await withClient(frame, async (client) => {
      while (left !== null) {
        const [part, rest] = split(left.verifications ?? [])
        const { verifications, added, redactions, ...turn } = await client.addVerifications({
          ...left,
          verifications: part,
        })
        answer = {
          ...turn,
          added: (answer?.added ?? 0) + added,
          redactions: (answer?.redactions ?? 0) + redactions,
          verifications: [...(answer?.verifications ?? []), ...verifications],
        }
        left = rest.length === 0 ? null : { ...left, ...turn, verifications: rest }
      }
    })
  } catch (error) {
    return { answer, left, error }
  }
  return { answer, left }
}

type Verifications = NonNullable<Request['verifications']>

/** Splits off the verifications of the next part, at least one. */
function split(verifications: Verifications): [Verifications, Verifications] {
  let end = 0
  for (let bytes = 0; end < verifications.length; end++) {
    bytes += Buffer.byteLength(JSON.stringify(verifications[end]))
    if (bytes > MAX_PART_BYTES && end > 0) break
  }
  return [verifications.slice(0, end), verifications.slice(end)]
}

async function printAnswer(answer: Answer, json: boolean | undefined, more: object): Promise<void> {
  if (!json)
    return printText(
      `Recorded ${plural(answer.added, 'verification')} with turn ${answer.turnNumber} of ${answer.worldSlug}.`,
    )
  const { inWireForm } = await import('./ask-in-wire-form.ts')
  printJson({ ...more, recorded: inWireForm('addVerifications', answer) })
}

async function keep(request: Request, project: string | undefined, cause: unknown): Promise<unknown> {
  const { configFor, namedProject } = await import('./connect.ts')
  const folder = path.join(configFor(project).dataFolder, KEPT_FOLDER)
  const named = namedProject(project)
  const text = await toFileText({ ...request, ...(named !== undefined && { project: named }) })
  const file = path.join(folder, `verifications-${crypto.randomUUID()}.json`)
  const code = cause instanceof TurngraphError ? cause.code : 'store_unavailable'
  const message = cause instanceof Error ? cause.message : String(cause)
  try {
    createPrivateFile(file, text)
  } catch (error) {
    return new TurngraphError(code, `${message} The observations could not be kept in ${folder} either.`, {
      hint: 'The observations may not be stored. Make room, or check that the folder can be written: then run the same command again.',
      cause: new AggregateError([cause, error]),
    })
  }
  return new TurngraphError(code, `${message} The observations are kept in ${file}.`, {
    hint: `${isAway(cause) ? 'Once the service is back' : 'Once this is repaired'}: turngraph verify --send ${quoteForShell(file)}`,
    cause,
  })
}

async function toFileText(request: Request): Promise<string> {
  const { operations } = await import('../operations/table.ts')
  const { toWire } = await import('../core/wire-form.ts')
  return `${JSON.stringify(toWire(operations.addVerifications.input, request as never))}\n`
}

export async function sendFile(file: string, given: Given): Promise<void> {
  const { KEPT_VERIFICATIONS, readRecordFile } = await import('./record-file.ts')
  const { operations } = await import('../operations/table.ts')
  const { parseWire } = await import('../core/wire-form.ts')
  const { namedProject } = await import('./connect.ts')
  const read = await readRecordFile(file, KEPT_VERIFICATIONS)
  if ('lines' in read) throw usage(`${file} has several records; a kept file has one.`)
  const request = parseWire(operations.addVerifications.input, read.record, file) as Request
  refuseOtherProject(file, request.project ?? undefined, namedProject(given.project), given)
  const { answer, left, error } = await sendInParts(request, {
    project: given.project ?? request.project ?? undefined,
  })
  if (left !== null) {
    // The rest names the turn of the recorded part, so that a newer turn does not get a part again.
    if (answer !== null) await replaceFile(file, left)
    throw error
  }
  if (path.basename(path.dirname(path.resolve(file))) === KEPT_FOLDER) rmSync(file)
  if (answer !== null) await printAnswer(answer, given.json, {})
}

async function replaceFile(file: string, request: Request): Promise<void> {
  const newer = `${file}.${crypto.randomUUID()}`
  createPrivateFile(newer, await toFileText(request))
  renameSync(newer, file)
}

/** @throws `invalid_request` if the file and the user name different projects */
function refuseOtherProject(
  file: string,
  ofFile: string | undefined,
  named: string | undefined,
  { project }: Given,
): void {
  if (ofFile === undefined || named === undefined || ofFile === named) return
  const where = project === undefined ? 'TURNGRAPH_PROJECT' : '--project'
  throw new TurngraphError(
    'invalid_request',
    `${file} is for the project ${ofFile}, but ${where} names ${named}.`,
    {
      hint: `To record it where it was observed: turngraph verify --project ${quoteForShell(ofFile)} --send ${quoteForShell(file)}`,
    },
  )
}

export function printVerification({
  criterionId,
  status,
  evidence,
}: {
  criterionId: string
  status: string
  evidence?: string | null | undefined
}): void {
  printText(toOneLine(`${status === 'verified' ? '✓' : '✗'} ${criterionId}: ${status}, ${evidence}`))
}
