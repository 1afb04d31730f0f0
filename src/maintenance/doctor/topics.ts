/** Checks topics, by which sessions find each other: those that a deletion left with fewer turns than are about them. */
import { refillSteps } from '../../memory/elsewhere/refill-topics.ts'
import type { ToCheck } from './finding.ts'

export async function checkTopics({ project, nodes }: ToCheck): Promise<void> {
  const incomplete = nodes.filter(({ properties }) => properties.incomplete === true)
  // One for all of them: it looks at every turn of the project.
  const repair = refillSteps(
    project,
    incomplete.map(({ key }) => key),
  )
  for (const { about } of incomplete) about.add('topic_incomplete', 'older turns may be due in it', repair)
}
