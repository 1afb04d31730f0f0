// Draws the tools as points: to the right the more calls, upwards the more of their turns are long.
import type { ItemOf } from '../../service/operations.ts'
import { placeLabels } from './place-labels.ts'

type Tool = ItemOf<'listToolStats'>

const WIDTH = 520
const HEIGHT = 280
const LEFT = 36
const BOTTOM = 32
const TOP = 12
const RIGHT = 12

export function ToolScatter({ tools }: { tools: readonly Tool[] }) {
  const most = Math.max(10, ...tools.map(({ count }) => count))
  // From one call to a hundred thousand: each power of ten has as much room.
  const toX = (count: number) =>
    LEFT + (Math.log10(Math.max(1, count)) / Math.log10(most)) * (WIDTH - LEFT - RIGHT)
  const toY = (percent: number) => HEIGHT - BOTTOM - (percent / 100) * (HEIGHT - BOTTOM - TOP)
  const points = tools
    .toSorted((a, b) => b.count - a.count)
    .map((tool) => ({ tool, x: toX(tool.count), y: toY(tool.long_turn_pct), label: shorten(tool.tool_name) }))
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, i) => 10 ** i)
  return (
    <figure>
      <svg
        class="scatter"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label="Tools by calls and by the share of long turns; the table lists them"
      >
        {powers.map((power) => (
          <g key={power}>
            <path class="grid" d={`M${toX(power)} ${TOP}V${HEIGHT - BOTTOM}`} />
            <text class="axis" x={toX(power)} y={HEIGHT - BOTTOM + 14} text-anchor="middle">
              {power.toLocaleString('en-US')}
            </text>
          </g>
        ))}
        {[0, 25, 50, 75, 100].map((percent) => (
          <g key={percent}>
            <path class="grid" d={`M${LEFT} ${toY(percent)}H${WIDTH - RIGHT}`} />
            <text class="axis" x={LEFT - 6} y={toY(percent) + 4} text-anchor="end">
              {percent}
            </text>
          </g>
        ))}
        {points.map(({ tool, x, y }) => (
          <circle key={tool.tool_name} class="point" cx={x} cy={y} r="4">
            <title>
              {tool.tool_name}: {tool.count} calls, {tool.long_turn_pct.toFixed(0)} % of its turns are long
            </title>
          </circle>
        ))}
        {placeLabels(points, WIDTH).map(({ x, y, label, anchor }) => (
          <text key={`${label} ${x} ${y}`} x={x} y={y} text-anchor={anchor}>
            {label}
          </text>
        ))}
        <text class="axis" x={WIDTH - RIGHT} y={HEIGHT - 4} text-anchor="end">
          calls
        </text>
      </svg>
      <figcaption class="quiet-text">
        Upwards: of the turns that call the tool, how many are long, in %.
      </figcaption>
    </figure>
  )
}

const LONGEST_LABEL = 24

const shorten = (name: string): string =>
  name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name
