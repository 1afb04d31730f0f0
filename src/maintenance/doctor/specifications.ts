/** Checks declared specifications: each version lists as many criteria as its count, and no version is missing. */
import * as z from 'zod'
import { specificationKey } from '../../core/keys.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { setProperties } from '../../graph/model-statements.ts'
import type { About, Properties, ToCheck } from './finding.ts'

export const SPECIFICATION_COLUMNS = {
  positions: '[(x)-[l:LISTS]->(:Criterion) | l.position]',
} as const

/** Derives the key of a version from the key of its task. */
export const keyOfVersion = ({ key, version }: Stored<'Specification'>): string =>
  specificationKey(key.slice(0, key.lastIndexOf('/')), version)

const positionsRow = z.object({ positions: z.array(z.number()) })

/** Checks the criteria count of versions. A wrong count looks like half a declaration: reads reject it, and exports fail. */
export async function checkSpecifications({ nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, about } of nodes) {
    const { positions } = positionsRow.parse(row)
    const count = positions.length
    const isWhole = positions.toSorted((a, b) => a - b).every((position, i) => position === i)
    const mend = () => (isWhole ? setProperties('Specification', key, { criteriaCount: count }) : null)
    if (
      !about.reportDifference(
        'specification',
        { label: 'criteriaCount', actual: properties.criteriaCount, expected: count },
        mend,
      ) &&
      !isWhole
    )
      about.add('specification', `lists the positions ${positions.join(', ')}`)
  }
}

export const TASK_COLUMNS = {
  versions: '[(x)-[:SPECIFIED_BY]->(s:Specification) | s.version]',
  specifiedAfter: '[(x)-[:HAS_WORLD]->(w:World) | [w.key, size(coalesce(w.specifiedAfter, []))]]',
} as const

const taskRow = z.object({
  versions: z.array(z.number().nullable()),
  specifiedAfter: z.array(z.tuple([z.string(), z.number()])),
})

/** Checks that versions are numbered from 1, and that each world records as many versions as its task. */
export function checkVersions(specificationVersion: unknown, row: Properties, about: About): void {
  const { versions, specifiedAfter } = taskRow.parse(row)
  const numbers = versions.toSorted((a, b) => (a ?? 0) - (b ?? 0))
  const newest = typeof specificationVersion === 'number' ? specificationVersion : 0
  const expected = Array.from({ length: newest }, (_, i) => i + 1)
  if (about.reportDifference('specification', { label: 'the versions', actual: expected, expected: numbers }))
    return
  for (const [world, known] of specifiedAfter)
    about.reportDifference('specification', {
      label: `world ${world}: versions`,
      actual: known,
      expected: newest,
    })
}
