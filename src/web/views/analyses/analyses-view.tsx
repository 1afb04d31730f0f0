// `/p/{project}/analyses[/{name}]`: the named analyses of a project.
import type { Address } from '../../address.ts'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { InlineText } from '../../components/inline-text.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { useOperation, useScope } from '../../service/use-service.ts'
import { AnalysisRegion } from './analysis-region.tsx'
import { REPLAY, ReplayRegion } from './replay-region.tsx'

type Props = { address: Extract<Address, { view: 'analyses' }> }

export function AnalysesView({ address: { project, analysis: opened } }: Props) {
  const isAnalyst = useScope('analyst')
  const analyses = useOperation('listAnalyses', isAnalyst ? { project } : null)
  if (opened === REPLAY.name) return <ReplayRegion project={project} />
  if (!isAnalyst) {
    return (
      <Sentence title="Analyses">
        Analyses need a token with the scope <code>analyst</code>, which this token does not have. It can open
        the <a href={writeAddress({ view: 'analyses', project, analysis: REPLAY.name })}>replay</a>.
      </Sentence>
    )
  }
  return (
    <Answered of={analyses}>
      {({ items }) => {
        const info = items.find(({ name }) => name === opened)
        if (info !== undefined) return <AnalysisRegion key={info.name} project={project} info={info} />
        return (
          <>
            <Sentence title="Analyses">
              {opened === null
                ? `${items.length + 1} questions that are asked of every project.`
                : `There is no analysis ${opened}; these are all.`}
            </Sentence>
            <Table
              label="Analyses"
              records={[REPLAY, ...items]}
              toKey={({ name }) => name}
              columns={[
                {
                  head: 'Question',
                  isName: true,
                  cell: ({ name, question }) => (
                    <>
                      <a href={writeAddress({ view: 'analyses', project, analysis: name })}>{question}</a>{' '}
                      <code class="quiet-text">{name}</code>
                    </>
                  ),
                },
                { head: 'What is counted', cell: ({ about }) => <InlineText text={about} /> },
              ]}
            />
          </>
        )
      }}
    </Answered>
  )
}
