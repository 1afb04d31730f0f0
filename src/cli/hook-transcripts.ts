/**
 * Finds the transcripts that a hook hands over. The path that Claude Code names may be wrong: in a git worktree it can name the
 * project folder of the worktree, although the session is stored in that of the main checkout. Some versions of Codex name none.
 */
import { opendirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { kindOf } from '../platform/folders.ts'
import { claudeProjects, codexSessions } from './agent-folders.ts'
import type { HookInput } from './hook-input.ts'

/** An import reads a file of any other name as a main session's transcript. */
const AGENT_FILE = /^agent-.+\.jsonl$/

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A search ends after this time: a hook must not hold up an agent for a folder with very many projects. */
const MAX_SEARCH_MS = 200

type Named = Pick<HookInput, 'sessionId' | 'transcript' | 'agentTranscript'>

/**
 * Lists the session's transcript, the folder of its subagents, and the transcript of the subagent that has just stopped. Claude
 * Code also names files that it never writes. @returns `missing`: log message about a transcript that does not exist
 */
export function listTranscripts(named: Named): { transcripts: string[]; missing: string | null } {
  const session = named.transcript === null ? null : path.resolve(named.transcript)
  const agent = named.agentTranscript === null ? [] : [path.resolve(named.agentTranscript)]
  const isMissing = session === null ? named.sessionId !== null : kindOf(session) !== 'file'
  const elsewhere = isMissing ? findElsewhere(session, named.sessionId) : null
  const sessions = [session, elsewhere].filter((file) => file !== null)
  const transcripts = [
    ...sessions.filter((file) => kindOf(file) === 'file'),
    // A session that was never written may still have subagents.
    ...sessions.map((file) => file.replace(/\.jsonl$/, '')).filter((folder) => kindOf(folder) === 'folder'),
    ...agent.filter((file) => AGENT_FILE.test(path.basename(file)) && kindOf(file) === 'file'),
  ]
  const where = elsewhere === null ? 'no other project folder has this session' : `imports ${elsewhere}`
  const what = session === null ? 'no transcript is named' : `${session} is not a file`
  return { transcripts, missing: isMissing ? `${what}; ${where}` : null }
}

/** Finds the newest file of the session in another project folder, such as the folder of the main checkout, or with Codex. */
function findElsewhere(named: string | null, sessionId: string | null): string | null {
  const deadline = performance.now() + MAX_SEARCH_MS
  const id = sessionId !== null && UUID.test(sessionId) ? sessionId : null
  const session = named === null ? id : path.basename(named, '.jsonl')
  // A file name that differs from the session's may belong to another session in another folder.
  const isSession = session !== null && (session === sessionId || UUID.test(session))
  const folders = isSession ? projectFolders(named) : []
  return newest([
    ...folders.flatMap((folder) => filesIn(folder, `${session}.jsonl`, deadline)),
    ...(id === null ? [] : findRollout(codexSessions(), `-${id}.jsonl`, deadline)),
  ])
}

/** Finds the rollout of a session in the folders of years, months and days, newest first. */
function findRollout(folder: string, ending: string, deadline: number): string[] {
  if (performance.now() > deadline) return []
  const names = namesIn(folder).sort().reverse()
  const own = names.find((name) => name.startsWith('rollout-') && name.endsWith(ending))
  if (own !== undefined) return [path.join(folder, own)]
  for (const name of names) {
    const found = /^\d+$/.test(name) ? findRollout(path.join(folder, name), ending, deadline) : []
    if (found.length > 0) return found
  }
  return []
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function projectFolders(transcript: string | null): string[] {
  const named = path.dirname(path.dirname(transcript ?? ''))
  return [...new Set([...(path.basename(named) === 'projects' ? [named] : []), claudeProjects()])]
}

function filesIn(folder: string, file: string, deadline: number): string[] {
  const found: string[] = []
  try {
    const projects = opendirSync(folder)
    try {
      for (let project = projects.readSync(); project !== null; project = projects.readSync()) {
        const candidate = path.join(folder, project.name, file)
        if (kindOf(candidate) === 'file') found.push(candidate)
        if (performance.now() > deadline) break
      }
    } finally {
      projects.closeSync()
    }
  } catch {
    // The folder does not exist or may not be read: it has no usable transcript.
  }
  return found
}

function newest(files: readonly string[]): string | null {
  const dated = files
    .filter((file) => kindOf(file) === 'file')
    .map((file) => ({ file, changedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  return dated.sort((a, b) => b.changedMs - a.changedMs || (a.file < b.file ? -1 : 1))[0]?.file ?? null
}
