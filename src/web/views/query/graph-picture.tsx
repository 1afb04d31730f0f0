// Draws nodes and relationships as SVG; d3-force computes the positions. A click on a node adds its neighbors.

import {
  forceCenter,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
} from 'd3-force'
import { useMemo, useState } from 'preact/hooks'
import { plural } from '../../../core/plural.ts'
import { FailureLine } from '../../components/failure-line.tsx'
import { Table } from '../../components/table.tsx'
import type { Answered } from '../../service/operations.ts'
import { useSession } from '../../service/use-service.ts'
import { useSubmission } from '../../service/use-submission.ts'
import { describeValue } from '../analyses/rows-table.tsx'
import { type Graph, type GraphNode, joinGraphs, nameNode } from './graph-in-rows.ts'

const WIDTH = 720
const HEIGHT = 520
const MARGIN = 24
/** Maximum number of nodes of a readable picture. */
const MAX_NODES = 300
const NEIGHBORS = 50
const TICKS = 200

export function GraphPicture({ graph: first }: { graph: Graph }) {
  const { service } = useSession()
  const [added, setAdded] = useState<readonly Graph[]>([])
  const [selected, setSelected] = useState<string | null>(null)
  const { answer: opened, failure, submit } = useSubmission<Answered<'listNeighbors'>>()
  const { graph, left } = useMemo(() => firstNodes(joinGraphs(first, ...added)), [first, added])
  const places = useMemo(() => placeNodes(graph), [graph])
  const labels = [...new Set(graph.nodes.map(({ labels }) => labels[0] ?? ''))].sort()
  const node = graph.nodes.find(({ id }) => id === selected)

  const open = async (id: string) => {
    setSelected(id)
    const found = await submit(() => service.call('listNeighbors', { node_id: id, limit: NEIGHBORS }))
    if (found === null) return
    const nodes = [found.node, ...found.neighbors.map(({ node }) => node)]
    const relationships = found.neighbors.map(({ relationship }) => relationship)
    setAdded((before) => [...before, { nodes, relationships }])
  }

  return (
    <figure class="graph" aria-label="Graph">
      {/* biome-ignore lint/a11y/useSemanticElements: there is no element for a group of shapes */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Nodes and relationships">
        {graph.relationships.map(({ id, type, start, end }) => {
          const [from, to] = [places.get(start), places.get(end)]
          if (from === undefined || to === undefined) return null
          return (
            <path key={id} class="edge" d={`M${from.x} ${from.y}L${to.x} ${to.y}`}>
              <title>{type}</title>
            </path>
          )
        })}
        {graph.nodes.map((one) => {
          const { x, y } = places.get(one.id) ?? { x: 0, y: 0 }
          return (
            // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
            <g
              key={one.id}
              class={`node node-${labels.indexOf(one.labels[0] ?? '') % KINDS}`}
              role="button"
              tabindex={0} // attribute names are case-sensitive in SVG
              aria-pressed={one.id === selected}
              aria-label={`${one.labels.join(', ')} ${nameNode(one)}`}
              transform={`translate(${x} ${y})`}
              onClick={() => open(one.id)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return
                event.preventDefault()
                open(one.id)
              }}
            >
              <path d={FORMS[labels.indexOf(one.labels[0] ?? '') % KINDS]} />
              <text x="9" y="4">
                {shorten(nameNode(one))}
              </text>
            </g>
          )
        })}
      </svg>
      <ul class="legend" aria-label="Labels">
        {labels.map((label, i) => (
          <li key={label}>
            <svg
              width="16"
              height="16"
              viewBox="-8 -8 16 16"
              aria-hidden="true"
              class={`node node-${i % KINDS}`}
            >
              <path d={FORMS[i % KINDS]} />
            </svg>{' '}
            {label}
          </li>
        ))}
      </ul>
      <figcaption class="quiet-text">
        A node opens its neighbors.{' '}
        {left > 0 && `${plural(left, 'node')} ${left === 1 ? 'is' : 'are'} left out. `}
        {opened?.truncated && `Its first ${NEIGHBORS} neighbors are shown; there are more.`}
      </figcaption>
      {failure !== null && <FailureLine failure={failure} />}
      {node !== undefined && <NodeFacts node={node} />}
    </figure>
  )
}

function NodeFacts({ node: { labels, properties } }: { node: GraphNode }) {
  return (
    <Table
      label={`Properties of ${labels.join(', ')}`}
      records={Object.entries(properties)}
      toKey={([name]) => name}
      columns={[
        { head: 'Property', isName: true, cell: ([name]) => <code>{name}</code> },
        { head: 'Value', cell: ([, value]) => <span class="said clamped">{describeValue(value)}</span> },
      ]}
    />
  )
}

/** Shapes of the labels: labels must not differ by color only. */
const FORMS = [
  'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0',
  'M-5 -5H5V5H-5Z',
  'M0 -7L7 5H-7Z',
  'M0 -7L7 0L0 7L-7 0Z',
  'M-3 -6H3V-3H6V3H3V6H-3V3H-6V-3H-3Z',
  'M0 7L-7 -5H7Z',
] as const
const KINDS = FORMS.length

function firstNodes({ nodes, relationships }: Graph): { graph: Graph; left: number } {
  const shownNodes = nodes.slice(0, MAX_NODES)
  return { graph: joinGraphs({ nodes: shownNodes, relationships }), left: nodes.length - shownNodes.length }
}

type Place = { id: string; x?: number; y?: number }

/** Computes the positions of the nodes. The same graph always has the same picture: the start positions are fixed. */
function placeNodes({ nodes, relationships }: Graph): ReadonlyMap<string, { x: number; y: number }> {
  const places: Place[] = nodes.map(({ id }) => ({ id }))
  const links = relationships.map(({ start, end }) => ({ source: start, target: end }))
  forceSimulation(places)
    .force('charge', forceManyBody().strength(-160))
    .force(
      'links',
      forceLink<Place, (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(64),
    )
    .force('apart', forceCollide(22))
    .force('middle', forceCenter(WIDTH / 2, HEIGHT / 2))
    .force('x', forceX(WIDTH / 2).strength(0.04))
    .force('y', forceY(HEIGHT / 2).strength(0.06))
    .stop()
    .tick(TICKS)
  return fitted(places)
}

/** Scales and moves the positions so that all nodes are inside the picture. */
function fitted(places: readonly Place[]): ReadonlyMap<string, { x: number; y: number }> {
  const xs = places.map(({ x = 0 }) => x)
  const ys = places.map(({ y = 0 }) => y)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const wide = Math.max(1, Math.max(...xs) - left)
  const high = Math.max(1, Math.max(...ys) - top)
  const scale = Math.min(1, (WIDTH - 6 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / high)
  const [dx, dy] = [(WIDTH - 4 * MARGIN - wide * scale) / 2, (HEIGHT - high * scale) / 2]
  return new Map(
    places.map(({ id, x = 0, y = 0 }) => [id, { x: dx + (x - left) * scale, y: dy + (y - top) * scale }]),
  )
}

const MAX_LABEL_LENGTH = 22

const shorten = (name: string): string =>
  name.length > MAX_LABEL_LENGTH ? `${name.slice(0, MAX_LABEL_LENGTH - 1)}…` : name
