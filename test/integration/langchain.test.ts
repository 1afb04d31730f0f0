import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { createTurngraphTools, TurngraphRetriever } from '../../src/langchain/index.ts'

const task = { featureId: 'FEAT-1', taskId: 'TASK-1' }
const verification = (criterionId: string, criterionText: string, status: string, evidence?: string) => ({
  criterionId,
  criterionText,
  status,
  evidence,
})

function emptyClient(log = (_message: string) => {}) {
  const client = createTurngraphClient({ store: 'embedded:memory', project: 'shop', log })
  onTestFinished(() => client.close())
  return client
}

/** Creates a client with two turns: AC-1 is verified in the first, AC-2 in the second. Only the first has promises. */
async function clientWithTurns(log?: (message: string) => void) {
  const client = emptyClient(log)
  await client.captureTurnState({
    ...task,
    turnNumber: 1,
    playerSummary: 'Built the lid',
    coachDecision: 'feedback',
    verifications: [verification('AC-1', 'The lid closes without a sound', 'passed', 'heard nothing')],
    promises: [
      { criterionId: 'AC-2', criterionText: 'It stays closed in the wind', status: 'complete' },
      { criterionId: 'AC-3', criterionText: 'It opens with one hand', status: 'complete' },
    ],
  })
  await client.captureTurnState({
    ...task,
    turnNumber: 2,
    playerSummary: 'Built the latch',
    coachDecision: 'feedback',
    coachFeedback: 'Nearly there',
    verifications: [
      verification('AC-2', 'It stays closed in the wind', 'verified', 'tried a fan'),
      verification('AC-3', 'It opens with one hand', 'rejected', 'needs two'),
    ],
    issues: [
      { severity: 'minor', description: 'It squeaks' },
      { severity: 'blocking', description: 'The latch is stiff\nand sharp' },
    ],
  })
  return client
}

const shown = (documents: { pageContent: string; metadata: object }[]) =>
  documents.map(({ pageContent, metadata }) => ({ ...metadata, pageContent }))

test('a client with its own store logs each promise recovery once, if it has a log', async () => {
  const logged: string[] = []
  const client = await clientWithTurns((message) => logged.push(message))
  const { message } = await client.recoverPromises({ ...task, turn: 2 })
  expect(logged).toEqual([message])
  await new TurngraphRetriever({ client, ...task, role: 'coach' }).invoke('3')
  expect(logged).toEqual([message, message])
})

describe('TurngraphRetriever', () => {
  test('returns the sections of the context, each with its turn and reason', async () => {
    const client = await clientWithTurns()
    const retriever = new TurngraphRetriever({ client, ...task })
    const of = (section: string, turn: number, reason: string, pageContent: string) => ({
      section,
      turn,
      world_slug: 'TASK-1',
      reason,
      pageContent,
    })
    expect(shown(await retriever.invoke('3'))).toEqual([
      of(
        'turn',
        2,
        'it is the turn before turn 3',
        '## Previous Turn Summary (Turn 2)\n**What was attempted**: Built the latch\n**Coach decision**: feedback\n**Feedback**: Nearly there',
      ),
      of('criteria', 1, 'verified in turn 1, not judged since', '✓ AC-1: verified (turn 1)'),
      of('criteria', 2, 'verified in turn 2, not judged since', '✓ AC-2: verified'),
      of('criteria', 2, 'rejected in turn 2', '✗ AC-3: rejected — It opens with one hand'),
      of(
        'issues',
        2,
        'the Coach raised it in turn 2, as blocking',
        '- [blocking] The latch is stiff\n    and sharp',
      ),
      of('issues', 2, 'the Coach raised it in turn 2, as should_fix', '- [should_fix] It squeaks'),
      of(
        'tried_before',
        1,
        'earlier turns of the session tried it',
        '**Tried before**:\n  Turn 1: Built the lid',
      ),
      of('progress', 2, '1 criterion is left', '**Progress**: 2 of 3 criteria verified after turn 2'),
    ])
  })

  test('says that all are verified if only an undeclared promise was never judged', async () => {
    const client = await clientWithTurns()
    await client.declareCriteria({ ...task, criteria: [{ text: 'It closes' }] })
    const closes = { criterionId: 'AC-001', criterionText: 'It closes', status: 'verified' as const }
    const sings = { criterionId: 'AC-009', criterionText: 'It sings', status: 'complete' as const }
    await client.captureTurnState({
      ...{ ...task, turnNumber: 3, playerSummary: 'Built the lock', coachDecision: 'feedback' },
      ...{ verifications: [closes], promises: [sings] },
    })
    const documents = await new TurngraphRetriever({ client, ...task }).invoke('4')
    const progress = documents.find(({ metadata }) => metadata.section === 'progress')
    expect(progress?.metadata.reason).toBe('all criteria are verified')
  })

  test('a Coach sees the evidence and recovered promises of unverified criteria, a Player does not', async () => {
    const client = await clientWithTurns()
    const texts = async (role: 'player' | 'coach') =>
      (await new TurngraphRetriever({ client, ...task, role, currentTurn: 3 }).invoke('anything'))
        .map(({ pageContent }) => pageContent)
        .join('\n')
    expect(await texts('coach')).toContain('heard nothing')
    expect(await texts('coach')).toContain('**Promises recovered from turn 1**: 2\n  - AC-3: complete')
    expect(await texts('player')).not.toMatch(/heard nothing|tried a fan|recovered/)
  })

  test('the documents of the retriever have the text of the context', async () => {
    const client = await clientWithTurns()
    for (const role of ['player', 'coach'] as const) {
      const { context } = await client.loadTurnContinuationContext({ ...task, currentTurn: 3, role })
      const documents = await new TurngraphRetriever({ client, ...task, role, currentTurn: 3 }).invoke('')
      for (const { pageContent } of documents) expect(context).toContain(pageContent)
      const lines = new Set(
        documents.flatMap(({ pageContent }) => pageContent.split('\n').map((l) => l.trim())),
      )
      const headings = /^\*\*(Acceptance Criteria Status|Open issues)/
      const missing = (context ?? '')
        .split('\n')
        .filter((l) => l !== '' && !headings.test(l) && !lines.has(l.trim()))
      expect(missing).toEqual([])
    }
  })

  test('it works in a chain', async () => {
    const client = await clientWithTurns()
    const chain = new TurngraphRetriever({ client, ...task })
      .pipe((documents) => documents.map(({ pageContent }) => pageContent).join('\n\n'))
      .pipe((context: string) => `Go on from here:\n${context}`)
    expect(await chain.invoke('2')).toMatch(/^Go on from here:\n## Previous Turn Summary \(Turn 1\)/)
  })

  test('without a prior turn there is no document, and an unreachable memory or a missing turn number is an error', async () => {
    const client = await clientWithTurns()
    expect(await new TurngraphRetriever({ client, ...task }).invoke('1')).toEqual([])
    expect(await new TurngraphRetriever({ client, featureId: 'F', taskId: 'T' }).invoke('5')).toEqual([])
    // @ts-expect-error what a program without types may do
    expect(() => new TurngraphRetriever(task)).toThrow(/^client: must be given/)
    await expect(new TurngraphRetriever({ client, ...task }).invoke('what now?')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('query: '),
    })
    const away = createTurngraphClient({ url: 'http://127.0.0.1:1', retries: 0 })
    await expect(new TurngraphRetriever({ client: away, ...task }).invoke('3')).rejects.toMatchObject({
      code: 'store_unavailable',
    })
  })
})

