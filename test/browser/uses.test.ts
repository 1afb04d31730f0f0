import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { MAIN_SESSION, PROJECT, writeSessions } from '../../tools/screenshots/written-sessions.ts'
import { writeTranscripts } from '../../tools/screenshots/written-transcripts.ts'
import { useService } from '../integration/http-start.ts'
import { writeLongRun } from '../support/large-store.ts'
import { clientOf } from '../support/records.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

const MAX_CLICKS = 4

type Use = { whose: string; question: string; clicks: string[] }

/** The table of docs/how-to/page.md: whose question, the question, and what is clicked from `/` on. */
function readUses(): Use[] {
  const text = readFileSync(new URL('../../docs/how-to/page.md', import.meta.url), 'utf8')
  return [...text.matchAll(/^\| (owner|coach|analyst) +\| (.+?) +\| (`.+?`) +\| /gm)].map(
    ([, whose = '', question = '', clicks = '']) => ({
      whose,
      question,
      clicks: [...clicks.matchAll(/`(.+?)`/g)].map(([, name = '']) => name),
    }),
  )
}

/** Finds the clickable element of that name. */
function named(page: Page, name: string) {
  const roles = ['link', 'button', 'checkbox', 'gridcell'] as const
  return roles
    .map((role) => page.getByRole(role, { name, exact: true }))
    .reduce((all, one) => all.or(one), page.locator('summary').getByText(name, { exact: true }))
    .first()
}

const rowsIn = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr')

/** The texts that are visible after the clicks of each question. */
const ANSWERS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'Which sessions run now, and on which worker?': async (page) => {
    await page.getByText('One session: 1 running', { exact: false }).waitFor()
    await rowsIn(page, 'Sessions').filter({ hasText: 'T-running' }).getByText('worker-7').waitFor()
  },
  'How far is a session, and what is left of it?': async (page) => {
    await page.getByText('6 of 7 proven, turn 5', { exact: false }).waitFor()
    await page.getByRole('region', { name: 'Verdict' }).getByText('Criteria left: AC-007').waitFor()
    expect(await page.getByText(/^Left: /).count()).toBe(0)
  },
  'Which sessions make no progress?': async (page) => {
    await page.getByText('One session: 1 stalled.').waitFor()
    await rowsIn(page, 'Sessions').getByRole('link', { name: MAIN_SESSION }).waitFor()
  },
  'What did the Coach ask for last?': (page) =>
    page.getByText('The random carts of AC-007 are promised', { exact: false }).first().waitFor(),
  'Why did a run end, and which of its attempts failed?': async (page) => {
    await page.getByText('max_attempts exhausted', { exact: false }).first().waitFor()
    await rowsIn(page, 'Attempts').getByText('attempt 12 met a broken build').waitFor()
  },
  'Is this criterion proven, and by what evidence?': async (page) => {
    const detail = page.getByRole('complementary', { name: 'AC-002, turn 5: verified' })
    await detail.getByText('Ran the tests of this criterion', { exact: false }).first().waitFor()
    await detail.getByRole('link', { name: 'Turn 4' }).waitFor() // the turn that rejected it in between
  },
  'What was promised, but never judged?': async (page) => {
    const detail = page.getByRole('complementary', { name: 'AC-007, turn 5: promised' })
    await detail.getByText('Added to src/cart/shipping.ts', { exact: false }).waitFor()
    await detail.getByText('This turn did not judge it.').waitFor()
  },
  'What was known after an earlier turn, and what contested then?': async (page) => {
    await page.getByText('6 of 7 proven, 1 contested in turn 4, turn 4', { exact: false }).waitFor()
    const row = page.getByRole('grid').getByRole('row').filter({ hasText: 'AC-002' })
    await row.getByText('contested').waitFor()
  },
  'What did the Coach see before a turn, and what was left out?': async (page) => {
    await page.getByRole('region', { name: 'Context for Coach' }).getByText('tokens.').waitFor()
    await page.getByRole('region', { name: 'Left out' }).waitFor()
  },
  'What would the states be if only the last verdict counted?': (page) =>
    page.getByText('The policy latest changes', { exact: false }).waitFor(),
  'What blocked most?': (page) => rowsIn(page, 'blockers').getByText('tests').first().waitFor(),
  'How do agents work in their turns?': async (page) => {
    await page.getByText('turns follow', { exact: false }).waitFor()
    await rowsIn(page, 'Patterns').first().waitFor()
  },
  'Which errors recur?': (page) =>
    rowsIn(page, 'Errors').getByText('File has not been read yet', { exact: false }).waitFor(),
  'What did an agent do in a long turn?': async (page) => {
    const calls = rowsIn(page, 'Calls').getByRole('rowheader')
    await calls.first().waitFor()
    expect(await calls.allTextContents()).toEqual(['Grep', 'Read', 'Read', 'Edit', 'Bash', 'Edit', 'Bash'])
  },
  'How far is each task, in Cypher that can be changed?': (page) =>
    rowsIn(page, 'Result').getByText(MAIN_SESSION).first().waitFor(),
}

describeInBrowser('questions of people', () => {
  const browser = useBrowser()
  const uses = readUses()
  const service = useService(
    async ({ graph }) => {
      const client = clientOf(graph)
      await writeSessions(client)
      await writeTranscripts(client)
      await writeLongRun(client, { project: PROJECT, attempts: 12 })
      await client.createWorld({ project: PROJECT, featureId: 'F', taskId: 'T-running', leaseTtlMs: 600_000 })
      const { attemptId = '' } = await client.runTurn({ worldSlug: 'T-running' })
      await client.claimAttempt({ attemptId, workerId: 'worker-7' })
    },
    { TURNGRAPH_PROJECT: PROJECT },
  )

  test('are five of an owner, five of a coach validator and five of an analyst, all tested here', () => {
    for (const whose of ['owner', 'coach', 'analyst'])
      expect(uses.filter((use) => use.whose === whose)).toHaveLength(5)
    expect(uses.map(({ question }) => question)).toEqual(Object.keys(ANSWERS))
  })

  test.each(uses)('$question is answered from the start with a few clicks', async ({ question, clicks }) => {
    expect(clicks.length).toBeLessThanOrEqual(MAX_CLICKS)
    const page = await browser.open(service(), '/')
    await named(page, clicks[0] ?? '').waitFor()
    let loads = 0
    page.on('load', () => loads++)
    for (const name of clicks) await named(page, name).click()
    await ANSWERS[question]?.(page)
    expect(loads, 'a link within the page loads it anew').toBe(0)
  })
})
