/** Writes the continuation context of a task's next turn next to its artifacts (`watch --write-context`). */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isArtifactName } from '../artifacts/folders.ts'
import { TurngraphError } from '../core/errors.ts'
import { replacePrivateFile } from '../platform/data-folder/private-file.ts'

export type ContextName = { task: string; turn: number; role: 'player' | 'coach' }

const PLACEHOLDER = /\{([^{}]*)\}/g
const PLACEHOLDERS = ['task', 'turn', 'role']

/** @throws `invalid_request` if the pattern is not the name of a file in the task's folder, or has no `{role}` */
export function contextFileNames(pattern: string): (name: ContextName) => string {
  const nameFor = (values: ContextName) =>
    pattern.replace(PLACEHOLDER, (whole, key) => String(values[key as keyof ContextName] ?? whole))
  const problem = findProblem(pattern, nameFor)
  if (problem === null) return nameFor
  throw new TurngraphError('invalid_request', `--write-context ${JSON.stringify(pattern)} ${problem}.`, {
    hint: "It names a file in the task's folder with {role}, {turn} and {task}, such as 'turn-{turn}-{role}.md'.",
  })
}

function findProblem(pattern: string, nameFor: (name: ContextName) => string): string | null {
  if (/[/\\]/.test(pattern) || path.isAbsolute(pattern)) return 'leaves the folder of the task'
  // The Coach's context contains evidence that the Player must not see.
  if (!pattern.includes('{role}')) return 'has no {role}, so that one context would replace the other'
  const unknown = [...pattern.matchAll(PLACEHOLDER)].find(([, key = '']) => !PLACEHOLDERS.includes(key))
  if (unknown !== undefined) return `has a placeholder that is not known: ${unknown[0]}`
  const examples = (['player', 'coach'] as const).map((role) => nameFor({ task: 'TASK-1', turn: 1, role }))
  return examples.some(isArtifactName) ? 'names an artifact, which would be lost' : null
}

/** Writes a file atomically, and only if its content changes. */
export async function writeContextFile(file: string, text: string): Promise<boolean> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return false
  replacePrivateFile(file, text)
  return true
}
