/** Prints the error that ended a command, and decides its exit code. */
import path from 'node:path'
import type { Command } from 'commander'
import { asTurngraphError, diskError, TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { findDataFolder } from '../platform/data-folder/find-data-folder.ts'
import { toBlock, toOneLine } from '../rules/foreign-text.ts'
import { graphInUse, takeNewsOfGraph } from './graph-in-use.ts'
import { withOptionNames } from './reword-errors.ts'
import { colors } from './terminal.ts'

/** Prints a text on standard error, or with `--json` the error object of the other doors. @returns the exit code */
export function reportFailure(
  thrown: unknown,
  { command, json }: { command: Command | null; json: boolean },
): number {
  const error = thrown instanceof TurngraphError ? withOptionNames(thrown, command) : defect(thrown)
  if (json) {
    process.stderr.write(`${JSON.stringify(error.toWire())}\n`)
    return error.exitCode
  }
  const { red, dim } = colors(process.stderr)
  process.stderr.write(`${red('error:')} ${toBlock(error.message)}\n`)
  if (error.hint !== null) process.stderr.write(`${dim('hint:')} ${toBlock(error.hint)}\n`)
  const graph = graphInUse()
  if (error.exitCode === EXIT.notFound.code && graph !== null)
    process.stderr.write(`${dim('looked in:')} ${toOneLine(graph)}\n`)
  const news = takeNewsOfGraph()
  if (news !== null) process.stderr.write(`${toBlock(news)}\n`)
  if (error.cause instanceof Error && error.code === 'internal')
    process.stderr.write(`${dim(toBlock(error.cause.stack ?? error.cause.message))}\n`)
  return error.exitCode
}

type SystemError = NodeJS.ErrnoException & { path: string }

/** True for an error of the system, such as a folder that cannot be written: it is no defect and needs no stack. */
const isSystemError = (thrown: unknown): thrown is SystemError =>
  thrown instanceof Error && 'syscall' in thrown && 'path' in thrown

/** Ending of a draft, which is renamed to its file. */
const DRAFT = /\.\d+\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/

function systemError({ message, path: file }: SystemError): TurngraphError {
  const folder = path.dirname(file)
  const dataFolder = process.env.TURNGRAPH_DATA || findDataFolder(process.cwd())
  const more = folder === path.resolve(dataFolder) ? ' TURNGRAPH_DATA names another data folder.' : ''
  return new TurngraphError('invalid_request', message.replace(DRAFT, ''), {
    hint: `Check that this user may read and write ${folder}.${more}`,
  })
}

/** Creates the error of a defect with its stack: a command has no log that a request id could refer to. */
function defect(thrown: unknown): TurngraphError {
  const fault = diskError(thrown)
  if (fault !== null) return fault
  if (isSystemError(thrown)) return systemError(thrown)
  const { code, message } = asTurngraphError(thrown)
  return new TurngraphError(code, message, {
    hint: 'This is a defect of Turngraph: please report it with the text below.',
    cause: thrown,
  })
}
