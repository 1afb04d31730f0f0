/** Checks topics, which lead to related sessions: a deletion may have left a topic with too few turns. */
import { refillSteps } from '../../memory/elsewhere/refill-topics.ts'
import type { ToCheck } from './finding.ts'

export async function checkTopics({ project, nodes }: ToCheck): Promise<void> {
  const incomplete = nodes.filter(({ properties }) => properties.incomplete === true)
  // All topics share a repair, because it reads every turn of the project.
  const repair = refillSteps(
    project,
    incomplete.map(({ key }) => key),
  )
  for (const { about } of incomplete) about.add('topic_incomplete', 'older turns may be due in it', repair)
}
