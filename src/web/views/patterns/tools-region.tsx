// Lists the tools by how often they are called and how many of their turns are long.

import { AmountBar } from '../../components/amount-bar.tsx'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import { useOperation } from '../../service/use-service.ts'

const MAX_TOOLS = 40

export function ToolsRegion({ project, since }: { project: string; since: string | null }) {
  const tools = useOperation('listToolStats', {
    project,
    limit: MAX_TOOLS,
    ...(since !== null && { since }),
  })
  return (
    <Answered of={tools}>
      {({ items }) =>
        items.length > 0 && (
          <section aria-label="Tools">
            <h2>Tools</h2>
            <p class="quiet-text">
              A turn is long if it has more calls than the threshold, which is 5 unless
              TURNGRAPH_TURN_LENGTH_THRESHOLD sets another one.
            </p>
            <Table
              label="Tools"
              records={items}
              toKey={({ tool_name: tool }) => tool}
              cut={items.length === MAX_TOOLS && <>The {MAX_TOOLS} tools of the longest turns are shown.</>}
              columns={[
                { head: 'Tool', isName: true, cell: ({ tool_name: tool }) => <bdi>{tool}</bdi> },
                {
                  head: 'Calls',
                  cell: ({ count }) => (
                    <AmountBar amount={count} most={Math.max(...items.map((tool) => tool.count))} />
                  ),
                },
                { head: 'Turns', isNumber: true, cell: ({ turns }) => turns },
                {
                  head: 'Of them long, %',
                  isNumber: true,
                  cell: ({ long_turn_pct: long }) => long.toFixed(0),
                },
                {
                  head: 'Calls a turn, average',
                  isNumber: true,
                  cell: ({ avg_turn_len: length }) => length.toFixed(1),
                },
              ]}
            />
          </section>
        )
      }
    </Answered>
  )
}
