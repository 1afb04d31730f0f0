import { expect, test } from 'vitest'
import { PROJECT as SHOWN_PROJECT, writeHostileSession } from '../../tools/screenshots/written-sessions.ts'
import { type Started, start, tokensFile, useService } from '../integration/http-start.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

/** Session that proves its two criteria in turns 1 and 2, and is judged again in turn 3. */
async function writeTwoSessions({ graph }: Started) {
  const client = clientOf(graph)
  const verify = (...criterionIds: string[]) =>
    criterionIds.map((criterionId) => ({
      criterionId,
      criterionText: `Text of ${criterionId}`,
      status: 'verified' as const,
    }))
  const capture = (worldSlug: string, turnNumber: number, more: object) =>
    client.captureTurnState({ ...aTurn(turnNumber), worldSlug, createWorld: turnNumber === 1, ...more })
  await capture('slow', 1, { verifications: verify('AC-1'), gates: { lint: 'failed' } })
  await capture('slow', 2, { verifications: verify('AC-2') })
  await capture('slow', 3, { verifications: verify('AC-2'), coachDecision: 'approved' })
  await capture('fast', 1, { verifications: verify('AC-1', 'AC-2'), coachDecision: 'approved' })
}

describeInBrowser('compare and replay on the page', () => {
  const browser = useBrowser()
  const service = useService(writeTwoSessions)

  test.each([390, 1280])(
    'two sessions are chosen from lists, the address holds the choice, and the sentence says how they differ, at %i pixels',
    async (width) => {
      const page = await browser.open(service(), '/', { viewport: { width, height: 900 } })
      await page.getByRole('link', { name: PROJECT }).first().click()
      await page.getByRole('link', { name: 'Compare two sessions' }).click()
      await page.getByText('Choose two sessions to see how they differ.').waitFor()
      await page.getByRole('combobox', { name: 'A', exact: true }).selectOption('slow')
      await page.getByRole('combobox', { name: 'B', exact: true }).selectOption('fast')
      await page.getByText('A took 2 turns more (3, not 1).').waitFor()
      expect(new URL(page.url()).search).toBe(`?project=${PROJECT}&a=slow&b=fast`)
      const facts = page.getByRole('table', { name: 'Comparison' })
      const row = async (name: string) =>
        (await facts.getByRole('row', { name }).getByRole('cell').allTextContents())
          .map((text) => text.trim())
          .filter((text) => text !== '')
      expect(await row('Turns')).toEqual(['3', '1', '−2'])
      expect(await row('All proven')).toEqual(['turn 2', 'turn 1'])
      expect(await row('Failed gates')).toEqual(['lint in 1 turn', 'none', '−1'])
      const gains = page.getByRole('table', { name: 'Gains by turn' })
      expect(await gains.getByRole('row').allTextContents()).toEqual([
        'TurnAB',
        '1+1 1 of 2+2 2 of 2',
        '2+1 2 of 2–',
      ])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      expect(await accessibilityProblems(page)).toEqual([])

      await page.getByRole('button', { name: 'Swap' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('B took 2 turns more (3, not 1).').waitFor()
      await page.reload()
      await page.getByText('B took 2 turns more (3, not 1).').waitFor()
      await gains.getByRole('link', { name: '+2' }).click()
      await page.getByRole('heading', { name: 'Turn 1 of fast' }).waitFor()
    },
  )

  test('another project is chosen from a list, and its sessions are offered', async () => {
    const started = await start()
    for (const project of [PROJECT, 'bakery'])
      await clientOf(started.graph).captureTurnState(aTurn(1, { project, worldSlug: `of-${project}` }))
    const page = await browser.open(started, '/compare')
    for (const project of [PROJECT, 'bakery']) {
      await page.getByRole('combobox', { name: 'Project' }).selectOption(project)
      const offered = page.getByRole('combobox', { name: 'A', exact: true })
      await offered.getByRole('option', { name: `of-${project}` }).waitFor({ state: 'attached' })
    }
  })

  test('a session that does not exist is reported in words, and the lists stay', async () => {
    const address = `/compare?project=${PROJECT}&a=slow&b=other`
    const page = await browser.open(service(), address, { mayFail: true })
    await page.getByRole('alert').getByText('other', { exact: false }).waitFor()
    await page.getByRole('combobox', { name: 'B', exact: true }).selectOption('fast')
    await page.getByRole('table', { name: 'Comparison' }).waitFor()
  })

  test.each([390, 1280])(
    'a replay lists each counted turn with its rule and a link, at %i pixels',
    async (width) => {
      const address = `/p/${PROJECT}/analyses`
      const page = await browser.open(service(), address, { viewport: { width, height: 900 } })
      await page
        .getByRole('link', { name: 'What would the memory have changed in recorded sessions?' })
        .click()
      await page
        .getByText('2 sessions repeated 2 of 4 turns: 1 came after everything was proven, 1 judged again', {
          exact: false,
        })
        .waitFor()
      const counted = page.getByRole('table', { name: 'Counted turns' })
      expect(await counted.getByRole('row').allTextContents()).toEqual([
        'sessionturnrulewhycriteria',
        'slow3after all provenall proven in turn 2',
        'slow3judged again1 verified again, 0 rejectedAC-2',
      ])
      await page.getByRole('button', { name: 'judged again 1' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => counted.getByRole('row').count()).toBe(2)
      expect(new URL(page.url()).search).toBe('?rule=judged_again')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.getByRole('button', { name: 'observed' }).click()
      await page.getByText('(policy observed)', { exact: false }).waitFor()
      await page.getByText('No turn is counted.').waitFor()
      await page.getByRole('button', { name: 'sticky' }).click()
      await counted.getByRole('link', { name: '3', exact: true }).click()
      await page.getByRole('heading', { name: 'Turn 3 of slow' }).waitFor()
    },
  )

  test('markup, scripts and very long words of a record are text', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const world = await writeHostileSession(client)
    const hostile = `<img src=x onerror=alert(1)>${'w'.repeat(200)}`
    const judged = { criterionId: hostile, criterionText: hostile, status: 'verified' as const }
    for (const turn of [1, 2])
      await client.captureTurnState({
        ...aTurn(turn),
        project: SHOWN_PROJECT,
        worldSlug: 'again',
        verifications: [judged],
        gates: { [hostile]: 'failed' },
      })
    const found = [
      [`/compare?project=${SHOWN_PROJECT}&a=${encodeURIComponent(world)}&b=again`, 'Gains by turn'],
      [`/p/${SHOWN_PROJECT}/analyses/replay`, 'Counted turns'],
    ] as const
    for (const [address, table] of found) {
      const page = await browser.open(started, address, { viewport: { width: 390, height: 900 } })
      await page.getByRole('table', { name: table }).waitFor()
      await page.getByText('<img src=x onerror=alert(1)>', { exact: false }).first().waitFor()
      expect(await page.locator('#page img, #page script, #page a[href^="javascript" i]').count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    }
  })

  test('a token without the scope of analysts opens the replay', async () => {
    const token = 'r'.repeat(32)
    const started = await start({
      TURNGRAPH_TOKENS: tokensFile([{ name: 'reader', token, scopes: ['read'] }]),
    })
    await clientOf(started.graph).captureTurnState(aTurn(1))
    const page = await browser.open(started, `/p/${PROJECT}/analyses`, { token })
    await page.getByRole('link', { name: 'replay' }).click()
    await page.getByText('1 session repeated 0 of 1 turn', { exact: false }).waitFor()
  })
})
