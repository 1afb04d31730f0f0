/** Sets up the parts that a person chooses at a terminal or names with `turngraph init --with`. */
import { on } from 'node:events'
import { emitKeypressEvents } from 'node:readline'
import { TurngraphError } from '../../core/errors.ts'
import { dropEarlierInput } from '../earlier-input.ts'
import { reportFailure } from '../failure.ts'
import { shownTask } from '../hook-task.ts'
import { printNote } from '../output.ts'
import { interrupt } from '../signals.ts'
import { additionsOf, type Setup } from './additions.ts'
import { addParts, type FileResult, hasPart } from './change-files.ts'
import { OFFER_NAMES, type OfferName } from './offer-names.ts'

/** The first letter of an offer is its key. */
const OFFERS: Record<OfferName, (setup: Setup) => string> = {
  hooks: () =>
    'hooks: import each session after each turn, show an agent what its task has proven, and ask it to go on while a criterion is unproven',
  mcp: () => 'the MCP server: agents ask the memory with tools',
  agents: () => 'ten lines that tell an agent how to ask the memory',
  task: ({ task }) => `the task of the next session here: ${task === null ? '' : shownTask(task)}`,
}

/** @throws `invalid_request` that names the file that cannot be changed; then no file was changed */
export async function setUp(names: readonly OfferName[], setup: Setup): Promise<FileResult[]> {
  if (names.includes('task') && setup.task === null)
    throw new TurngraphError('invalid_request', 'No task is known here.', {
      hint: 'Name one: turngraph task set FEATURE/TASK',
    })
  return addParts(
    setup.folder,
    names.flatMap((name) => additionsOf(name, setup)),
  )
}

/** Shows the offers, and sets one up for each key until Enter. A failure is printed, and the other offers stay. */
export async function offer(setup: Setup): Promise<void> {
  const open = new Map<string, OfferName>()
  await dropEarlierInput()
  printNote('Turngraph can also set up, each with one key:')
  for (const name of OFFER_NAMES) {
    const files = additionsOf(name, setup).map(({ file }) => file)
    if (files.length === 0) continue
    const key = name.charAt(0)
    const isMade = (await Promise.all(files.map((file) => hasPart(setup.folder, file)))).every(Boolean)
    if (!isMade) open.set(key, name)
    // The file may name another task than the one that would be set now.
    const what = isMade && name === 'task' ? 'the task of this folder' : OFFERS[name](setup)
    printNote(`  ${isMade ? '-' : key}  ${isMade ? 'done: ' : ''}${what} (${files.join(', ')})`)
  }
  if (open.size === 0) return printNote('All of it is done. `turngraph init --undo` restores the files.')
  printNote('Enter continues. `turngraph init --undo` restores the files.')
  for await (const key of readKeys()) {
    if (key === 'return' || key === 'enter') return
    const name = open.get(key)
    if (name === undefined) continue
    open.delete(key)
    try {
      printResults(await setUp([name], setup))
    } catch (error) {
      reportFailure(error, { command: null, json: false })
    }
    if (open.size === 0) return
  }
}

/** Reads keys that need no Enter. Ctrl+C ends the command. */
async function* readKeys(): AsyncGenerator<string> {
  const { stdin } = process
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  try {
    for await (const [, key] of on(stdin, 'keypress', { close: ['end'] })) {
      const { name = '', ctrl = false } = key as { name?: string; ctrl?: boolean }
      if (ctrl && name === 'c') interrupt()
      yield name
    }
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
  }
}

const WORDS: Record<FileResult['result'], string> = {
  created: 'Made',
  changed: 'Added to',
  present: 'Already in',
}

export function printResults(results: readonly FileResult[]): void {
  for (const { file, result } of results) printNote(`${WORDS[result]} ${file}.`)
  const isChanged = (file: string) => results.some((each) => each.file === file && each.result !== 'present')
  if (isChanged('.codex/hooks.json'))
    printNote('Codex runs a new hook after you have trusted the folder and the hook: enter /hooks in Codex.')
  if (isChanged('.mcp.json')) printNote('.mcp.json has paths of this machine: do not commit them.')
}
