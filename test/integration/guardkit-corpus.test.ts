/** The artifacts of real sessions, sent unchanged (contract: doors.md, section 2), compared with an import of the same files. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FoundFile, findTaskFolders, type TaskFolder } from '../../src/artifacts/folders.ts'
import { importReading } from '../../src/artifacts/import.ts'
import { readFolders } from '../../src/artifacts/read.ts'
import { httpClient } from '../../src/client/http.ts'
import { isCoachWord } from '../../src/memory/record/words.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { start } from './http-start.ts'
import { type Json, overHttp } from './mcp-connect.ts'

const NO_TASK_FILES = { byTask: new Map(), features: new Map(), skipped: [] }

/** Creates a folder of a task with only the turn states of its turns. */
function withStatesOnly({ taskId, folder, turns, events }: TaskFolder): TaskFolder {
  const states = [...turns].flatMap(([turn, { turn_state }]) =>
    turn_state === undefined ? [] : [[turn, { turn_state }] as const],
  )
  return { taskId, folder, events, turns: new Map(states) }
}

/**
 * Fields of a turn state that an import changes: it cleans paths, converts the criteria to verifications, and drops a text or
 * a time that only repeats a default.
 */
const READ_BY_THE_IMPORT = [
  'playerDecision',
  'playerDecisionRaw',
  'playerSummary',
  'progressSummary',
  'filesModified',
  'startedAt',
  'durationSeconds',
  'acceptanceCriteriaStatus',
  'verifications',
]

const OF_THE_WRITE = ['project', 'key', 'createdAt']

const without = (given: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(given).filter(([field]) => !fields.includes(field)))

describeCorpus('the turn states of real sessions', () => {
  test('REST, MCP and the client accept each file unchanged, with the same proofs as an import', {
    timeout: 120_000,
  }, async () => {
    const { service, token, call } = await start()
    const importer = httpClient({ url: service.url, token, project: 'imported' })
    const client = httpClient({ url: service.url, token, project: 'captured' })
    const mcp = await overHttp('captured')
    let sent = 0
    for (const { root } of corpusRepositories()) {
      const found = await findTaskFolders([root])
      const tasks = found.tasks.map(withStatesOnly).filter(({ turns }) => turns.size > 0)
      const reading = await readFolders({ ...found, tasks })
      await importReading(importer, reading, NO_TASK_FILES, { project: 'imported' })
      for (const { folder, runs, featureId, taskId } of reading.tasks) {
        const { items: worlds } = await importer.listWorlds({ featureId, taskId })
        expect(worlds.length).toBe(runs.length)
        for (const [i, run] of runs.entries()) {
          const world_slug = worlds[i]?.worldSlug ?? ''
          for (const { turn_number: turnNumber } of run) {
            const file = tasks.find((task) => task.folder === folder)?.turns.get(turnNumber)?.turn_state
            const state: Json = JSON.parse(readFileSync(file?.path ?? '', 'utf8'))
            const answer = await call('POST', '/v1/turns', {
              body: { ...state, project: 'captured', world_slug },
            })
            expect(answer.status, file?.shown).toBe(201)
            expect(answer.body.player_decision_raw).toBe(state.player_decision)
            expect(answer.body.warnings?.length ?? 0).toBe(isCoachWord(state.player_decision) ? 1 : 0)
            const read = await client.getTurn({ worldSlug: world_slug, turnNumber })
            expect(await client.captureTurnState(read)).toMatchObject({ created: false })
            expect((await mcp.call('capture_turn_state', { ...state, world_slug })).created).toBe(true)
            sent++
          }
          const scope = { featureId, taskId, worldSlug: world_slug }
          const [captured, imported] = await Promise.all(
            [client, importer].map(async (each) => ({
              turns: (await each.listTurns({ worldSlug: world_slug })).items.map((turn) =>
                without(turn, [...OF_THE_WRITE, ...READ_BY_THE_IMPORT]),
              ),
              criteria: (await each.listCriteria(scope)).criteria.map((one) => without(one, ['key'])),
            })),
          )
          expect(captured).toEqual(imported)
        }
      }
    }
    expect(sent).toBeGreaterThan(100)
  })
})

/** The folder without the files that have no place among the reports of a turn: they only add times and commits. */
const withReportsOnly = ({ checkpoints, turns, ...folder }: TaskFolder): TaskFolder => ({
  ...folder,
  turns: new Map([...turns].map(([turn, { work_state, ...files }]) => [turn, files])),
})

const content = (file: FoundFile | undefined): Json | undefined =>
  file === undefined ? undefined : JSON.parse(readFileSync(file.path, 'utf8'))

const isOfTheMoment = /"(createdAt|lastActivityAt)":"[^"]*",?/g

describeCorpus('the reports of real sessions', () => {
  test('sent turn by turn as they are, they make the graph that an import of the folders makes', {
    timeout: 120_000,
  }, async () => {
    const [imported, sent] = [await start(), await start()]
    const importer = httpClient({ url: imported.service.url, token: imported.token, project: 'shop' })
    let reports = 0
    for (const { root } of corpusRepositories()) {
      const found = await findTaskFolders([root])
      const tasks = found.tasks.map(withReportsOnly)
      const reading = await readFolders({ ...found, tasks })
      await importReading(importer, reading, NO_TASK_FILES, { project: 'shop' })
      for (const { folder, runs, featureId, taskId } of reading.tasks) {
        const of = tasks.find((task) => task.folder === folder)
        const { items: worlds } = await importer.listWorlds({ featureId, taskId })
        for (const [i, run] of runs.entries()) {
          const scope = { project: 'shop', feature_id: featureId, task_id: taskId }
          const world_slug = worlds[i]?.worldSlug
          const results = i === runs.length - 1 ? content(of?.results) : undefined
          // Each turn overwrites the results: they belong to the first turn that ended after they were written.
          const writer = run.find(
            (turn) => (turn.completed_at ?? '9') >= (results?.timestamp ?? '9'),
          )?.turn_number
          await sent.call('POST', '/v1/worlds', { body: { ...scope, world_slug } })
          for (const { turn_number } of run) {
            const files = of?.turns.get(turn_number)
            const body = {
              ...scope,
              world_slug,
              turn_number,
              player_report: content(files?.player),
              coach_report: content(files?.coach),
              turn_state: content(files?.turn_state),
              coach_feedback: content(files?.coach_feedback_for),
              task_work_results: turn_number === writer ? results : undefined,
            }
            const answer = await sent.call('POST', '/v1/turn-reports', { body })
            expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(201)
            reports++
          }
        }
      }
    }
    expect(reports).toBeGreaterThan(100)
    const [a, b] = await Promise.all(
      [imported, sent].map(async ({ graph }) =>
        (await dumpOf(graph)).map((line) => line.replaceAll(isOfTheMoment, '')).sort(),
      ),
    )
    expect(b).toEqual(a)
  })
})
