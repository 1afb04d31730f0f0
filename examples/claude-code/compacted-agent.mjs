// Simulates an agent that loses its context in the middle of a task, with or without the hooks that
// `turngraph hook install --gate` installs. Runs the hooks of a settings file with the payloads of Claude
// Code. The agent knows only its context. docs/how-to/claude-code.md explains the hooks.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const [settings = '.claude/settings.json'] = process.argv.slice(2)
const hooks = existsSync(settings) ? (JSON.parse(readFileSync(settings, 'utf8')).hooks ?? {}) : {}
const session = {
  session_id: crypto.randomUUID(),
  transcript_path: '/never/written.jsonl',
  cwd: process.cwd(),
}
const { feature_id, task_id } = JSON.parse(readFileSync('.turngraph/task.json', 'utf8'))
const task = readFileSync('TASK.md', 'utf8') // lines such as `- AC-001: the lid closes`

let context = [task]
const proven = new Set()

startSession('startup')
for (let turn = 1; turn <= 10; turn++) {
  const next = openCriteria()[0]
  if (next === undefined && !isHeldUp()) break
  if (next === undefined) continue
  proven.add(next)
  await capture(turn, next)
  context.push(`Done: ${next}`)
  console.log(`turn ${turn}: ${next}`)
  if (turn === 1) {
    context = ['This conversation was compacted.'] // the summary has lost the task
    startSession('compact')
  }
}
console.log(`stopped: ${proven.size} of ${(task.match(/AC-\d+/g) ?? []).length} proven`)

/** Returns the open criteria: named in the agent's context, but neither done nor verified there. */
function openCriteria() {
  const text = context.join('\n')
  const named = [...new Set(text.match(/AC-\d+/g) ?? [])]
  return named.filter((id) => !text.includes(`Done: ${id}`) && !text.includes(`✓ ${id}: verified`))
}

function startSession(source) {
  for (const answer of runHooks('SessionStart', { source }, source))
    context.push(answer.hookSpecificOutput?.additionalContext ?? '')
}

/** Checks if a Stop hook keeps the agent working. Adds the reason to the context. */
function isHeldUp() {
  const blocks = runHooks('Stop', { stop_hook_active: false }).filter(({ decision }) => decision === 'block')
  context.push(...blocks.map(({ reason }) => reason))
  return blocks.length > 0
}

function runHooks(event, fields, subject = '') {
  const matching = (hooks[event] ?? []).filter(({ matcher = '' }) =>
    new RegExp(`^(${matcher})$`).test(subject),
  )
  const input = JSON.stringify({ ...session, hook_event_name: event, ...fields })
  return matching.flatMap(({ hooks: commands }) =>
    commands.flatMap(({ command }) => {
      const { stdout } = spawnSync(command, { shell: true, input, encoding: 'utf8' })
      return stdout.trim() === '' ? [] : [JSON.parse(stdout)]
    }),
  )
}

/** Captures the turn as the Coach, with the criterion as verified. */
async function capture(turn, criterion) {
  const response = await fetch(`${process.env.TURNGRAPH_URL}/v1/turns`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.TURNGRAPH_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      feature_id,
      task_id,
      turn_number: turn,
      player_summary: `Built ${criterion}`,
      verifications: [{ criterion_id: criterion, status: 'verified', evidence: 'its test passes' }],
    }),
  })
  if (!response.ok) throw new Error(await response.text())
}
