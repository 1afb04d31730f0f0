// Plays a turn with Claude Code, for the `command` executor: a Player works in this folder, then a Coach
// judges the work. Reads the contexts from standard input and writes the record of the turn to standard
// output. TASK_FILE names the file that describes the task. docs/how-to/turn-runs.md explains executors.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

const { attempted_turn, continuation } = JSON.parse(await text(process.stdin))
const task = readFileSync(process.env.TASK_FILE ?? 'TASK.md', 'utf8')

const player = ask(
  `You are the Player. Implement this task; work only on what is not verified yet.\n\n${task}`,
  continuation.player.context,
  'player_summary, player_decision (implemented, failed or blocked), files_modified, promises: [{criterion_id, criterion_text, status}]',
)
const coach = ask(
  `You are the Coach. Judge the work against the acceptance criteria; change nothing. Do not judge again what is verified.\n\n${task}\n\nThe Player reports: ${JSON.stringify(player)}`,
  continuation.coach.context,
  'coach_decision (approved or feedback), coach_feedback, verifications: [{criterion_id, criterion_text, status, evidence}], issues: [{severity, description}]',
)
// Uses only these fields of the Player's answer, so that the Player cannot judge its own work.
const { player_summary, player_decision, files_modified, promises } = player
console.log(JSON.stringify({ player_summary, player_decision, files_modified, promises, ...coach }))

/** Runs Claude Code without a terminal. Returns its answer, one JSON object. */
function ask(prompt, context, fields) {
  const known = context ?? 'This is the first turn.'
  const input = `${prompt}\n\nTurn ${attempted_turn}. ${known}\n\nAnswer with one JSON object only: ${fields}`
  const { status, stdout, stderr, error } = spawnSync('claude', ['--print', '--output-format', 'json'], {
    input,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`claude failed: ${error?.message ?? stderr}`)
  const answer = JSON.parse(stdout).result
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
}
