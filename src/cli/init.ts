/** `turngraph init`: finds what a folder already has, imports it, and shows the reader's own figures. */

import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { plural } from '../core/plural.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { isOver } from '../rules/session-outcome.ts'
import { readAtMost } from './bounded-input.ts'
import { action, parseSome, SHARED } from './command.ts'
import { dropEarlierInput } from './earlier-input.ts'
import { takeNewsOfGraph } from './graph-in-use.ts'
import type { NamedTask } from './hook-task.ts'
import {
  collectFigures,
  describeFigures,
  describeNotAllowed,
  describeNotImported,
  type Figures,
  findTranscriptPaths,
  type Plan,
} from './init-figures.ts'
import { printJson, printLines, printNote, printText } from './output.ts'
import type { FileResult, UndoneFile } from './setup/change-files.ts'
import { LeftOutFiles } from './setup/left-out.ts'
import { OFFER_NAMES, type OfferName } from './setup/offer-names.ts'
import { interrupt } from './signals.ts'

export const addInit = action(
  {
    name: 'init',
    description: 'find what this folder already has, import it, and show your own figures',
    arguments: {
      folder: ['[folder]', 'the folder to look in (default: .)'],
    },
    options: {
      yes: ['--yes', 'import without a question, and offer nothing'],
      with: [
        '--with <offers>',
        'set these up, with commas between: hooks, mcp, agents, task',
        { parse: (text: string) => parseSome(text, OFFER_NAMES) },
      ],
      undo: [
        '--undo',
        'restore the files that init changed, and nothing else',
        { conflicts: ['yes', 'with'] },
      ],
      serve: ['--no-serve', 'do not serve the page afterwards'],
      ...SHARED,
    },
    help: `It reads autobuild artifacts with their task files at or below the folder, the transcripts that Claude Code keeps of it in
~/.claude/projects, and the sessions of Codex at or below it in ~/.codex/sessions. Without a terminal and without --yes it only
prints what it found.

At a terminal it then offers four things, each with one key. --with names them without a question:
  hooks   in .claude/settings.local.json, and in .codex/hooks.json if Codex has run on this machine
  mcp     the MCP server in .mcp.json, and in .codex/config.toml
  agents  ten lines in AGENTS.md and CLAUDE.md that tell an agent how to ask the memory
  task    .turngraph/task.json: the task of the next session here
--undo restores these files. What was imported stays: it is in the data folder.

Examples:
  turngraph init --yes --no-serve
  turngraph init --with hooks,agents
  turngraph init --undo`,
  },
  async ({
    folder = '.',
    yes = false,
    with: offers = [],
    undo = false,
    serve = true,
    project,
    json = false,
  }) => {
    if (undo) return undoSetup(folder, json)
    const plan = await findSources(folder)
    const isEmpty = plan.sessions + plan.transcripts + plan.specifications.declarations.length === 0
    plan.leftOut.setExitCode()
    if (!json) {
      printLines(describePlan(plan, isEmpty))
      plan.leftOut.print(plan.folder)
    }
    const isToImport = !isEmpty && (yes || offers.length === 0)
    const isKnown = isToImport && !yes && !json && isAtTerminal() && (await isImportedAlready(plan, project))
    if (isKnown) printNote('All of it is imported already, and nothing has changed since.')
    const isImported = isToImport && (yes || isKnown || (await isConfirmed(json, plan, project)))
    const figures = isImported ? await importSources(plan, { project, isKnown }) : null
    if (figures !== null && !json) printFigures(plan, figures)
    const changed = await setUpOffers(plan, { offers, isAsked: !yes && !json, project })
    if (json) return printWire(plan, figures, changed)
    const isServedEmpty = isEmpty && offers.length === 0 && isAtTerminal()
    if (figures === null && !isServedEmpty) return
    if (!serve || !process.stderr.isTTY) return printNote('See them on the page: turngraph serve')
    takeNewsOfGraph() // Drops the note about a missing graph, because the service creates it.
    await servePage()
  },
)

async function importSources(
  plan: Plan,
  { project, isKnown }: { project: string | undefined; isKnown: boolean },
): Promise<Figures> {
  const { withClient } = await import('./connect.ts')
  const { scopes } = await withClient({ project, readsOnly: true }, (client) => client.describeCaller({}))
  const mayWrite = scopes.includes('write')
  const hasNews = mayWrite || (!isKnown && !(await isImportedAlready(plan, project)))
  return collectFigures(plan, { project, mayWrite, hasNews })
}

