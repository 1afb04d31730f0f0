/** Finds the specification files below some paths. */

import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { systemCode } from '../../core/system-code.ts'
import { compareCodeUnits } from '../../rules/labels.ts'
import { IS_A_LINK, isFolder } from '../folders.ts'

/** A path to read. `isNamed`: the caller named it, not the folder that contains it. */
export type FoundFile = { path: string; isNamed: boolean }

export type FoundSpecificationFiles = {
  files: FoundFile[]
  refused: { path: string; reason: string }[]
}

const MAX_FILES = 20_000
const MAX_DEPTH = 32

/** Folders with a leading dot that contain specifications. Other ones contain copies, settings or caches. */
const READ_FOLDERS: ReadonlySet<string> = new Set(['.kiro', '.beads', '.taskmaster'])

type Walk = FoundSpecificationFiles & { visited: Set<string>; isFull: boolean }

/** Lists each named file, and the specification files below each named folder, in the order of their paths. */
export async function findSpecificationFiles(paths: readonly string[]): Promise<FoundSpecificationFiles> {
  const walk: Walk = { files: [], refused: [], visited: new Set(), isFull: false }
  for (const given of paths) {
    if (given !== '-' && (await isFolder(given))) await visitFolder(walk, given, 0)
    else walk.files.push({ path: given, isNamed: true })
  }
  return { files: walk.files, refused: walk.refused }
}

async function visitFolder(walk: Walk, folder: string, depth: number): Promise<void> {
  const absolute = await realpath(folder).catch(() => folder)
  if (walk.isFull || walk.visited.has(absolute)) return
  walk.visited.add(absolute)
  const refuse = (place: string, reason: string) => walk.refused.push({ path: place, reason })
  if (depth > MAX_DEPTH) {
    refuse(folder, `is nested more than ${MAX_DEPTH} folders deep; it is not read`)
    return
  }
  for (const entry of await listEntries(folder, refuse)) {
    const place = path.join(folder, entry.name)
    const isCandidate = isSpecificationName(entry.name, path.basename(absolute))
    if (entry.isDirectory()) {
      if (!isLeftOut(entry.name)) await visitFolder(walk, place, depth + 1)
    } else if (entry.isSymbolicLink()) {
      const leadsToFolder =
        READ_FOLDERS.has(entry.name) || (!isLeftOut(entry.name) && (await isFolder(place)))
      if (isCandidate || leadsToFolder) refuse(place, IS_A_LINK)
    } else if (!entry.isFile()) {
      if (isCandidate) refuse(place, 'is not a regular file')
    } else if (isCandidate && walk.files.length < MAX_FILES) walk.files.push({ path: place, isNamed: false })
    else if (isCandidate && !walk.isFull) {
      walk.isFull = true
      refuse(place, `is after the first ${MAX_FILES} files; it and the files after it are not read`)
    }
  }
}

async function listEntries(
  folder: string,
  refuse: (place: string, reason: string) => void,
): Promise<Dirent[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => compareCodeUnits(a.name, b.name))
  } catch (error) {
    refuse(folder, `cannot be read: ${systemCode(error) ?? 'unknown'}`)
    return []
  }
}

const isSpecificationName = (name: string, folder: string): boolean =>
  /\.(?:md|feature)$/.test(name) || name === 'tasks.json' || (folder === '.beads' && name.endsWith('.jsonl'))

const isLeftOut = (name: string): boolean =>
  name === 'node_modules' || (name.startsWith('.') && !READ_FOLDERS.has(name))
