import { expect, test } from 'vitest'
import { start } from '../integration/http-start.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { accessibilityProblems } from './accessible.ts'
import { describeInBrowser } from './find-browser.ts'
import { useBrowser } from './open-page.ts'

describeInBrowser('the home page', () => {
  const browser = useBrowser()

  test('an empty graph shows the three commands that fill it', async () => {
    const page = await browser.open(await start(), '/')
    await page.getByText('turngraph import autobuild PATH').waitFor()
    expect(await page.locator('.empty code').allTextContents()).toEqual([
      'turngraph import autobuild PATH',
      'turngraph watch PATH',
      'turngraph capture TURN.json',
    ])
    expect(await accessibilityProblems(page)).toEqual([])
    // A browser has no clipboard for a page that it loaded over plain HTTP from another machine.
    await page.addInitScript('delete Navigator.prototype.clipboard')
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(3)
    await page.reload()
    await page.getByText('turngraph import autobuild PATH').waitFor()
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  })

  test('the views and the search use the first project with data if the project of the token has none', async () => {
    const started = await start()
    for (const project of ['shop', 'stock'])
      await clientOf(started.graph).captureTurnState(aTurn(1, { project }))
    const page = await browser.open(started, '/')
    await page.getByRole('navigation').getByRole('link', { name: 'shop' }).waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'of shop' }).waitFor()
  })

  test('the home page and the sessions link imported transcripts, and the patterns show how many turns they omit', async () => {
    const started = await start()
    const bytes = bytesOf(turn('a', ['Read', 'Edit']), turn('b', ['Bash'], { from: 100 }))
    await send(clientOf(started.graph), sessionOf(1), bytes, { project: PROJECT })
    const page = await browser.open(started, '/')
    const line = page.getByRole('link', { name: '2 turns', exact: true })
    await line.waitFor()
    await page.goto(`${started.service.url}/p/${PROJECT}`)
    await line.click()
    await page.getByText('2 turns with fewer calls are left out.').waitFor()
    await page.getByRole('button', { name: 'Show turns of any length' }).click()
    await page.getByRole('table', { name: 'Patterns' }).waitFor()
    await page.getByText('are left out').waitFor({ state: 'hidden' }) // its count is a request of its own
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('sessions that need a person come first, with the reason, and re-runs of a task are folded', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const capture = (worldSlug: string, taskId: string, more: object) =>
      client.captureTurnState({ ...aTurn(1), worldSlug, taskId, createWorld: true, ...more })
    const approved = { coachDecision: 'approved' } as const
    await capture('first', 'TASK-1', {})
    await capture('again', 'TASK-1', { ...approved, completedAt: '2026-01-02T00:00:00Z' })
    await capture('gap', 'TASK-2', { ...approved, gates: { lint: 'failed' } })
    const page = await browser.open(started, '/', { viewport: { width: 390, height: 844 } })
    const needs = page.getByRole('region', { name: 'Needs you' })
    await needs.getByText('Approved, but the gate lint failed in the approved turn.').waitFor()
    expect(await needs.getByRole('listitem').count()).toBe(1)
    const finished = page.getByRole('table', { name: 'Finished tasks' })
    expect(await finished.getByRole('row').count()).toBe(3)
    await finished.getByRole('rowheader', { name: 'TASK-1', exact: true }).waitFor() // its newest session is "again"
    await finished.getByRole('group').locator('summary').click()
    await finished.getByText('superseded by again').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await accessibilityProblems(page)).toEqual([])
    const outcome = finished.locator('td[data-head="Outcome"]').first()
    expect(await outcome.evaluate((cell) => getComputedStyle(cell, '::before').content)).toBe('"Outcome"')
    const cut = await page
      .locator('table.cards tbody :is(th, td)')
      .evaluateAll((cells) => cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).length)
    expect(cut, 'cells of cards that do not fit into the width').toBe(0)
    await needs.getByRole('link', { name: 'gap' }).click()
    await page.getByText('Approved after 1 turn, but the gate lint failed in the approved turn.').waitFor()
    expect(page.url()).toContain(`/p/${PROJECT}/w/gap`)
  })

  test('the page groups sessions by what a person has to do, folds unseen approvals, and lists tasks without a session', async () => {
    const started = await start()
    const client = clientOf(started.graph)
    const capture = (worldSlug: string, more: object) =>
      client.captureTurnState({ ...aTurn(1), worldSlug, taskId: worldSlug, createWorld: true, ...more })
    const approved = { coachDecision: 'approved' } as const
    await capture('left', {})
    await capture('gap', { ...approved, gates: { lint: 'failed' } })
    const criterion = { criterionId: 'AC-1', criterionText: 'The total is right' }
    await capture('words', {
      ...approved,
      promises: [{ ...criterion, status: 'complete', evidence: 'All tests pass' }],
      verifications: [{ ...criterion, status: 'verified', evidence: 'All tests pass' }],
    })
    await client.declareCriteria({
      ...{ featureId: 'FEAT-1', taskId: 'TASK-NEXT' },
      criteria: [{ text: 'The tax is right' }],
    })
    const page = await browser.open(started, '/')
    const needs = page.getByRole('region', { name: 'Needs you' })
    await needs.getByText('Resume or give up').waitFor()
    expect(await needs.locator('summary').allTextContents()).toEqual([
      'Close the gaps of an approval 1 session',
      'Resume or give up 1 session',
      'Look at what nobody has seen 1 session',
    ])
    await needs.getByText('Turn 1 of left was sent back', { exact: false }).waitFor()
    const unseen = needs.getByRole('link', { name: 'words' })
    expect(await unseen.isVisible()).toBe(false)
    await needs.locator('summary').last().press('Enter')
    await unseen.waitFor()
    const begun = page.getByRole('table', { name: 'Tasks without a session' })
    await begun
      .getByText(`turngraph context --project ${PROJECT} --feature FEAT-1 --task TASK-NEXT --turn 1`)
      .waitFor()
    expect(await begun.locator('tbody tr').count()).toBe(1)
    // The token's project is `default`, which has no data.
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: PROJECT }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  })
})
