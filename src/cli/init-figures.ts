/** Imports the sources of a folder for `turngraph init`, and describes the figures of its project. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ImportReport } from '../artifacts/import-report.ts'
import type { ReadSpecifications } from '../artifacts/specifications/specify-files.ts'
import type { TurngraphClient } from '../client/client.ts'
import { plural } from '../core/plural.ts'
import { quoteForShell } from '../rules/command-line.ts'
import type { FilesImport } from '../transcripts/import-files.ts'
import type { LeftOutFiles } from './setup/left-out.ts'

export type Plan = {
  folder: string
  sessions: number
  turns: number
  specifications: ReadSpecifications
  transcripts: number
  transcriptFolder: string
  /** Sessions of Codex that ran in the folder or below it. */
  codexFiles: readonly string[]
  unusableArtifacts: number
  leftOut: LeftOutFiles
}

export type Figures = {
  sessions: number
  turns: number
  specifications: number
  /** Null if the token may not run the analysis. */
  turnsAfterAllWasProven: number | null
  verified: number
  /** Verified criteria whose only evidence is the Player's text. */
  inPlayersWords: number
  transcriptTurns: number
  /** Files and turns that could not be imported, by the command that lists them. */
  leftOut: {
    /** Total number of files and turns. A folder that several commands list counts once. */
    count: number
    autobuild: number
    specifications: number
    transcripts: readonly string[]
  }
  notAllowed: string[]
}

export const findTranscriptPaths = ({ transcriptFolder, codexFiles }: Plan): string[] =>
  [transcriptFolder, ...codexFiles].filter(existsSync)

/** Imports the sources, and reads the figures. With a token that may not write, only reads them. */
export async function collectFigures(
  plan: Plan,
  { project, mayWrite, hasNews }: { project: string | undefined; mayWrite: boolean; hasNews: boolean },
): Promise<Figures> {
  const { importAutobuild } = await import('../artifacts/import.ts')
  const { declareSpecifications } = await import('../artifacts/specifications/specify-files.ts')
  const { importFiles, planImport } = await import('../transcripts/import-files.ts')
  const { withClient, withTranscripts } = await import('./connect.ts')
  const options = { project, readsOnly: !mayWrite }
  const paths = findTranscriptPaths(plan)
  const transcripts =
    plan.transcripts === 0
      ? { turns: 0, skipped: [] }
      : await withTranscripts(options, async (store, into) => {
          const { turns } = mayWrite ? await importFiles(store, paths, { project: into }) : { turns: 0 }
          // The dry run omits agents that only warmed up, because they have nothing to import.
          return { turns, skipped: (await planImport(store, paths, into)).skipped }
        })
  return withClient(options, async (client) => {
    const how = mayWrite ? { specifications: true } : { dryRun: true }
    const imported = plan.sessions === 0 ? null : await importAutobuild(client, [plan.folder], how)
    if (mayWrite) {
      await declareSpecifications(client, plan.specifications, { project })
      return toFigures(client, plan, { imported, transcripts })
    }
    const stored = imported && { ...imported, turnsCreated: 0, turnsSuperseded: 0 }
    const figures = await toFigures(client, plan, { imported: stored, transcripts })
    const part = hasNews ? 'the import' : 'the update of the desires'
    return { ...figures, specifications: 0, notAllowed: [`${part} (scope write)`, ...figures.notAllowed] }
  })
}

type Imported = Pick<
  ImportReport,
  'worlds' | 'turnsCreated' | 'turnsUnchanged' | 'turnsSuperseded' | 'turnsFailed' | 'skipped'
>