describe('createTurngraphTools', () => {
  const toolOf = (client: ReturnType<typeof emptyClient>, name: string) => {
    const found = createTurngraphTools(client).find((tool) => tool.name === name)
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }

  test('they have the names of the MCP tools, and schemas for models', () => {
    const tools = createTurngraphTools(emptyClient())
    expect(tools.map(({ name }) => name)).toEqual([
      'capture_turn_state',
      'load_continuation_context',
      'get_criteria',
      'recover_promises',
      'analyze_stall',
    ])
    for (const tool of tools) {
      const { function: offered } = convertToOpenAITool(tool)
      expect(offered.description).not.toBe('')
      const { properties, required } = offered.parameters as { properties: object; required: string[] }
      expect(Object.keys(properties)).toContain('feature_id')
      expect(Object.keys(properties)).not.toContain('project')
      // The other tools accept only a world.
      if (tool.name === 'capture_turn_state')
        expect(required).toEqual(expect.arrayContaining(['feature_id', 'task_id']))
    }
  })

  test('they accept and return the wire form', async () => {
    const client = emptyClient()
    const record = {
      feature_id: 'FEAT-1',
      task_id: 'TASK-1',
      turn_number: 1,
      player_summary: 'Built it',
      acceptance_criteria_status: { 'AC-1': 'passed' },
    }
    const stored = JSON.parse(await toolOf(client, 'capture_turn_state').invoke(record))
    expect(stored).toMatchObject({ created: true, world_slug: 'TASK-1', project: 'shop' })
    const scope = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
    const context = JSON.parse(
      await toolOf(client, 'load_continuation_context').invoke({ ...scope, current_turn: 2 }),
    )
    expect(context.context).toContain('✓ AC-1: verified')
    expect(JSON.parse(await toolOf(client, 'get_criteria').invoke(scope))).toHaveProperty('criteria')
    expect(JSON.parse(await toolOf(client, 'recover_promises').invoke({ ...scope, turn: 2 }))).toMatchObject({
      source: 'none',
    })
    expect(JSON.parse(await toolOf(client, 'analyze_stall').invoke(scope))).toMatchObject({
      verdict: 'insufficient_data',
    })
  })

  test('tools return the wire form to a model, and errors that it can correct', async () => {
    const client = await clientWithTurns()
    const message = await toolOf(client, 'get_criteria').invoke({
      type: 'tool_call',
      id: 'call-1',
      name: 'get_criteria',
      args: { feature_id: 'FEAT-1', task_id: 'TASK-1' },
    })
    expect(message).toMatchObject({ tool_call_id: 'call-1', content: expect.stringContaining('AC-1') })
    const other = {
      feature_id: 'FEAT-1',
      task_id: 'TASK-1',
      turn_number: 1,
      player_summary: 'Something else',
    }
    expect(JSON.parse(await toolOf(client, 'capture_turn_state').invoke(other))).toMatchObject({
      error: { code: 'turn_conflict' },
    })
    const noTask = await toolOf(client, 'get_criteria').invoke({ feature_id: 'FEAT-1' })
    expect(JSON.parse(noTask).error).toMatchObject({
      code: 'invalid_request',
      message: 'task_id: is missing',
    })
  })
})
