import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { toWire } from '../../src/core/wire-form.ts'
import { operations } from '../../src/operations/table.ts'
import { cli } from '../faults/harness/service-process.ts'
import { CANARY, JUDGED_WORLD, judgedTurns, SHOWN_TO_COACH } from '../support/judged-session.ts'
import { startLimitedFront } from '../support/limited-front.ts'
import { aTurn, type TurnToSend } from '../support/records.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const asLines = (turns: readonly TurnToSend[]): string =>
  turns.map((turn) => JSON.stringify(toWire(operations.captureTurnState.input, turn))).join('\n')

/** Captures the judged session, and two others with one turn each. */
async function captureAll(turngraph: ReturnType<typeof commandsOn>): Promise<void> {
  const others = [aTurn(1), aTurn(2, { taskId: 'TASK-2', turnNumber: 1, coachDecision: 'approved' })]
  const { code, stderr } = await turngraph.run(['capture', '-'], {
    input: asLines([...judgedTurns(), ...others]),
  })
  expect(code, stderr).toBe(0)
}

/** Returns the part from the element with this id to the next element with an id. */
const partAt = (html: string, id: string): string => {
  const start = html.indexOf(` id="${id}"`)
  return start === -1 ? '' : html.slice(start, html.indexOf(' id="', start + 1))
}

let home = ''
let turngraph: ReturnType<typeof commandsOn>
const report = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await turngraph.run(['report', '--project', 'shop', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('turngraph report', () => {
  beforeEach(async () => {
    home = temporaryFolder()
    turngraph = commandsOn(home)
    await captureAll(turngraph)
  })

  test('of a session shows its progress, the verdict of each turn on each criterion, and the evidence', async () => {
    const html = await report('--world', JUDGED_WORLD)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toContain('1 of 3 proven, 1 contested in turn 2, turn 4')
    for (const cell of [
      'AC-001, turn 1: verified',
      'AC-001, turn 2: rejected, contested',
      'AC-002, turn 3: rejected',
      'AC-002, turn 2: not judged',
    ]) {
      expect(html).toContain(`aria-label="${cell}"`)
    }
    for (const canary of SHOWN_TO_COACH) expect(html).toContain(canary)
    // A name in a right-to-left script does not reverse the text next to it.
    for (const name of [`<h1><bdi>${JUDGED_WORLD}</bdi></h1>`, '<bdi>Gate CANARY-gate-failed</bdi>']) {
      expect(html).toContain(name)
    }
    const link = /<a href="#([^"]+)" tabindex="-1" aria-label="AC-001, turn 2: rejected, contested">/i.exec(
      html,
    )
    expect(partAt(html, link?.[1] ?? '')).toContain('CANARY-contested')
    for (const shown of ['The same complaint', 'Context for Player', 'Context for Coach', 'Left out']) {
      expect(html).toContain(shown)
    }
  })

  test('contains no script and no reference that a browser would load', async () => {
    const html = await report()
    expect(html).not.toMatch(
      /<script|<link|<iframe|<img|\ssrc=|\son\w+=|\sstyle=|@import|https?:(?!\/\/www\.w3\.org\/2000\/svg)/i,
    )
    expect(html).toContain("default-src 'none'; style-src 'sha256-")
    const links = [...html.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => href)
    expect(links.length).toBeGreaterThan(10)
    for (const link of links) {
      expect(link).toMatch(/^#./)
      expect(html, link).toContain(`id="${link.slice(1)}"`)
    }
  })

  test('of a project lists its sessions, most recently active first, and contains each in full', async () => {
    const html = await report()
    const articles = [...html.matchAll(/<article id="(s\d+)" aria-label="([^"]+)"/g)]
    expect(articles.map(([, , world]) => world).toSorted()).toEqual([JUDGED_WORLD, 'TASK-1', 'TASK-2'])
    for (const [, anchor = '', world = ''] of articles) {
      expect(html).toContain(`<a href="#${anchor}"><bdi>${world}</bdi></a>`)
    }
    const inOrder = articles.map(([, , world]) => world)
    const { stdout } = await turngraph.run(['worlds', '--project', 'shop', '--json'])
    expect(inOrder).toEqual(
      JSON.parse(stdout).items.map(({ world_slug }: { world_slug: string }) => world_slug),
    )
  })
})

