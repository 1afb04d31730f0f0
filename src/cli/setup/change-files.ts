/** Adds the parts of Turngraph to the files of a folder, and removes them. */
import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../../core/errors.ts'
import { systemCode } from '../../core/system-code.ts'
import { kindOf, realPath } from '../../platform/folders.ts'
import { readTextFile, UnfitFile, writeTextFile } from '../text-file.ts'
import type { OwnPart } from './marked-lines.ts'
import { isEmptyText, OWN_PARTS, type SetupFile } from './own-parts.ts'
import { type Change, readRecord, recordFile, type SetupRecord, writeRecord } from './record.ts'

export type Addition = { file: SetupFile; add(text: string): string }

export type FileResult = { file: SetupFile; result: 'created' | 'changed' | 'present' }

/** Adds the parts that are missing or incomplete. Checks all files before it changes the first one. */
export async function addParts(folder: string, additions: readonly Addition[]): Promise<FileResult[]> {
  const { madeFolder, changes } = await loadRecord(folder)
  const planned = await Promise.all(additions.map((addition) => planAddition(folder, addition, changes)))
  const added = planned.filter(({ change }) => change !== null)
  const names = new Set<string>(added.map(({ file }) => file))
  const all = [
    ...changes.filter(({ file }) => !names.has(file)),
    ...added.flatMap(({ change }) => change ?? []),
  ]
  // Writes the record first. After a crash, the undo skips files without a part of Turngraph.
  if (added.length > 0) writeRecord(folder, { madeFolder, changes: all })
  for (const { file, after } of added) write(path.join(folder, file), after)
  return planned.map(({ file, isNew, change }) => ({
    file,
    result: change === null ? 'present' : isNew ? 'created' : 'changed',
  }))
}

/** @throws `invalid_request` for a record that is no regular file of the folder */
async function loadRecord(folder: string): Promise<SetupRecord> {
  const file = recordFile(folder)
  const own = path.dirname(file)
  if (!['folder', null].includes(kindOf(own))) throw refuse(own, 'is not a folder', null)
  requireInside(folder, file)
  try {
    return await readRecord(folder)
  } catch (error) {
    throw error instanceof UnfitFile ? refuse(file, error.message, error) : error
  }
}

async function planAddition(
  folder: string,
  { file, add }: Addition,
  changes: readonly Change[],
): Promise<{ file: SetupFile; isNew: boolean; after: string; change: Change | null }> {
  const target = path.join(folder, file)
  requireInside(folder, target)
  try {
    const text = await readTextFile(target)
    const isNew = text === null
    const before = text ?? ''
    const part: OwnPart = OWN_PARTS[file]
    if (isPresent(part, before)) return { file, isNew, after: before, change: null }
    requireWritable(target)
    const after = add(before)
    const earlier = changes.find((each) => each.file === file)
    const restored = earlier === undefined ? before : textWithoutInit(part, before, earlier)
    const change = {
      file,
      created: earlier?.created ?? isNew,
      madeFolder: earlier?.madeFolder ?? kindOf(path.dirname(target)) === null,
      part: digestOf(part.find(after)),
      after: digestOf(after),
      before: part.remove(after) === restored ? null : restored,
    }
    return { file, isNew, after, change }
  } catch (error) {
    throw error instanceof UnfitFile ? refuse(target, error.message, error) : error
  }
}

const isPresent = (part: OwnPart, text: string): boolean =>
  part.find(text) !== null && part.isWhole?.(text) !== false

/** Checks whether a file has the part of Turngraph. Returns false if it cannot be read; changing the file reports the reason. */
export async function hasPart(folder: string, file: SetupFile): Promise<boolean> {
  const target = path.join(folder, file)
  try {
    requireInside(folder, target)
    return isPresent(OWN_PARTS[file], (await readTextFile(target)) ?? '')
  } catch {
    return false
  }
}

