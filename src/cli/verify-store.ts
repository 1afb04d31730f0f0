/** Records the observations of `turngraph verify`, and keeps them in a file if that fails. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { isAway, TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import type { OperationInput, OperationOutput } from '../operations/table.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { printJson, printText } from './output.ts'
import type { Given } from './verify-options.ts'
import { usage } from './verify-task.ts'

/** Folder in the data folder for what could not be recorded. */
const KEPT_FOLDER = 'unrecorded'

export type Request = OperationInput<'addVerifications'>
type Answer = OperationOutput<'addVerifications'>

/** Records verifications, and keeps them in a file if that fails. */
export async function store(request: Request | null, { project, json }: Given, more: object): Promise<void> {
  const { withClient } = await import('./connect.ts')
  if (request === null) return json ? printJson({ ...more, recorded: null }) : undefined
  try {
    const answer = await withClient({ project }, (client) => client.addVerifications(request))
    await printAnswer(answer, json, more)
  } catch (error) {
    throw await keep(request, project, error)
  }
}

async function printAnswer(answer: Answer, json: boolean | undefined, more: object): Promise<void> {
  if (!json)
    return printText(
      `Recorded ${plural(answer.added, 'verification')} with turn ${answer.turnNumber} of ${answer.worldSlug}.`,
    )
  const { inWireForm } = await import('./ask-in-wire-form.ts')
  printJson({ ...more, recorded: inWireForm('addVerifications', answer) })
}

/** Writes what could not be recorded to a file, and returns the error that names it. */
async function keep(request: Request, project: string | undefined, cause: unknown): Promise<unknown> {
  const { configFor, namedProject } = await import('./connect.ts')
  const { operations } = await import('../operations/table.ts')
  const { toWire } = await import('../core/wire-form.ts')
  const folder = path.join(configFor(project).dataFolder, KEPT_FOLDER)
  const named = namedProject(project)
  const kept = { ...request, ...(named !== undefined && { project: named }) }
  const text = JSON.stringify(toWire(operations.addVerifications.input, kept as never), null, 2)
  const file = path.join(folder, `verifications-${crypto.randomUUID()}.json`)
  const code = cause instanceof TurngraphError ? cause.code : 'store_unavailable'
  const message = cause instanceof Error ? cause.message : String(cause)
  try {
    createPrivateFile(file, `${text}\n`)
  } catch (error) {
    return new TurngraphError(code, `${message} The observations could not be kept in ${folder} either.`, {
      hint: 'The observations may not be stored. Make room, or check that the folder can be written: then run the same command again.',
      cause: new AggregateError([cause, error]),
    })
  }
  return new TurngraphError(code, `${message} The observations are kept in ${file}.`, {
    hint: `${isAway(cause) ? 'Once the service is back' : 'Once this is repaired'}: turngraph verify --send ${file}`,
    cause,
  })
}

export async function sendFile(file: string, given: Given): Promise<void> {
  const { readRecordFile } = await import('./record-file.ts')
  const { operations } = await import('../operations/table.ts')
  const { parseWire } = await import('../core/wire-form.ts')
  const { namedProject, withClient } = await import('./connect.ts')
  const read = await readRecordFile(file)
  if ('lines' in read) throw usage(`${file} has several records; a kept file has one.`)
  const request = parseWire(operations.addVerifications.input, read.record, file) as Request
  refuseOtherProject(file, request.project ?? undefined, namedProject(given.project), given)
  const answer = await withClient(
    { ...given, project: given.project ?? request.project ?? undefined },
    (client) => client.addVerifications(request),
  )
  if (path.basename(path.dirname(path.resolve(file))) === KEPT_FOLDER) rmSync(file)
  await printAnswer(answer, given.json, {})
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
      hint: `To record it where it was observed: turngraph verify --project ${JSON.stringify(ofFile)} --send ${file}`,
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