function printFigures(plan: Plan, figures: Figures): void {
  printLines(describeFigures(figures) || 'Nothing could be imported.')
  plan.leftOut.print(plan.folder)
  plan.leftOut.setExitCode()
  for (const note of [describeNotImported(plan, figures), describeNotAllowed(figures)])
    if (note !== null) printNote(note)
}

/** Sets up the named offers and returns the result of each file. Without names, asks at a terminal and returns no result. */
async function setUpOffers(
  plan: Plan,
  {
    offers,
    isAsked,
    project,
  }: { offers: readonly OfferName[]; isAsked: boolean; project?: string | undefined },
): Promise<readonly FileResult[]> {
  if (offers.length === 0 && !(isAsked && isAtTerminal())) return []
  const { offer, printResults, setUp } = await import('./setup/offers.ts')
  const { configFor } = await import('./connect.ts')
  const { dataFolder } = configFor(project)
  const needsTask = offers.length === 0 || offers.includes('task')
  const task = needsTask ? await chooseTask(plan, project) : null
  const setup = { folder: plan.folder, dataFolder, project, task }
  if (offers.length === 0) {
    await offer(setup)
    return []
  }
  const results = await setUp(offers, setup)
  printResults(results)
  return results
}

/** Chooses the task of the newest session that is not approved, otherwise the first task that a specification declares. */
async function chooseTask(plan: Plan, project: string | undefined): Promise<NamedTask | null> {
  const { withClient } = await import('./connect.ts')
  const { open, hasSessions } = await withClient({ project, readsOnly: true }, async (client) => {
    const list = (more: object) => client.listWorlds({ order: 'last_activity', withoutTokens: true, ...more })
    const hasSessions = (await list({ limit: 1 })).items.length > 0
    for (let cursor: string | null = null; ; ) {
      const { items, nextCursor } = await list({ notApproved: true, cursor })
      const open = items.find(({ outcome }) => !isOver(outcome))
      if (open !== undefined || nextCursor === null) return { open, hasSessions }
      cursor = nextCursor
    }
  })
  const declared = plan.specifications.declarations[0]?.parts[0]
  const chosen = open ?? (hasSessions ? undefined : declared)
  if (chosen === undefined) return null
  return {
    ...(project !== undefined && { project }),
    feature_id: chosen.featureId,
    task_id: chosen.taskId,
  }
}

const UNDONE: Record<UndoneFile['result'], (file: string, why?: string) => string> = {
  deleted: (file) => `Deleted ${file}, which did not exist before.`,
  restored: (file) => `Restored ${file}.`,
  'part removed': (file) => `Removed the part of Turngraph from ${file}, which was edited since.`,
  kept: (file, why) => `Kept ${file}: it ${why}.`,
}

async function undoSetup(given: string, json: boolean): Promise<void> {
  const { undoParts } = await import('./setup/change-files.ts')
  const folder = path.resolve(given)
  const undone = await undoParts(folder)
  if (json) return printJson({ undone })
  if (undone.length === 0) return printNote(`init changed no file of ${folder}.`)
  for (const { file, result, why } of undone) printText(UNDONE[result](file, why))
}

const MAX_SPECIFICATION_BYTES = 8 * 1024 * 1024

async function findSources(given: string): Promise<Plan> {
  const { findTaskFolders } = await import('../artifacts/folders.ts')
  const { readSpecificationFiles } = await import('../artifacts/specifications/specify-files.ts')
  const { countTranscripts, findRollouts } = await import('../transcripts/import-files.ts')
  const { claudeProjects, codexSessions } = await import('./agent-folders.ts')
  const folder = path.resolve(given)
  const { tasks, skipped } = await findTaskFolders([folder])
  const specifications = await readSpecificationFiles([folder], {
    readFile: (file) => readAtMost(file, MAX_SPECIFICATION_BYTES),
  })
  const leftOut = new LeftOutFiles()
  leftOut.addSkipped(skipped)
  leftOut.addSpecifications(specifications.report.files)
  const transcriptFolder = transcriptFolderOf(folder, claudeProjects())
  const ofClaude = existsSync(transcriptFolder) ? await countTranscripts([transcriptFolder]) : 0
  const codexFiles = existsSync(codexSessions()) ? await findRollouts(codexSessions(), folder) : []
  return {
    folder,
    sessions: tasks.length,
    turns: tasks.reduce((sum, { turns }) => sum + turns.size, 0),
    specifications,
    transcripts: ofClaude + codexFiles.length,
    transcriptFolder,
    codexFiles,
    unusableArtifacts: skipped.length,
    leftOut,
  }
}

