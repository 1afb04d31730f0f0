import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ArtifactWatch } from '../../src/artifacts/artifact-watch.ts'
import type { WatchEvent } from '../../src/cli/watch-lines.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { type StoreUnderTest, useGraph } from '../contract/store.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import { viewOf } from '../support/session-view.ts'
import { bytesOf, everyTurn, sessionOf, turn as transcriptTurn } from '../support/transcript-import.ts'
import { importsInTest, watchedFolder, watchInTest } from '../support/watched.ts'
import { coach, filesOfTurn, player, writeSlowly } from '../support/written-session.ts'

/** Options of polls. The time that a condition takes is not tested. */
const POLL = { timeout: 30_000, interval: 50 }

export const turnsIn = (events: readonly WatchEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'turn'
      ? `${event.taskId} ${event.turnNumber} ${event.decision} ${event.verified}/${event.total}${event.superseded ? ' again' : ''}`
      : [],
  )

/** Declares the tests of a watch for an engine. */
export function followsASession(store: StoreUnderTest): void {
  describe('turngraph watch', () => {
    const handles = useGraph(store)
    const connect = () => clientOf(handles.graph)

    test('after each turn the graph equals that of an import, however slowly the files are written', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, '.guardkit', 'autobuild', 'TASK-1')
      const { events } = watchInTest(client, [root])
      const imports = importsInTest([root])
      for (const turn of [1, 2, 3]) {
        for (const each of filesOfTurn(folder, turn)) await writeSlowly(each)
        await imports.importNow()
        const expected = await imports.view('TASK-1')
        await expect.poll(() => viewOf(client, 'TASK-1'), POLL).toEqual(expected)
      }
      const again = turnsIn(events()).filter((line) => line.endsWith('again'))
      expect(turnsIn(events()).filter((line) => !again.includes(line))).toEqual([
        'TASK-1 1 feedback 1/2',
        'TASK-1 2 approved 2/2',
        'TASK-1 3 approved 2/2',
      ])
    })
  })
}

