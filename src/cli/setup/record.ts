/** Stores which files `turngraph init` changed in a folder, so that `turngraph init --undo` can restore them. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { parseJson } from '../../core/parse-json.ts'
import { makeDataFolder } from '../../platform/data-folder/make-data-folder.ts'
import { refuseUntrusted } from '../../platform/data-folder/private-file.ts'
import { readTextFile, writeTextFile } from '../text-file.ts'
import { SETUP_FILES } from './own-parts.ts'

const change = z.strictObject({
  /** Path below the folder. The list is closed: a repository may bring its own record. */
  file: z.enum(SETUP_FILES),
  created: z.boolean(),
  madeFolder: z.boolean(),
  part: z.string(),
  after: z.string(),
  /** Earlier text; null if the removal of the part restores it. */
  before: z.string().nullable(),
})
export type Change = z.infer<typeof change>

const record = z.strictObject({
  madeFolder: z.boolean(),
  changes: z.array(change),
})
export type SetupRecord = z.infer<typeof record>

export const recordFile = (folder: string): string => path.join(folder, '.turngraph', 'init.json')

export async function readRecord(folder: string): Promise<SetupRecord> {
  const file = recordFile(folder)
  const text = await readTextFile(file)
  if (text === null) return { madeFolder: !existsSync(path.dirname(file)), changes: [] }
  const { data } = record.safeParse(parseJson(text))
  if (data !== undefined) return data
  throw new TurngraphError('invalid_request', `${file} does not list the changes of an init.`, {
    hint: 'Remove it, and remove the lines of Turngraph from your files by hand.',
  })
}

/** Writes the record. Without changes, deletes the record, and also its folder if init made it and it has no other file. */
export function writeRecord(folder: string, { madeFolder, changes }: SetupRecord): void {
  const file = recordFile(folder)
  const own = path.dirname(file)
  if (changes.length > 0) {
    refuseUntrusted(() => makeDataFolder(own))
    writeTextFile(file, `${JSON.stringify({ madeFolder, changes }, null, 2)}\n`)
    return
  }
  rmSync(file, { force: true })
  if (!madeFolder || !existsSync(own) || readdirSync(own).some((name) => name !== '.gitignore')) return
  rmSync(path.join(own, '.gitignore'), { force: true })
  rmdirSync(own)
}
