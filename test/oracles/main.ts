// npx tsx test/oracles/main.ts ROOT [--summary]
import { expectations } from './contexts.ts'

const root = process.argv.slice(2).find((a) => !a.startsWith('--'))
if (!root) throw new Error('usage: main.ts ROOT [--summary]')
const tasks = expectations(root)

if (!process.argv.includes('--summary')) {
  console.log(JSON.stringify(tasks, null, 2))
} else {
  for (const task of tasks)
    for (const world of task.worlds) {
      const turns = world.turns.map((turn) => {
        const states = turn.criteria.map((c) => {
          const sign = { verified: '✓', rejected: '✗', pending: '○' }[c.state]
          const at = c.verifiedInTurn === null ? '' : `@${c.verifiedInTurn}`
          const contested = c.contestedInTurn === null ? '' : `!${c.contestedInTurn}`
          return `${c.label || '-'}${sign}${at}${contested}${c.text === null ? '(label only)' : ''}`
        })
        return `[before ${turn.turn}: ${states.join(' ')}]`
      })
      console.log(`${task.featureId} ${task.taskId} world ${world.worldIndex} ${turns.join(' ')}`)
    }
}
