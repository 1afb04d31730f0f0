/** Finds the key that marks the secrets of a project (docs/decisions/masks.md). */
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { projectKey } from '../core/keys.ts'
import { createMaskKey, keyedMarker, type Marker } from '../core/scrub/marks.ts'
import { optionalText } from '../rules/values.ts'
import { nodeReader } from './node-reader.ts'
import { type Graph, toStep } from './port.ts'
import { statement } from './statements.ts'

const readKey = nodeReader('Project', ['maskKey'])
const make = statement('projects/mask-key')

const row = z.object({ maskKey: optionalText })

/** Reads or creates the key of a project. `check` throws if the record will be rejected: such a record must create no project. */
export async function markerOfProject(
  graph: Graph,
  project: string,
  check: () => Promise<unknown> = async () => {},
): Promise<Marker> {
  const params = { projectKey: projectKey(project) }
  const [found] = await readKey(graph, [params.projectKey])
  if (found?.maskKey != null) return keyedMarker(found.maskKey)
  if (found === undefined) await check()
  const maskKey = createMaskKey(randomBytes(32))
  const written = await graph.write([toStep(make, { ...params, project, maskKey })])
  const made = row.parse(written?.flat()[0])
  if (made.maskKey === null) throw new Error('projects/mask-key gave no key')
  return keyedMarker(made.maskKey)
}
