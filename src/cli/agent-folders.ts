/** Finds the folders in which coding agents keep their transcripts and settings. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const claudeHome = (): string => process.env.CLAUDE_CONFIG_DIR || path.join(homedir(), '.claude')

/** Folder with one folder of transcripts per project. */
export const claudeProjects = (): string => path.join(claudeHome(), 'projects')

export const claudeSettings = (): string => path.join(claudeHome(), 'settings.json')

const codexHome = (): string => process.env.CODEX_HOME || path.join(homedir(), '.codex')

/** Folder with the sessions of all projects, by day. */
export const codexSessions = (): string => path.join(codexHome(), 'sessions')

export const codexHooks = (): string => path.join(codexHome(), 'hooks.json')

/** Returns the folders of all agents that have one, otherwise that of Claude Code. */
export function transcriptFolders(): string[] {
  const found = [claudeProjects(), codexSessions()].filter((folder) => existsSync(folder))
  return found.length > 0 ? found : [claudeProjects()]
}
