// `/compare?project=&a=&b=`: two sessions of a project side by side.
import { Answered } from '../../components/answer.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { useSearch } from '../../navigation.ts'
import type { Answered as AnswerOf } from '../../service/operations.ts'
import { useOperation, useSession } from '../../service/use-service.ts'
import { ComparisonTable, GainsRegion } from './comparison-table.tsx'
import { SessionChoice } from './session-choice.tsx'

/** Maximum number of sessions in the lists, which offer the latest ones. */
const MAX_SESSIONS = 500

export function CompareView() {
  const search = useSearch()
  const { caller } = useSession()
  const project = search.get('project') ?? caller.project
  const [a, b] = [search.get('a'), search.get('b')]
  const isChosen = a !== null && b !== null
  const sessions = useOperation('listWorlds', {
    project,
    order: 'last_activity',
    limit: MAX_SESSIONS,
    without_tokens: true,
  })
  const comparison = useOperation('compareWorlds', isChosen ? { project, a, b } : null)
  const shown = isChosen ? comparison.answer : null
  return (
    <>
      <Sentence title="Compare sessions">
        {shown === null ? 'Choose two sessions to see how they differ.' : describe(shown)}
      </Sentence>
      <Answered of={sessions}>
        {({ items, next_cursor: next }) => (
          <SessionChoice
            project={project}
            sessions={items}
            a={a}
            b={b}
            cut={next === null ? null : `The lists have the latest ${items.length} sessions.`}
          />
        )}
      </Answered>
      {isChosen && (
        <Answered of={comparison}>
          {(compared) => (
            <>
              <ComparisonTable
                project={project}
                comparison={compared}
                sessions={sessions.answer?.items ?? []}
              />
              <GainsRegion project={project} comparison={compared} />
            </>
          )}
        </Answered>
      )}
    </>
  )
}

const describe = ({ sentence, same_task: sameTask }: AnswerOf<'compareWorlds'>): string =>
  sameTask ? sentence : `${sentence} They belong to different tasks.`
