/** Runs git to read a repository: without a shell, hooks or prompts, with a time limit and bounded output. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { findRepository, realPath } from '../platform/folders.ts'

const TIME_LIMIT_MS = 60_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const MAX_ERROR_CHARACTERS = 500

/** Overrides settings of a repository that would start other programs, reach the network or hide changes. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'diff.external=',
  'protocol.allow=never',
  // A file that was changed within its size and its time is changed.
  'core.trustCtime=true',
  'core.checkStat=default',
].flatMap((setting) => ['-c', setting])

export type GitRun = {
  root: string
  /** @throws `internal` if git fails, writes too much or takes too long */
  run: (args: readonly string[]) => Promise<string>
  tryRun: (args: readonly string[]) => Promise<string | null>
  withIndex: (index: string) => GitRun
}

/** Finds the repository of a folder. Returns null without one, without a working tree that has the folder, or without git. */
export async function openGit(folder: string): Promise<GitRun | null> {
  const place = realPath(folder)
  const repository = findRepository(place)
  if (repository === undefined) return null
  const found = await start(repository, ['rev-parse', '--show-toplevel'])
  if (found.code !== 0) return null
  const root = found.output.replace(/\r?\n$/, '')
  if (!isWithin(root, place)) return null // core.worktree names the files of another folder
  return gitIn(root, {})
}

function gitIn(root: string, more: NodeJS.ProcessEnv): GitRun {
  const run = async (args: readonly string[]): Promise<string> => {
    const { code, output, error } = await start(root, args, more)
    if (code !== 0)
      throw new TurngraphError('internal', `git ${args[0]} failed: ${error.trim() || `exit ${code}`}`)
    return output
  }
  const tryRun = async (args: readonly string[]): Promise<string | null> => {
    const { code, output } = await start(root, args, more)
    return code === 0 ? output : null
  }
  return { root, run, tryRun, withIndex: (index) => gitIn(root, { GIT_INDEX_FILE: index }) }
}

function isWithin(root: string, folder: string): boolean {
  const relative = path.relative(root, folder)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}

/** Leaves out the variables of git: in a hook of git they name another repository than that of the folder. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'))
  return {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}

type Ended = { code: number | null; output: string; error: string }

/** Resolves with the code null if git cannot be started. */
const start = (folder: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', [...SETTINGS, ...args], {
      cwd: folder,
      env: { ...environment(), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    const output: Buffer[] = []
    let bytes = 0
    let error = ''
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_OUTPUT_BYTES) child.kill('SIGKILL')
      else output.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      error = (error + chunk.toString()).slice(0, MAX_ERROR_CHARACTERS)
    })
    child.on('error', () => resolve({ code: null, output: '', error }))
    child.on('close', (code, signal) => {
      if (bytes > MAX_OUTPUT_BYTES) reject(failed(args, 'writes more than 64 MiB'))
      else if (signal !== null) reject(failed(args, `was ended by ${signal}; its limit is 60 s`))
      else resolve({ code, output: Buffer.concat(output).toString(), error })
    })
  })

const failed = (args: readonly string[], reason: string): TurngraphError =>
  new TurngraphError('internal', `git ${args[0]} ${reason}.`)
