/** Checks topics, by which sessions find each other: those that a deletion left with fewer turns than are about them. */
import type { Graph } from '../../graph/port.ts'
import { refillSteps } from '../../memory/elsewhere/refill-topics.ts'
import type { Examined } from './finding.ts'

export async function checkTopics(
  _graph: Graph,
  project: string,
  nodes: readonly Examined[],
): Promise<number> {
  for (const { key, properties, about } of nodes)
    if (properties.incomplete === true)
      about.add('topic_incomplete', 'older turns may be due in it', refillSteps(project, [key]))
  return 0
}