export type UndoneFile = {
  file: SetupFile
  result: 'deleted' | 'restored' | 'part removed' | 'kept'
  why?: string
}

/**
 * Restores the files. Deletes a file that did not exist before. Removes only the part of Turngraph if a person has edited a file.
 * Continues after a file that cannot be written, which stays in the record. @throws the error of that file
 */
export async function undoParts(folder: string): Promise<UndoneFile[]> {
  const { madeFolder, changes } = await loadRecord(folder)
  const undone: UndoneFile[] = []
  const failures: { change: Change; error: unknown }[] = []
  for (const change of changes) {
    try {
      undone.push(await undoChange(folder, change))
    } catch (error) {
      failures.push({ change, error })
    }
  }
  writeRecord(folder, { madeFolder, changes: failures.map(({ change }) => change) })
  const [first] = failures
  if (first !== undefined) throw first.error
  return undone
}

async function undoChange(folder: string, change: Change): Promise<UndoneFile> {
  const { file, created, madeFolder } = change
  const target = path.join(folder, file)
  requireInside(folder, target)
  const kept = (why: string): UndoneFile => ({ file, result: 'kept', why })
  try {
    const text = await readTextFile(target)
    if (text === null) return kept('does not exist any more')
    const part = OWN_PARTS[file]
    const own = part.find(text)
    if (own === null) return kept('has no part of Turngraph any more')
    if (digestOf(own) !== change.part) return kept('has another part of Turngraph than init added')
    requireWritable(target)
    const isUnedited = digestOf(text) === change.after
    const rest = textWithoutInit(part, text, change)
    if (created && isEmptyText(rest)) {
      deleteFile(target, madeFolder)
      return { file, result: 'deleted' }
    }
    write(target, rest)
    return { file, result: isUnedited ? 'restored' : 'part removed' }
  } catch (error) {
    // A person may have replaced the content with a text in which no part of Turngraph can be found.
    if (error instanceof UnfitFile) return kept(error.message)
    throw error
  }
}

/** Returns the text before init if nobody has edited the file since, otherwise the text without the part of Turngraph. */
const textWithoutInit = (part: OwnPart, text: string, { before, after }: Change): string =>
  before !== null && digestOf(text) === after ? before : part.remove(text)

function deleteFile(file: string, madeFolder: boolean): void {
  rmSync(file)
  const parent = path.dirname(file)
  if (madeFolder && readdirSync(parent).length === 0) rmdirSync(parent)
}

function write(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    // A team shares the Markdown files. The other files contain paths of this machine, so only their owner can read them.
    writeTextFile(file, text, file.endsWith('.md') ? 0o666 : 0o600)
  } catch (error) {
    if (systemCode(error) === null) throw error
    throw refuse(file, 'cannot be written', error)
  }
}

/** Rejects a link that leads out of the folder, because it may lead to any file of the user. */
function requireInside(folder: string, file: string): void {
  const root = realPath(folder)
  const given = path.dirname(file)
  const isMissing = kindOf(given) === null
  // A link may lead to the folder itself, too.
  const parent = isMissing ? path.join(root, path.relative(folder, given)) : realPath(given)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink && kindOf(file) === null) throw refuse(file, 'is a link without a target', null)
  const real = isLink ? realPath(file) : path.join(parent, path.basename(file))
  if (!real.startsWith(root.endsWith(path.sep) ? root : root + path.sep))
    throw refuse(file, `leads out of ${folder}`, null)
}

/** Rejects a file that its owner made read-only. An atomic replacement would ignore this permission. */
function requireWritable(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode !== undefined && (mode & 0o200) === 0) throw refuse(file, 'is read-only', null)
}

const digestOf = (text: string | null): string => hash('sha256', text ?? '')

const refuse = (file: string, why: string, cause: unknown): TurngraphError =>
  new TurngraphError('invalid_request', `${file} ${why}.`, { hint: 'The file was not changed.', cause })