describe.each(['directly', 'through a running server'])('turngraph report, %s', (way) => {
  beforeEach(async () => {
    home = temporaryFolder()
    turngraph = commandsOn(home)
    if (way !== 'directly') await turngraph.startService()
    await captureAll(turngraph)
  })

  test('for a Player contains no evidence and no reason of the judge', async () => {
    const stall = JSON.parse(
      (await turngraph.run(['stall', '--world', JUDGED_WORLD, '--project', 'shop', '--json'])).stdout,
    )
    expect(stall.reason).toMatch(/turns? \d/)
    for (const args of [['--world', JUDGED_WORLD], []]) {
      const html = await report(...args, '--role', 'player')
      expect(html.match(CANARY)).toBeNull()
      expect(html.replaceAll('&quot;', '"')).not.toContain(stall.reason)
      expect(html).not.toMatch(/by the (coach|validator|gate|command)|Context for Coach/)
      expect(html).toContain('What the Coach told the Player in turn 4')
      expect(html).toContain('aria-label="AC-001, turn 2: rejected, contested"')
      expect(html).toContain('Context for Player')
    }
    const shown = await report('--world', JUDGED_WORLD)
    expect(shown.replaceAll('&quot;', '"')).toContain(stall.reason)
  })

  test('of a task shows its newest session, and a file appears when it is complete', async () => {
    const out = path.join(home, 'report.html')
    const second = aTurn(1, { worldSlug: 'TASK-1.2', playerSummary: 'A second session' })
    await turngraph.run(['capture', '-'], { input: asLines([second]) })
    const task = ['--feature', 'FEAT-1', '--task', 'TASK-1', '--project', 'shop']
    const { code, stdout, stderr } = await turngraph.run(['report', ...task, '--out', out])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: `Wrote ${out}.\n` })
    expect(readdirSync(home).filter((name) => name.includes('.partial'))).toEqual([])
    expect(readFileSync(out, 'utf8')).toContain('A second session')
    expect(readFileSync(out, 'utf8')).toBe(await report('--world', 'TASK-1.2'))
  })
})

test.each([
  [['--world', 'JUDGE'], 4, 'Did you mean'],
  [['--feature', 'FEAT-1'], 2, '--task is missing'],
  [['--task', 'TASK-1'], 2, '--feature is missing'],
  [
    ['--world', JUDGED_WORLD, '--feature', 'FEAT-1'],
    2,
    "'--world <slug>' cannot be used with option '--feature <id>'",
  ],
  [['--feature', 'FEAT-1', '--task', 'TASK-11'], 4, 'TASK-1'],
  [['--project', 'shopp'], 4, 'shop'],
  [['--role', 'judge'], 2, 'player, coach'],
])('%j is refused in one sentence that says what to do', async (args, exit, says) => {
  const turngraph = commandsOn(temporaryFolder())
  await captureAll(turngraph)
  const named = args.includes('--project') ? args : ['--project', 'shop', ...args]
  const { code, stdout, stderr } = await turngraph.run(['report', ...named])
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
  expect(stderr).toContain(says)
  expect(stderr).toMatch(/^error: .+\nhint: .+\n/)
})

test('rejections of a busy service delay a report, but do not end it', async () => {
  const turngraph = commandsOn(temporaryFolder())
  const { url } = await turngraph.startService()
  await captureAll(turngraph)
  const front = await startLimitedFront(url, (request) => request === 2 || request === 9)
  const args = ['report', '--project', 'shop', '--world', JUDGED_WORLD]
  const limited = await turngraph.run(args, { environment: { TURNGRAPH_URL: front.url } })
  expect(limited).toEqual(await turngraph.run(args))
  expect(limited.code, limited.stderr).toBe(0)
  expect(front.refused()).toBe(2)
})

const hasTerminals = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasTerminals)('a report to a terminal is rejected, and the error asks for a file', () => {
  const folder = temporaryFolder()
  const command = `"${process.execPath}" "${cli}" report --project shop`
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stdout).toMatch(/A report is a file for a browser, and this is a terminal\..*hint.*> report\.html/s)
})
