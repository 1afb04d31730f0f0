// `/p/{project}/patterns`: how agents work, from their transcripts: patterns of turns, tools, errors, desires.

import { plural } from '../../../core/plural.ts'
import { isSingleTool } from '../../../transcripts/pattern.ts'
import type { Address } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useEvents, useOperation } from '../../service/use-service.ts'
import { DesiresRegion } from './desires-region.tsx'
import { ErrorsRegion } from './errors-region.tsx'
import { PatternTurns } from './pattern-turns.tsx'
import { PatternsRegion } from './patterns-region.tsx'
import { SequencesRegion } from './sequences-region.tsx'
import { ToolsRegion } from './tools-region.tsx'

type Props = { address: Extract<Address, { view: 'patterns' }> }

const MAX_PATTERNS = 100

export function PatternsView({ address: { project } }: Props) {
  const search = useSearch()
  const since = search.get('since')
  const [session, minLength, opened] = [
    search.get('session'),
    search.get('min_length'),
    search.get('pattern'),
  ]
  const patterns = useOperation('listTranscriptPatterns', {
    project,
    limit: MAX_PATTERNS,
    ...(since !== null && { since }),
    ...(session !== null && { session_id: session }),
    ...(minLength !== null && { min_length: Number(minLength) }),
  })
  useEvents({ project }, patterns.again)
  return (
    <>
      <Sentence title="Patterns">
        {patterns.answer === null ? ' ' : sentenceFor(patterns.answer.items)}
      </Sentence>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Field
          label="Calls a turn has at least"
          type="number"
          min={0}
          value={minLength}
          placeholder="long turns"
          change={(value) => filterBy({ min_length: value })}
        />
        <Field label="Since" type="date" value={since} change={(value) => filterBy({ since: value })} />
        <Field
          label="Session"
          value={session}
          placeholder="all"
          change={(value) => filterBy({ session: value })}
        />
      </form>
      <Answered of={patterns}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command={`turngraph import transcripts PATH --project ${project}`}>
              No turn of a transcript is that long. This imports transcripts of Claude Code:
            </Empty>
          ) : (
            <PatternsRegion patterns={items} opened={opened} isCut={items.length === MAX_PATTERNS} />
          )
        }
      </Answered>
      {opened !== null && <PatternTurns key={opened} project={project} pattern={opened} />}
      <SequencesRegion project={project} since={since} session={session} />
      <ToolsRegion project={project} since={since} />
      <ErrorsRegion project={project} since={since} />
      <DesiresRegion project={project} />
    </>
  )
}

function sentenceFor(patterns: readonly ItemOf<'listTranscriptPatterns'>[]): string {
  const turns = patterns.reduce((sum, { count }) => sum + count, 0)
  if (patterns.length === 0) return 'There is no pattern of turns here.'
  const follow = `${plural(turns, 'turn')} ${turns === 1 ? 'follows' : 'follow'} ${plural(patterns.length, 'pattern')}`
  // Repeated calls of a single tool are not informative, however frequent.
  const [first] = patterns
    .filter(({ pattern }) => !isSingleTool(pattern))
    .toSorted((a, b) => b.count - a.count)
  if (first === undefined) return `${follow}, each of a single tool.`
  return `${follow}; the most frequent of several tools, ${first.pattern}, ${first.count} of them.`
}