/** Claude Code names the folder of a project by its path, with `-` for each character that is not a letter or a digit. */
const transcriptFolderOf = (folder: string, projects: string): string =>
  path.join(projects, realpathSync(folder).replace(/[^A-Za-z0-9]/g, '-'))

function describePlan(
  { folder, sessions, turns, specifications, transcripts, leftOut }: Plan,
  isEmpty: boolean,
): string {
  if (isEmpty && leftOut.hasUnreadable)
    return `Nothing to import was found in ${folder}, because some of it cannot be read.`
  if (isEmpty)
    return [
      `There is nothing to import in ${folder} yet.`,
      'Turngraph looks for autobuild artifacts (player_turn_N.json, coach_turn_N.json, turn_state_turn_N.json) at any depth,',
      'specifications with acceptance criteria, and the transcripts that Claude Code and Codex keep of this folder.',
      'To record a turn yourself: turngraph capture --help',
    ].join('\n')
  const specified = specifications.taskCount
  const parts = [
    ...(sessions > 0 ? [`${plural(sessions, 'session')} with ${plural(turns, 'turn')}`] : []),
    ...(specified > 0 ? [`specifications of ${plural(specified, 'task')}`] : []),
    ...(transcripts > 0 ? [plural(transcripts, 'transcript')] : []),
  ]
  return `Found in ${folder}: ${parts.join(', ')}.`
}

const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Returns true if an import would write nothing. Reads only the folder and the graph. */
async function isImportedAlready(plan: Plan, project: string | undefined): Promise<boolean> {
  const { importAutobuild } = await import('../artifacts/import.ts')
  const { isAllDeclared } = await import('../artifacts/specifications/specify-files.ts')
  const { planImport } = await import('../transcripts/import-files.ts')
  const { withClient, withTranscripts } = await import('./connect.ts')
  const options = { project, readsOnly: true }
  const isSame = await withClient(options, async (client) => {
    if (plan.sessions > 0) {
      const report = await importAutobuild(client, [plan.folder], { dryRun: true })
      if (report.turnsCreated + report.turnsSuperseded + report.turnsFailed > 0) return false
    }
    return isAllDeclared(client, plan.specifications, { project })
  })
  if (!isSame || plan.transcripts === 0) return isSame
  const { bytes } = await withTranscripts(options, (store, into) =>
    planImport(store, findTranscriptPaths(plan), into),
  )
  return bytes === 0
}

async function isConfirmed(json: boolean, { folder }: Plan, project: string | undefined): Promise<boolean> {
  if (json) return false
  if (!isAtTerminal()) {
    const option = project === undefined ? '' : ` --project ${quoteForShell(project)}`
    printNote(`Nothing was imported. To import it: turngraph init ${quoteForShell(folder)} --yes${option}`)
    return false
  }
  await dropEarlierInput()
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // As for any other command; otherwise the question itself would fail.
  terminal.on('SIGINT', interrupt)
  try {
    const answer = await terminal.question('Import it? Your files stay as they are. [Y/n] ')
    return /^\s*(y|yes)?\s*$/i.test(answer)
  } finally {
    terminal.close()
  }
}

async function printWire(plan: Plan, figures: Figures | null, changed: readonly FileResult[]): Promise<void> {
  const { toSnakeCase: toWire } = await import('../core/wire-form.ts')
  printJson({
    plan: toWire({
      ...plan,
      leftOut: undefined,
      unusableArtifacts: undefined,
      leftOutFiles: plan.leftOut.files,
      specifications: plan.specifications.taskCount,
      codexFiles: plan.codexFiles.length,
    }),
    imported: figures && toWire({ ...figures, leftOut: figures.leftOut.count }),
    changed,
  })
}

async function servePage(): Promise<void> {
  const { loadConfig } = await import('../platform/config.ts')
  const { runningServer } = await import('./running-server.ts')
  const { serve } = await import('./serve.ts')
  const running = await runningServer(loadConfig(process.env))
  if (running !== null) return printNote('A service runs already. See the page: turngraph open')
  await serve({ printAddress: true }, { keepsPort: false })
}
