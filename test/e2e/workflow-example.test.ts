import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { buildProgram } from '../../src/cli/program.ts'

const file = fileURLToPath(new URL('../../examples/github-actions/turngraph.yml', import.meta.url))

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const workflow = z.object({
  permissions: z.record(z.string(), z.enum(['read', 'write', 'none'])),
  jobs: z.object({ report: z.object({ if: z.string(), steps: z.array(step) }) }),
})

/** Finds the command that the first words name, such as `import autobuild`, and returns it with the remaining words. */
function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let [command, rest] = [buildProgram() as Command, words]
  for (;;) {
    const subcommand = command.commands.find((each) => each.name() === rest[0])
    if (subcommand === undefined) return { command, rest }
    command = subcommand
    rest = rest.slice(1)
  }
}

test('the example workflow for GitHub has two permissions, pins its actions, installs Turngraph from a commit, and calls commands and options that exist', () => {
  const { permissions, jobs } = workflow.parse(parse(readFileSync(file, 'utf8')))
  expect(permissions).toEqual({ contents: 'read', 'pull-requests': 'write' })
  const { steps } = jobs.report
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
  const [install, ...lines] = steps.flatMap(({ run }) => (run === undefined ? [] : run.trim().split('\n')))
  expect(install).toMatch(/^npm install --no-save 'git\+https:[^']+#COMMIT'$/)
  expect(lines.length).toBeGreaterThan(3)
  const names = lines.map((line) => {
    // GitHub inserts such a value into the script, so a value from a pull request could run as a command. Environment variables are safe.
    expect(line).not.toContain('${{')
    // Otherwise npx runs a package that somebody may publish under this name, with the token of the job.
    const [, call = ''] =
      /^npx --no-install turngraph (.*?)(?: >> "\$GITHUB_STEP_SUMMARY")?$/.exec(line) ?? []
    const { command, rest } = findCommand(call.split(' '))
    // Only the program itself has no parent, so a null means that the line names no command.
    expect(command.parent, line).not.toBeNull()
    const known = command.options.map(({ long }) => long)
    for (const word of rest) if (word.startsWith('--')) expect(known, line).toContain(word)
    return command.name()
  })
  expect(names).toEqual(expect.arrayContaining(['autobuild', 'report', 'pr', 'attention']))
  expect(steps.find(({ run }) => run?.includes(' pr '))?.env).toHaveProperty('GH_TOKEN')
})