async function toFigures(
  client: TurngraphClient,
  { specifications, unusableArtifacts, leftOut }: Plan,
  {
    imported,
    transcripts,
  }: { imported: Imported | null; transcripts: Pick<FilesImport, 'turns' | 'skipped'> },
): Promise<Figures> {
  leftOut.addSkipped(imported?.skipped ?? [])
  leftOut.addSpecifications(specifications.report.files)
  leftOut.addSkipped(transcripts.skipped)
  const { worlds = 0, turnsCreated = 0, turnsUnchanged = 0, turnsSuperseded = 0 } = imported ?? {}
  return {
    sessions: worlds,
    turns: turnsCreated + turnsUnchanged + turnsSuperseded,
    specifications: specifications.taskCount,
    transcriptTurns: transcripts.turns,
    leftOut: {
      count: leftOut.count + (imported?.turnsFailed ?? 0),
      autobuild: imported === null ? unusableArtifacts : imported.skipped.length + imported.turnsFailed,
      specifications: specifications.report.files.filter((file) => file.refused !== undefined).length,
      transcripts: transcripts.skipped.map(({ file }) => file),
    },
    ...(await readProofs(client)),
  }
}

type Proofs = Pick<Figures, 'verified' | 'inPlayersWords' | 'turnsAfterAllWasProven' | 'notAllowed'>

async function readProofs(client: TurngraphClient): Promise<Proofs> {
  const { readPages } = await import('./require-project.ts')
  const { items } = await readPages({}, (window) => client.listWorlds({ withoutTokens: true, ...window }))
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
  const verified = sum(items.map((world) => world.verified))
  const inPlayersWords = sum(items.map(({ repeated, misplaced }) => repeated + misplaced))
  const proofs = { verified, inPlayersWords, turnsAfterAllWasProven: 0, notAllowed: [] }
  if (items.length === 0) return proofs
  const { scopes } = await client.describeCaller({})
  if (!scopes.includes('analyst')) {
    const part = 'the number of turns after everything was proven (scope analyst)'
    return { ...proofs, turnsAfterAllWasProven: null, notAllowed: [part] }
  }
  const { columns, rows } = await client.runAnalysis({ name: 'turns-after-all-was-proven', limit: 1_000 })
  const place = columns.indexOf('turns')
  return { ...proofs, turnsAfterAllWasProven: sum(rows.map((row) => Number(row[place]))) }
}

export function describeFigures(figures: Figures): string {
  const { sessions, turns, specifications, transcriptTurns, verified, inPlayersWords } = figures
  const { turnsAfterAllWasProven: late } = figures
  return [
    ...(sessions === 0 ? [] : [`${plural(sessions, 'session')}, ${plural(turns, 'turn')}.`]),
    ...(verified === 0
      ? []
      : [
          ...(late === null
            ? []
            : [`In this project ${plural(late, 'turn')} came after everything was proven.`]),
          `${inPlayersWords} of ${verified} proofs are in the Player's own words.`,
        ]),
    ...(specifications === 0 ? [] : [`The criteria of ${plural(specifications, 'task')} are declared.`]),
    ...(transcriptTurns === 0 ? [] : [`${plural(transcriptTurns, 'turn')} of transcripts.`]),
  ].join('\n')
}

export function describeNotImported(plan: Plan, figures: Figures): string | null {
  const { count, autobuild, specifications, transcripts } = figures.leftOut
  if (count === 0) return null
  const folder = quoteForShell(plan.folder)
  const isBelow = (file: string) => file.startsWith(plan.transcriptFolder + path.sep)
  const paths = [...new Set(transcripts.map((file) => (isBelow(file) ? plan.transcriptFolder : file)))]
  const commands = [
    ...(autobuild === 0 ? [] : [`import autobuild ${folder}`]),
    ...(specifications === 0 ? [] : [`specify ${folder}`]),
    ...(paths.length === 0 ? [] : [`import transcripts ${paths.map(quoteForShell).join(' ')}`]),
  ]
  const named = commands.map((command) => `\`turngraph ${command} --dry-run\``)
  return `Not imported, of files and turns: ${count}. To list them, run ${named.join(', ')}.`
}

export const describeNotAllowed = ({ notAllowed }: Figures): string | null =>
  notAllowed.length === 0 ? null : `Left out, because the token does not allow it: ${notAllowed.join(', ')}.`
