// Plays a turn, for the `command` executor. Reads the contexts from standard input and writes the record of
// the turn to standard output. Replace the lines below with your agents. If they fail, their standard error
// is stored.
import { text } from 'node:stream/consumers'

const { attempted_turn, continuation } = JSON.parse(await text(process.stdin))
const open = continuation.player.criteria.filter(({ state }) => state !== 'verified')
console.error(`turn ${attempted_turn}: ${open.length} criteria are open`)

console.log(
  JSON.stringify({
    player_summary: `Worked on turn ${attempted_turn}`,
    player_decision: 'implemented',
    coach_decision: attempted_turn === 1 ? 'feedback' : 'approved',
    acceptance_criteria_status: { 'AC-001': attempted_turn === 1 ? 'rejected' : 'verified' },
  }),
)
