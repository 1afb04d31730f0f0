import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { digestSecret, portableMarker, showMarks } from '../../src/core/scrub/marks.ts'
import { scrub } from '../../src/core/scrub/scrub.ts'
import { markerOfProject } from '../../src/graph/mask-key.ts'
import { restoreRecords } from '../../src/maintenance/restore/restore.ts'
import { loadTokens } from '../../src/memory/context/token-counter.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf, recordsOf } from '../support/exported.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const task = { project: PROJECT, featureId: FEATURE, taskId: TASK }

/** Joined at run time, so that a scan of this file does not report them as secrets. */
const [EXPIRED, REVOKED] = [['expired', '123abc'].join(''), ['revoked', '456def'].join('')]
const criterion = (secret: string): string => `A request with token=${secret} answers 401 and no body`

type Entry = NonNullable<TurnToSend['verifications']>[number]
const judged = (secret: string, status: Entry['status'], criterionId: string): Entry => ({
  criterionId,
  criterionText: criterion(secret),
  status,
  evidence: 'test_auth.py line 4 says so',
})
const judgedTurn = (turnNumber: number, ...verifications: Entry[]) => aTurn(turnNumber, { verifications })

/** Hardening, section 1: "Masking must not merge facts". */
export function masksContract(store: StoreUnderTest): void {
  describe('masks', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const everything = async () =>
      JSON.stringify(
        await handles.graph.read(
          { name: 'test/everything', text: 'MATCH (n) RETURN properties(n) AS held', params: [] },
          {},
        ),
      )
    const storedTexts = () =>
      handles.graph.read(
        {
          name: 'test/texts',
          text: 'MATCH (c:Criterion) UNWIND c.texts AS text RETURN DISTINCT text',
          params: [],
        },
        {},
      )
    const states = async () => {
      const { criteria } = await client().listCriteria(task)
      return criteria.map(({ criterionId, state }) => `${criterionId} ${state}`)
    }

    /** Finds a secret whose mark has other digits: the key of a project is random, and one pair of secrets in 256 has the same two digits. */
    const findSecretWithOtherDigits = async (secret: string): Promise<string> => {
      const marker = await markerOfProject(handles.graph, PROJECT)
      const digits = (of: string) => showMarks(marker(digestSecret(of)))
      const candidates = Array.from({ length: 9 }, (_, i) => `${REVOKED}${i}`)
      return candidates.find((candidate) => digits(candidate) !== digits(secret)) ?? ''
    }

    test('two declared criteria that differ in a secret stay two, and a rejection of one does not affect the other', async () => {
      const criteria = [{ text: criterion(EXPIRED) }, { text: criterion(REVOKED) }]
      const declared = await client().declareCriteria({ ...task, criteria })
      expect(new Set(declared.criteria.map(({ key }) => key)).size).toBe(2)
      expect(await storedTexts()).toHaveLength(2)
      await client().captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'verified', 'AC-001'), judged(REVOKED, 'rejected', 'AC-002')),
      )
      expect(await states()).toEqual(['AC-001 verified', 'AC-002 rejected'])
      expect(await client().declareCriteria({ ...task, criteria })).toMatchObject({
        version: 1,
        created: false,
      })
    })

    test('two criteria of captures that differ in a secret stay two, and the same text finds its criterion again', async () => {
      await client().captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'verified', 'first'), judged(REVOKED, 'rejected', 'second')),
      )
      await client().captureTurnState(judgedTurn(2, judged(REVOKED, 'verified', 'other')))
      expect(await states()).toEqual(['first verified', 'other verified'])
    })

    test('artifacts that differ only in a secret stay separate after an import', async () => {
      const root = await mkdtemp(path.join(tmpdir(), 'turngraph-masks-'))
      onTestFinished(() => rm(root, { recursive: true, force: true }))
      const folder = path.join(root, 'autobuild', TASK)
      await mkdir(folder, { recursive: true })
      const judgement = (label: string, secret: string, result: string) => ({
        criterion_id: label,
        criterion_text: criterion(secret),
        result,
        notes: 'test_auth.py line 4 says so',
      })
      const reports = [judgement('AC-001', EXPIRED, 'verified'), judgement('AC-002', REVOKED, 'rejected')]
      for (const [i, entry] of reports.entries())
        await writeFile(
          path.join(folder, `coach_turn_${i + 1}.json`),
          JSON.stringify({ decision: 'feedback', rationale: 'Not yet', criteria_verification: [entry] }),
        )
      const report = await importAutobuild(client(), [root])
      expect(report).toMatchObject({ turnsCreated: 2 })
      const { criteria } = await client().listCriteria({ worldSlug: TASK })
      expect(criteria.map(({ state }) => state).sort()).toEqual(['rejected', 'verified'])
      expect(await storedTexts()).toHaveLength(2)
      const held = await everything()
      for (const secret of [EXPIRED, REVOKED]) expect(held).not.toContain(secret)
      expect(await importAutobuild(client(), [root])).toMatchObject({ turnsCreated: 0, turnsUnchanged: 2 })
    })

    test('equal declared texts are refused before they are masked', async () => {
      const criteria = [{ text: criterion(EXPIRED) }, { text: criterion(EXPIRED) }]
      await expect(client().declareCriteria({ ...task, criteria })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('a secret is stored and shown as a keyed mark, and answers show two digits of it', async () => {
      const sent = judgedTurn(1, judged(EXPIRED, 'verified', 'AC-001'), judged(REVOKED, 'verified', 'AC-002'))
      const { verifications } = await client().captureTurnState(sent)
      const shown = verifications.map(({ criterionText }) => criterionText)
      for (const text of shown) expect(text).toMatch(/^A request with token=\[redacted:[0-9a-f]{2}\] answers/)
      const held = await everything()
      expect(held).toMatch(/token=\[redacted:[0-9a-f]{16}\] answers/)
      expect(held).not.toContain(EXPIRED)
      expect(held).not.toContain(REVOKED)
    })

    test('the tokens of a context are those of the text that is sent, with two digits of each mark', async () => {
      await client().captureTurnState(judgedTurn(1, judged(EXPIRED, 'rejected', 'AC-001')))
      const asked = { ...task, currentTurn: 2, role: 'coach' as const }
      const { context, tokens } = await client().loadTurnContinuationContext(asked)
      expect(context).toMatch(/token=\[redacted:[0-9a-f]{2}\] answers/)
      expect(tokens?.used).toBe((await loadTokens()).count(context ?? ''))
    })

    test('a text that quotes an answer, with two digits of the mark, finds the criterion that it quotes', async () => {
      const other = await findSecretWithOtherDigits(EXPIRED)
      await client().captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'rejected', 'first'), judged(other, 'rejected', 'second')),
      )
      const { criteria } = await client().listCriteria(task)
      const quoted = criteria.find(({ criterionId }) => criterionId === 'second')?.text ?? ''
      const proof = { ...judged('', 'verified', 'x'), criterionText: quoted }
      await client().captureTurnState(judgedTurn(2, proof))
      expect(await states()).toEqual(['first rejected', 'x verified'])
    })

    test('the same capture again is the same, read back or sent through a spool, and another secret is a conflict', async () => {
      const sent = judgedTurn(1, judged(EXPIRED, 'verified', 'AC-001'))
      const { worldSlug } = await client().captureTurnState(sent)
      expect(await client().captureTurnState(sent)).toMatchObject({ created: false })
      const { scrubbed: spooled } = await scrub(sent, () => portableMarker)
      expect(JSON.stringify(spooled)).not.toContain(EXPIRED)
      expect(await client().captureTurnState(spooled)).toMatchObject({ created: false })
      const { criterionText } = (await client().getTurn({ worldSlug, turnNumber: 1 })).verifications[0] ?? {}
      const readBack = { ...judged('', 'verified', 'AC-001'), criterionText }
      expect(await client().captureTurnState(judgedTurn(1, readBack))).toMatchObject({ created: false })
      await expect(
        client().captureTurnState(judgedTurn(1, judged(REVOKED, 'verified', 'AC-001'))),
      ).rejects.toMatchObject({ code: 'turn_conflict', details: { fields: ['verifications'] } })
    })

    test('a masked text from a spool means the same criterion as the text that was sent directly', async () => {
      await client().captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'rejected', 'first'), judged(REVOKED, 'rejected', 'second')),
      )
      const { scrubbed } = await scrub(judgedTurn(2, judged(REVOKED, 'verified', 'x')), () => portableMarker)
      await client().captureTurnState(scrubbed)
      expect(await states()).toEqual(['first rejected', 'x verified'])
      expect(await everything()).not.toMatch(/"[^"]*answers[^"]*\[redacted:[0-9a-f]{17,}/)
    })

    test('issues that differ in a secret are two issues', async () => {
      const issue = (secret: string) => ({
        severity: 'must_fix' as const,
        description: `Login with password=${secret} is slow`,
      })
      await client().captureTurnState(aTurn(1, { issues: [issue(EXPIRED)] }))
      await client().captureTurnState(aTurn(2, { issues: [issue(REVOKED)] }))
      const { items } = await client().listIssues({ ...task })
      expect(items.length).toBe(2)
    })

    test('an export that is restored elsewhere keeps every identity: a text captured there means its old criterion', async () => {
      const source = await memory.open()
      await clientOf(source).captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'rejected', 'first'), judged(REVOKED, 'rejected', 'second')),
      )
      const { redactions } = await restoreRecords(handles.graph, recordsOf(await exportOf(source)))
      await source.close()
      expect(redactions).toBe(0)
      await client().captureTurnState(judgedTurn(2, judged(REVOKED, 'verified', 'x')))
      expect(await states()).toEqual(['first rejected', 'x verified'])
    })

    test('a restore keeps the key of a project, and a project without a key gets that of the export', async () => {
      const source = await memory.open()
      await clientOf(source).captureTurnState(judgedTurn(1, judged(EXPIRED, 'verified', 'first')))
      const records = recordsOf(await exportOf(source))
      await source.close()
      const own = await markerOfProject(handles.graph, PROJECT)
      await restoreRecords(handles.graph, records)
      expect((await markerOfProject(handles.graph, PROJECT))('a')).toBe(own('a'))
      const without = await memory.open()
      await clientOf(without).captureTurnState(aTurn(1, { taskId: 'TASK-9' }))
      await restoreRecords(without, records)
      await clientOf(without).captureTurnState(judgedTurn(2, judged(EXPIRED, 'verified', 'x')))
      const { criteria } = await clientOf(without).listCriteria(task)
      expect(criteria.map(({ criterionId, state }) => `${criterionId} ${state}`)).toEqual(['x verified'])
      await without.close()
    })

    test('secrets in a restore are masked by the key of its project', async () => {
      const source = await memory.open()
      await clientOf(source).captureTurnState(
        judgedTurn(1, judged(EXPIRED, 'rejected', 'first'), judged(REVOKED, 'rejected', 'second')),
      )
      const lines = recordsOf(await exportOf(source)) as { kind: string; texts?: string[] }[]
      await source.close()
      let at = 0
      for (const line of lines)
        if (line.kind === 'criterion') line.texts = [criterion([EXPIRED, REVOKED][at++] ?? '')]
      const given = lines.map(({ kind, ...line }) => ({
        kind,
        ...line,
        ...(kind === 'project' && { maskKey: undefined }),
      }))
      await restoreRecords(handles.graph, given)
      const held = await everything()
      expect(held).not.toContain(EXPIRED)
      expect(new Set(held.match(/token=\[redacted:[0-9a-f]{16}\]/g)).size).toBeGreaterThanOrEqual(2)
    })

    test('a project whose key does not match its name is rejected', async () => {
      const record = { kind: 'project', key: 'another', name: PROJECT }
      await expect(restoreRecords(handles.graph, [record])).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('key: must be shop, according to the other fields'),
      })
    })

    test('two writers that create the key in parallel create one', async () => {
      const beside = await handles.open(() => store.beside(handles.graph))
      const markers = await Promise.all(
        [handles.graph, beside, handles.graph, beside].map((graph) => markerOfProject(graph, PROJECT)),
      )
      if (beside !== handles.graph) await beside.close()
      expect(new Set(markers.map((marker) => marker('of a secret'))).size).toBe(1)
    })

    test('the check finds two labels on one masked criterion, and a new declaration separates its criteria', async () => {
      const masked = criterion('[redacted]')
      const entry = (criterionId: string): Entry => ({
        ...judged('', 'verified', criterionId),
        criterionText: masked,
      })
      await client().captureTurnState(judgedTurn(1, entry('AC-001'), entry('AC-002')))
      expect((await findingsOf(handles.graph)).map(({ check }) => check)).toEqual(['criterion_labels'])
      const criteria = [{ text: criterion(EXPIRED) }, { text: criterion(REVOKED) }]
      const declared = await client().declareCriteria({ ...task, criteria })
      expect(new Set(declared.criteria.map(({ key }) => key)).size).toBe(2)
    })

    test('no answer shows the key', async () => {
      await client().captureTurnState(judgedTurn(1, judged(EXPIRED, 'verified', 'AC-001')))
      const key = /"maskKey":"\[redacted:([0-9a-f]{64})\]"/.exec(await everything())?.[1] ?? ''
      expect(key).toHaveLength(64)
      const { rows } = await client().queryGraph({ query: 'MATCH (p:Project) RETURN p, p.maskKey AS k' })
      expect(JSON.stringify(rows)).toContain('[redacted:')
      expect(JSON.stringify(rows)).not.toContain(key)
    })
  })
}
