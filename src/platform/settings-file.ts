// Reads a JSON file that a setting names.
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'

type SettingsFile = { variable: string; file: string; form: string }

/** @throws `invalid_request` with the variable, the file, and the invalid part */
export function readSettingsFile<S extends z.ZodType>(from: SettingsFile, schema: S): z.output<S> {
  const parsed = schema.safeParse(readJson(from))
  if (!parsed.success) throw badSettingsFile(from, z.prettifyError(parsed.error))
  return parsed.data
}

function readJson(from: SettingsFile): unknown {
  try {
    return JSON.parse(readFileSync(from.file, 'utf8'))
  } catch (cause) {
    throw badSettingsFile(from, cause instanceof Error ? cause.message : String(cause))
  }
}

export const badSettingsFile = ({ variable, file, form }: SettingsFile, why: string): TurngraphError =>
  new TurngraphError('invalid_request', `${variable}: ${file} cannot be used: ${why}`, { hint: form })
