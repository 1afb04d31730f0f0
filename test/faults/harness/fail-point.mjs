import { appendFileSync, readdirSync } from 'node:fs'

/**
 * Loaded into a service before it starts (`node --import`): counts the steps of the service in its graph for
 * one world, and ends the process with SIGKILL at one of them, given by its number or its name. Not a hook of the product: it wraps the class
 * of the adapter from outside. fail-points.ts configures it, and it writes the steps to the file CHAOS_TRACE.
 */
const { CHAOS_WORLD = '', CHAOS_FAIL_AT, CHAOS_TRACE } = process.env
const failAt = Number(CHAOS_FAIL_AT ?? 0)
let passed = 0

/** The folder of the built command line, in which each adapter is a file with its name. */
const bin = new URL('../../../dist/bin/', import.meta.url)
const engine = /^(bolt|neo4j)/.test(process.env.TURNGRAPH_STORE ?? '') ? 'neo4j' : 'embedded'
const adapter = readdirSync(bin).find((file) => new RegExp(`^${engine}-[A-Z0-9]{8}\\.js$`).test(file))
const { EmbeddedGraph, Neo4jGraph } = await import(new URL(adapter, bin))

function pass(point) {
  passed++
  if (CHAOS_TRACE !== undefined) appendFileSync(CHAOS_TRACE, `${point}\n`)
  if (passed === failAt || point === CHAOS_FAIL_AT) process.kill(process.pid, 'SIGKILL')
}

/** Returns true if a parameter names the world under test. */
const concerns = (params) => JSON.stringify(params).includes(CHAOS_WORLD)

async function around({ statement, params }, work) {
  if (!concerns(params)) return work()
  pass(`before ${statement.name}`)
  const answer = await work()
  pass(`after ${statement.name}`)
  return answer
}

const { prototype } = EmbeddedGraph ?? Neo4jGraph
const { read, write, transact } = prototype

prototype.read = function (statement, params, ...rest) {
  return around({ statement, params }, () => read.call(this, statement, params, ...rest))
}

prototype.write = function (steps, ...rest) {
  // A write of several steps uses `transact`.
  const alone = () => write.call(this, steps, ...rest)
  return steps.length > 1 ? alone() : around(steps[0], alone)
}

prototype.transact = async function (work, ...rest) {
  let ours = false
  const counted = (run) => (step) => {
    ours ||= concerns(step.params)
    return around(step, () => run(step))
  }
  const answer = await transact.call(this, (run) => work(counted(run)), ...rest)
  if (ours) pass('after commit')
  return answer
}
