/** A bad file never blocks the others (contract: hardening.md, section 4). */
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../faults/harness/scenario.ts'
import { HEALTHY, type HostileFile, writeHostileFiles } from '../support/hostile-files.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const TIMEOUT = { timeout: 120_000 }

/** Counts the lines about each hostile file that is not named: a skipped file has one line, a field one warning. */
function listUnnamed(lines: readonly string[], hostile: readonly HostileFile[]) {
  const counts = hostile.map(({ name, what }) => {
    const count = (word: string) =>
      lines.filter((line) => line.startsWith(`${word}: `) && line.includes(name)).length
    return { what, skipped: count('skipped'), warnings: count('warning') }
  })
  return counts.filter(({ skipped, warnings }) => skipped > 1 || skipped + warnings === 0)
}

const listTasks = async (commands: ReturnType<typeof commandsOn>): Promise<string[]> => {
  const { stdout } = await commands.run(['worlds', '--project', 'shop', '--json', '--limit', '500'])
  const { items } = JSON.parse(stdout) as { items: { task_id: string }[] }
  return items.map(({ task_id }) => task_id)
}

test(
  'import: of 40 hostile files beside 10 healthy tasks each is named in one line, all 10 arrive, and the exit code is 8',
  TIMEOUT,
  async () => {
    const [root, commands] = [temporaryFolder(), commandsOn(temporaryFolder())]
    const hostile = writeHostileFiles(root)
    expect(hostile.length).toBeGreaterThanOrEqual(40)
    const { code, stderr } = await commands.run(['import', 'autobuild', '--project', 'shop', root])
    if (process.env.SHOW) console.log(stderr)
    const lines = stderr.split('\n').slice(0, -1)
    expect(code).toBe(8)
    expect(listUnnamed(lines, hostile)).toEqual([])
    expect(
      lines.filter((line) => !/^(skipped|warning|not read|not mapped): |^Made a new graph/.test(line)),
    ).toEqual([])
    expect(await listTasks(commands)).toEqual(expect.arrayContaining(HEALTHY))
  },
)

test(
  'watch: of 40 hostile files beside 10 healthy tasks each is named in one line, and all 10 arrive',
  TIMEOUT,
  async () => {
    const [root, commands] = [temporaryFolder(), commandsOn(temporaryFolder())]
    const hostile = writeHostileFiles(root)
    const child = commands.start(['watch', '--project', 'shop', root])
    onTestFinished(() => void child.kill('SIGKILL'))
    const printed = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]?.setEncoding('utf8').on('data', (more: string) => {
        printed[stream] += more
      })
    const isDone = () => {
      const lines = printed.stderr.split('\n')
      const isNamed = hostile.every(({ name }) => lines.some((line) => line.includes(name)))
      return (
        child.exitCode !== null ||
        (isNamed && HEALTHY.every((name) => printed.stdout.includes(`${name}  turn 1`)))
      )
    }
    await until('all is reported', 60_000, async () => isDone()).catch(() => {})
    expect(child.exitCode).toBeNull()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
    if (process.env.SHOW) console.log(printed.stdout, printed.stderr)
    expect(listUnnamed(printed.stderr.split('\n'), hostile)).toEqual([])
    expect(HEALTHY.filter((name) => !printed.stdout.includes(`${name}  turn 1`))).toEqual([])
  },
)
