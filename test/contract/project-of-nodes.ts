import { describe, expect, test } from 'vitest'
import { projectOfKey } from '../../src/core/keys.ts'
import { LABELS, type Label, nodes, PROJECT_FROM_KEY } from '../../src/graph/model/nodes.ts'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { clientOf, FEATURE } from '../support/records.ts'
import { fillWithEverything, OTHER_PROJECTS } from '../support/whole-graph.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Selects the project of each node of a label, with the key of the node, or of the turn of a part. */
const projectsOf = (label: Label) =>
  parseStatement(
    `test/projects-${label}`,
    nodes[label].name === 'key'
      ? `MATCH (x:${label}) RETURN x.key AS key, x.project AS project`
      : `MATCH (x:${label})<-[:RECORDED|PROMISED|RAISED|PASSED_THROUGH]-(t) RETURN t.key AS key, x.project AS project`,
  )
const countOf = (label: Label) =>
  parseStatement(`test/count-${label}`, `MATCH (x:${label}) RETURN count(x) AS found`)

/** Removes the project of all nodes of a label, as in a graph of an earlier version. */
const withoutProject = (label: Label) =>
  parseStatement(
    `test/without-project-${label}`,
    `MATCH (x:${label}) SET x.project = null RETURN count(x) AS found`,
  )

export async function removeProjects(graph: Graph): Promise<void> {
  for (const label of PROJECT_FROM_KEY) await graph.write([{ statement: withoutProject(label), params: {} }])
}

/** Checks the project of each node, and returns the names of the projects by label. */
export async function checkProjects(graph: Graph): Promise<Map<Label, Set<unknown>>> {
  const found = new Map<Label, Set<unknown>>()
  for (const label of PROJECT_FROM_KEY) {
    const rows = await graph.read(projectsOf(label), {})
    expect(await graph.read(countOf(label), {}), label).toEqual([{ found: rows.length }])
    expect(
      rows.filter(({ key, project }) => project !== projectOfKey(String(key))),
      label,
    ).toEqual([])
    found.set(label, new Set(rows.map(({ project }) => project)))
  }
  return found
}

/** Labels of nodes without a project: the projects, and nodes of the whole graph. */
const LABELS_WITHOUT_PROJECT: readonly Label[] = ['Project', 'SchemaMigration', 'SchemaMigrationLock']

export function projectOfNodesContract(store: StoreUnderTest): void {
  describe('the project of a node', () => {
    const handles = useGraph(store)

    test('is a property of each kind that belongs to one project', () => {
      expect(LABELS.filter((label) => !('project' in nodes[label].properties.shape))).toEqual(
        LABELS_WITHOUT_PROJECT,
      )
    })

    test('is stored by captures, declarations, additions, runs and rollbacks, and by a restore of lines without it', async () => {
      const { graph } = handles
      await fillWithEverything(graph)
      for (const [criterionText, source] of [
        ['It is seen later', 'person'],
        ['It answers with 404', 'coach'],
      ] as const)
        await clientOf(graph, 'a/b').addVerifications({
          featureId: 'f%/1',
          taskId: 'b/c',
          verifications: [
            { criterionId: 'AC-7', criterionText, status: 'verified', source, evidence: 'Seen' },
          ],
        })
      await clientOf(graph, 'a%2Fb').declareCriteria({
        featureId: FEATURE,
        taskId: 'declared only',
        criteria: [{ text: 'It is declared' }],
      })
      const captured = await checkProjects(graph)
      const named = [...OTHER_PROJECTS.filter((name) => name !== 'transcripts alone'), 'shop'].sort()
      expect([...(captured.get('Turn') ?? [])].sort()).toEqual(named)
      expect([...(captured.get('Criterion') ?? [])].sort()).toEqual(named)
      expect(captured.get('Gate')).toEqual(new Set(['shop']))

      const lines = await exportOf(graph)
      for (const line of lines.map((each) => JSON.parse(each) as Record<string, unknown>))
        for (const field of ['turn', 'verifications', 'promises', 'issues', 'gates'])
          for (const part of [line[field] ?? []].flat() as object[])
            if (line.kind !== 'transcript_turn') expect(part).not.toHaveProperty('project')
      const other = await handles.open(store.open)
      await restoreLines(other, lines)
      expect(await checkProjects(other)).toEqual(captured)
      expect(await exportOf(other)).toEqual(lines)
      await other.close()
    })
  })
}

/** Runs on one engine only: `doctorContract` runs the repair of each label on every engine. */
export function projectOfNodesRulesContract(store: StoreUnderTest): void {
  describe('the project of a node', () => {
    const handles = useGraph(store)

    test('is repaired by the doctor in all nodes at once', async () => {
      const { graph } = handles
      await fillWithEverything(graph)
      const before = await checkProjects(graph)
      await removeProjects(graph)
      const found = await findingsOf(graph, null, { repair: true })
      expect(new Set(found.map(({ check, repaired }) => `${check} ${repaired}`))).toEqual(
        new Set(['project_wrong true']),
      )
      expect(await checkProjects(graph)).toEqual(before)
      expect(await findingsOf(graph)).toEqual([])
    })
  })
}