export function watchSuite(store: StoreUnderTest): void {
  describe('turngraph watch, with changes of its folders', () => {
    const handles = useGraph(store)
    const connect = () => clientOf(handles.graph)

    test('a re-run that overwrites the files of a session is a new world, and the old one does not change', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      for (const turn of [1, 2]) for (const each of filesOfTurn(folder, turn)) await writeSlowly(each)
      const longAgo = new Date(Date.now() - 3_600_000)
      for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), longAgo, longAgo)
      const { events, looked } = watchInTest(client, [root])
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(2)
      const before = (await client.listTurns({ worldSlug: 'TASK-1' })).items
      const { completion_promises: promises } = player(1)
      const more = { criterion_id: 'AC-003', criterion_text: 'Zero is shown', status: 'complete' }
      const again = player(1, { completion_promises: [...promises, more] })
      for (const each of filesOfTurn(folder, 1, 2)) {
        const isPlayer = path.basename(each.file).startsWith('player')
        await writeSlowly(isPlayer ? { ...each, content: again } : each)
        // With the old verdict, the new report would have more content than the stored record.
        await looked()
      }
      await expect
        .poll(async () => (await client.listWorlds({ taskId: 'TASK-1' })).items, POLL)
        .toHaveLength(2)
      expect((await client.listTurns({ worldSlug: 'TASK-1' })).items).toEqual(before)
      expect((await client.getTurn({ worldSlug: 'TASK-1.2', turnNumber: 1 })).completedAt).toContain(
        '2026-03-02',
      )
    })

    test('a turn is imported only after it was judged, so no turn has a missing decision or an unknown feature', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      const { events, looked } = watchInTest(client, [root])
      const before: string[] = []
      for (const [turn, line] of [
        [1, 'TASK-1 1 feedback 1/2'],
        [2, 'TASK-1 2 approved 2/2'],
      ] as const) {
        const files = filesOfTurn(folder, turn)
        for (const each of files.slice(0, 2)) {
          await writeSlowly(each)
          await looked()
          expect(turnsIn(events())).toEqual(before)
        }
        for (const each of files.slice(2, 4)) await writeSlowly(each)
        before.push(line)
        await expect.poll(() => turnsIn(events()).slice(0, before.length), POLL).toEqual(before)
        before.push(...turnsIn(events()).slice(before.length))
      }
      const { items } = await client.listWorlds({ taskId: 'TASK-1' })
      expect(items.map(({ featureId }) => featureId)).toEqual(['FEAT-1'])
    })

    test("a turn is imported as soon as the Coach's report is complete, and a later turn state amends it", async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const folder = path.join(root, 'TASK-1')
      const { events } = watchInTest(client, [root])
      for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      const turns = () => turnsIn(events()).filter((line) => line.startsWith('TASK-1 2'))
      const [results, report, judgement, state] = filesOfTurn(folder, 2)
      for (const each of [results, report, judgement]) if (each !== undefined) await writeSlowly(each)
      await expect.poll(turns, POLL).toEqual(['TASK-1 2 approved 2/2'])
      if (state !== undefined) await writeSlowly(state)
      await expect.poll(turns, POLL).toEqual(['TASK-1 2 approved 2/2', 'TASK-1 2 approved 2/2 again'])
      await imports.importNow()
      await expect.poll(() => viewOf(client, 'TASK-1'), POLL).toEqual(await imports.view('TASK-1'))
    })

    test('a turn without a feature is imported within seconds, and stays in its world when a file names the feature', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const { events } = watchInTest(client, [root])
      const [results, report, judgement, state] = filesOfTurn(path.join(root, 'TASK-1'), 1)
      for (const each of [results, report, judgement]) if (each !== undefined) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toEqual(['TASK-1 1 feedback 1/2'])
      if (state !== undefined) await writeSlowly(state)
      await expect.poll(() => turnsIn(events()).at(-1), POLL).toBe('TASK-1 1 feedback 1/2 again')
      for (const each of filesOfTurn(path.join(root, 'TASK-1'), 2)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toContain('TASK-1 2 approved 2/2')
      expect((await client.listWorlds({ taskId: 'TASK-1' })).items).toMatchObject([
        { featureId: 'FEAT-UNKNOWN', worldSlug: 'TASK-1', currentTurn: 2 },
      ])
    })

    test('a folder whose world is held by an attempt (409) is imported once the attempt has ended', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const [held, free] = [path.join(root, 'TASK-1'), path.join(root, 'TASK-2')]
      const { events, looked } = watchInTest(client, [root])
      for (const each of filesOfTurn(held, 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toContain('TASK-1 1 feedback 1/2')
      const runs = new TurnRunStore(handles.graph)
      const started = await runs.startAttempt({ project: PROJECT, worldSlug: 'TASK-1' }, 'w')
      const attempt = await runs.claimAttempt(started, 'w')
      for (const folder of [held, free])
        for (const each of filesOfTurn(folder, folder === held ? 2 : 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toContain('TASK-2 1 feedback 1/2')
      await looked()
      expect(turnsIn(events()).filter((line) => line.startsWith('TASK-1 2'))).toEqual([])
      const warnings = () => events().filter((event) => event.type === 'warning' && event.taskId === 'TASK-1')
      expect(warnings()).toHaveLength(1)
      await runs.failAttempt(attempt, attempt.fence ?? 0, 'it broke')
      await expect.poll(() => turnsIn(events()), POLL).toContain('TASK-1 2 approved 2/2')
      expect(warnings()).toHaveLength(1)
    })

    test('a folder that cannot be imported is named once, and those after it are imported', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const [broken, whole] = [path.join(root, 'TASK-1'), path.join(root, 'TASK-2')]
      const failing = new Proxy(client, {
        get: (target, name) => {
          const value = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          if (name !== 'listWorlds') return value.bind(target)
          return async (asked: { taskId?: string }) => {
            if (asked.taskId === 'TASK-1') throw new TurngraphError('unknown_world', 'made to fail')
            return target.listWorlds(asked)
          }
        },
      })
      const { events, looked } = watchInTest(failing, [root])
      for (const folder of [broken, whole]) for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toEqual(['TASK-2 1 feedback 1/2'])
      await looked()
      const skipped = events().flatMap((event) => (event.type === 'skipped' ? [event.file] : []))
      expect(skipped).toEqual([broken])
    })

    test('a partly written file delays only its own turn, and is reported once if it stays broken', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const folder = path.join(root, 'TASK-1')
      const broken = path.join(folder, 'coach_turn_2.json')
      for (const turn of [1, 2]) for (const each of filesOfTurn(folder, turn)) await writeSlowly(each, 1)
      writeFileSync(broken, JSON.stringify(coach(2)).slice(0, 100))
      const { events, looked } = watchInTest(client, [root])
      const skipped = () =>
        events().flatMap((event) => (event.type === 'skipped' ? [event.file, event.reason] : []))
      await expect.poll(() => turnsIn(events()), POLL).toEqual(['TASK-1 1 feedback 1/2'])
      await looked()
      expect([turnsIn(events()).length, skipped()]).toEqual([1, []])
      age(broken, 61_000)
      await expect.poll(skipped, POLL).toEqual([broken, 'is not valid JSON'])
      await imports.importNow()
      await expect.poll(() => viewOf(client, 'TASK-1'), POLL).toEqual(await imports.view('TASK-1'))
      writeFileSync(broken, JSON.stringify(coach(2)))
      await expect.poll(() => turnsIn(events()).at(-1), POLL).toBe('TASK-1 2 approved 2/2 again')
      expect(skipped()).toEqual([broken, 'is not valid JSON'])
    })

    test("a Player's report that stays broken is reported, even if its turn never ends", async () => {
      const [root, client] = [watchedFolder(), connect()]
      const file = path.join(root, 'TASK-1', 'player_turn_1.json')
      mkdirSync(path.dirname(file))
      writeFileSync(file, '{"implementation_notes": "cut o')
      age(file, 61_000)
      const { events } = watchInTest(client, [root])
      await expect
        .poll(() => events().filter(({ type }) => type === 'skipped'), POLL)
        .toEqual([{ type: 'skipped', file, reason: 'is not valid JSON' }])
      expect(turnsIn(events())).toEqual([])
    })

    test('a turn whose files change again supersedes its record, like in an import', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      const { events } = watchInTest(client, [root])
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1)
      const more = { criterion_id: 'AC-003', criterion_text: 'Zero is shown', result: 'verified' }
      const { criteria_verification: given } = coach(1)
      const content = coach(1, 'feedback', { criteria_verification: [...given, more] })
      await writeSlowly({ file: path.join(folder, 'coach_turn_1.json'), content })
      await expect.poll(() => turnsIn(events()).at(-1), POLL).toBe('TASK-1 1 feedback 2/3 again')
      expect((await client.getTurnHistory({ worldSlug: 'TASK-1', turnNumber: 1 })).items).toHaveLength(1)
    })

    test('a folder that appears later, disappears and returns is watched', async () => {
      const [above, client] = [watchedFolder(), connect()]
      const root = path.join(above, 'later', 'shop')
      const folder = path.join(root, 'TASK-1')
      const imports = importsInTest([root])
      const { events, looked } = watchInTest(client, [root])
      await looked()
      for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1)
      await imports.importNow()
      renameSync(root, path.join(above, 'aside'))
      await looked()
      renameSync(path.join(above, 'aside'), root)
      for (const each of filesOfTurn(folder, 2)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(2)
      await imports.importNow()
      rmSync(root, { recursive: true })
      for (const turn of [1, 2, 3]) for (const each of filesOfTurn(folder, turn)) await writeSlowly(each, 1)
      await expect
        .poll(() => turnsIn(events()).filter((line) => !line.endsWith('again')), POLL)
        .toHaveLength(3)
      await imports.importNow()
      await expect.poll(() => viewOf(client, 'TASK-1'), POLL).toEqual(await imports.view('TASK-1'))
    })

    test('the files of an abandoned turn are imported unchanged', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const file = path.join(root, 'TASK-1', 'player_turn_1.json')
      await writeSlowly({ file, content: player(1) })
      age(file, 31 * 60_000)
      watchInTest(client, [root])
      await imports.importNow()
      await expect.poll(() => viewOf(client, 'TASK-1'), POLL).toEqual(await imports.view('TASK-1'))
    })

    test('a turn without a state is imported when any file names its feature', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const [results, report, judgement] = filesOfTurn(path.join(root, 'TASK-1'), 1)
      const { events } = watchInTest(client, [root])
      for (const each of [results, report, judgement]) if (each !== undefined) await writeSlowly(each)
      const content = `${JSON.stringify({ task_id: 'TASK-1', timestamp: '2026-03-01T10:00:00' })}\n`
      await writeSlowly({ file: path.join(root, 'FEAT-9', 'events.jsonl'), content })
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1)
      await imports.importNow()
      expect(await viewOf(client, 'TASK-1')).toEqual(await imports.view('TASK-1'))
    })

    test('a turn without a state is imported immediately if the file of its task names the feature', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const content =
        '---\nid: TASK-1\nfeature_id: FEAT-7\n---\n## Acceptance Criteria\n- [ ] Prices are shown\n'
      await writeSlowly({ file: path.join(root, 'tasks', 'in_progress', 'TASK-1.md'), content })
      const { events } = watchInTest(client, [root])
      const [results, report, judgement] = filesOfTurn(path.join(root, '.guardkit', 'autobuild', 'TASK-1'), 1)
      for (const each of [results, report, judgement]) if (each !== undefined) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1) // not only after a minute, when it is imported in any case
      expect((await client.listWorlds({ taskId: 'TASK-1' })).items).toMatchObject([{ featureId: 'FEAT-7' }])
      await imports.importNow()
      expect(await viewOf(client, 'TASK-1')).toEqual(await imports.view('TASK-1'))
    })

    test('the criteria in the file of a task are declared with its turns', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const imports = importsInTest([root])
      const content =
        '---\nid: TASK-1\n---\n## Acceptance Criteria\n- [ ] Prices are shown\n- [ ] Zero is shown\n'
      await writeSlowly({ file: path.join(root, 'tasks', 'in_progress', 'TASK-1-prices.md'), content })
      const { events } = watchInTest(client, [root])
      const folder = path.join(root, '.guardkit', 'autobuild', 'TASK-1')
      for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1)
      await imports.importNow()
      expect(await viewOf(client, 'TASK-1')).toEqual(await imports.view('TASK-1'))
      expect(await client.getSpecification({ featureId: 'FEAT-1', taskId: 'TASK-1' })).toMatchObject({
        total: 2,
      })
    })

    test("--write-context writes only the next turn's contexts next to the artifacts, readable only by the owner", async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, '.guardkit', 'autobuild', 'TASK-1')
      const hidden = path.join(root, '.guardkit', 'autobuild-private', 'TASK-1')
      const { looked, stop } = watchInTest(client, [root], {
        writeContext: '{task}-{turn}-{role}.md',
      })
      for (const each of filesOfTurn(folder, 1)) {
        const isCoach = path.basename(each.file).startsWith('coach')
        await writeSlowly(isCoach ? { ...each, file: path.join(hidden, 'coach_turn_1.json') } : each)
      }
      const files = {
        player: path.join(folder, 'TASK-1-2-player.md'),
        coach: path.join(hidden, 'TASK-1-2-coach.md'),
      }
      await expect.poll(() => Object.values(files).every((file) => existsSync(file)), POLL).toBe(true)
      await looked()
      await stop()
      for (const role of ['player', 'coach'] as const) {
        // looked() writes another session after the files.
        const asked = {
          featureId: 'FEAT-1',
          taskId: 'TASK-1',
          currentTurn: 2,
          role,
          elsewhere: 'off',
        } as const
        const { context } = await client.loadTurnContinuationContext(asked)
        expect(readFileSync(files[role], 'utf8')).toBe(`${context}\n`)
        if (process.platform !== 'win32') expect(statSync(files[role]).mode & 0o777).toBe(0o600)
      }
      expect(readdirSync(folder).filter((name) => !name.endsWith('.json'))).toEqual(['TASK-1-2-player.md'])
      expect(readdirSync(hidden).sort()).toEqual(['TASK-1-2-coach.md', 'coach_turn_1.json'])
      expect(readFileSync(files.player, 'utf8')).not.toContain('Looked at the till')
    })

    test('--write-context never writes text of a Coach into a folder of a Player, and reports this', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, '.guardkit', 'autobuild', 'TASK-1')
      const { events, looked } = watchInTest(client, [root], { writeContext: '{task}-{turn}-{role}.md' })
      for (const turn of [1, 2]) {
        for (const each of filesOfTurn(folder, turn)) await writeSlowly(each)
        await expect
          .poll(() => existsSync(path.join(folder, `TASK-1-${turn + 1}-player.md`)), POLL)
          .toBe(true)
      }
      await looked()
      expect(
        readdirSync(root, { recursive: true }).filter((name) => `${name}`.includes('-coach.md')),
      ).toEqual([])
      expect(events().filter(({ type }) => type === 'no_private_folder')).not.toEqual([])
    })

    test('the begin of a turn does not replace its context with that of the turn before', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      const seconds = { 1: 200, 2: 20, 3: 0 }
      const write = (turn: 1 | 2 | 3, name: string, content: unknown) => {
        const file = path.join(folder, name)
        writeFileSync(file, JSON.stringify(content))
        const at = Date.now() / 1_000 - seconds[turn]
        utimesSync(file, at, at)
      }
      mkdirSync(folder)
      for (const turn of [1, 2] as const) {
        write(turn, `player_turn_${turn}.json`, player(turn))
        write(turn, `coach_turn_${turn}.json`, coach(turn))
      }
      const watch = new ArtifactWatch([root], { project: null, specifications: false })
      const look = async () => {
        const imported: number[][] = []
        await watch.look(client, {
          changed: null,
          signal: new AbortController().signal,
          onImport: async ({ folder: { turns } }) => void imported.push([...turns.keys()].sort()),
          onSkipped: () => {},
        })
        return imported
      }
      expect(await look()).toEqual([[1, 2]])
      write(3, 'player_turn_3.json', player(3))
      expect(await look()).toEqual([])
      seconds[1] = 190
      write(1, 'coach_turn_1.json', coach(1, 'feedback', { rationale: 'Written again' }))
      expect(await look()).toEqual([[1]])
      seconds[3] = 10
      write(3, 'player_turn_3.json', player(3))
      write(3, 'coach_turn_3.json', coach(3))
      expect(await look()).toEqual([[1, 2, 3]])
    })

    test('a broken file with a time in the future is reported, and holds back no turn', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      mkdirSync(folder)
      const write = (name: string, text: string, seconds: number) => {
        writeFileSync(path.join(folder, name), text)
        const at = Date.now() / 1_000 + seconds
        utimesSync(path.join(folder, name), at, at)
      }
      write('player_turn_1.json', JSON.stringify(player(1)), -200)
      write('coach_turn_1.json', JSON.stringify(coach(1)), -200)
      write('checkpoints.json', '{', 86_400)
      const watch = new ArtifactWatch([root], { project: null, specifications: false })
      const imported: [turns: number[], skipped: number][] = []
      await watch.look(client, {
        changed: null,
        signal: new AbortController().signal,
        onImport: async ({ folder: { turns }, report }) =>
          void imported.push([[...turns.keys()], report.skipped.length]),
        onSkipped: () => {},
      })
      expect(imported).toEqual([[[1], 1]])
    })

    test('without --write-context nothing is written into the folders', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const { events } = watchInTest(client, [root])
      const files = filesOfTurn(path.join(root, 'TASK-1'), 1)
      for (const each of files) await writeSlowly(each)
      await expect.poll(() => turnsIn(events()), POLL).toHaveLength(1)
      expect(readdirSync(root, { recursive: true })).toHaveLength(files.length + 1)
    })

    test('transcripts are imported while they are written', async () => {
      const [root, sessions, client] = [watchedFolder(), watchedFolder(), connect()]
      const file = path.join(sessions, `${sessionOf(1)}.jsonl`)
      const stored = async () => (await everyTurn(client)).length
      watchInTest(client, [root], { transcripts: [sessions] })
      for (const count of [1, 2, 3]) {
        const turns = Array.from({ length: count }, (_, i) =>
          transcriptTurn(`t${i}`, ['Read', 'Edit'], { from: 10 * i }),
        )
        writeFileSync(file, bytesOf(...turns))
        await expect.poll(stored, POLL).toBe(count)
      }
    })

    test('a restarted watch imports only the turns that were written since', async () => {
      const [root, client] = [watchedFolder(), connect()]
      const folder = path.join(root, 'TASK-1')
      const first = watchInTest(client, [root])
      for (const each of filesOfTurn(folder, 1)) await writeSlowly(each)
      await expect.poll(() => turnsIn(first.events()), POLL).toHaveLength(1)
      await first.stop()
      for (const each of filesOfTurn(folder, 2)) await writeSlowly(each)
      const second = watchInTest(client, [root])
      await expect.poll(() => turnsIn(second.events()), POLL).toEqual(['TASK-1 2 approved 2/2'])
      expect((await client.getTurnHistory({ worldSlug: 'TASK-1', turnNumber: 1 })).items).toEqual([])
    })
  })
}

function age(file: string, ms: number): void {
  const then = new Date(Date.now() - ms)
  utimesSync(file, then, then)
}
