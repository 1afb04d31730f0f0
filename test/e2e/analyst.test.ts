import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** The queries of analysts at the command line. */

const turn = (turn_number: number, more: object = {}) =>
  JSON.stringify({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    turn_number,
    player_summary: 'Built it',
    coach_decision: 'feedback',
    ...more,
  })

describe('the schema', () => {
  test('turngraph schema prints the answer of the service, without a graph', async () => {
    const user = commandsOn(temporaryFolder())
    const printed = await user.run(['schema', '--json'])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    const { url } = await user.startService()
    const token = readFileSync(path.join(user.folder, 'token'), 'utf8').trim()
    const answer = await fetch(`${url}/v1/graph/schema`, { headers: { authorization: `Bearer ${token}` } })
    expect(JSON.parse(printed.stdout)).toEqual(await answer.json())
    const { stdout } = await user.run(['schema', 'Turn'])
    expect(stdout).toContain('Turn\tplayerSummary\ttext\twhat the Player implemented or attempted\n')
    expect(stdout).not.toContain('World')
    expect(await user.run(['schema', 'Trun'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Did you mean Turn?'),
    })
  })
})

describe('turngraph query', () => {
  test('prints numbers in full and null as null', async () => {
    const user = commandsOn(temporaryFolder())
    await user.run(['capture'], { input: turn(1) })
    const { stdout } = await user.run([
      'query',
      "RETURN 1.0 / 3 AS third, null AS nothing, '' AS empty, 12345.678901 AS n",
    ])
    expect(stdout).toBe('third\tnothing\tempty\tn\n0.3333333333333333\tnull\t\t12345.678901\n')
  })

  test('prints rows as CSV without formulas for a spreadsheet', async () => {
    const user = commandsOn(temporaryFolder())
    await user.run(['capture'], { input: turn(1, { player_summary: '=cmd("x")\nsecond' }) })
    const query = 'MATCH (t:Turn) RETURN t.playerSummary AS summary, -t.number AS n, t.coverage AS coverage'
    expect(await user.run(['query', query, '--csv'])).toMatchObject({
      code: 0,
      stdout: 'summary,n,coverage\r\n"\'=cmd(""x"")\nsecond",-1,null\r\n',
    })
    const preset = await user.run(['query', '--preset', 'last-turn', '--csv'])
    expect(preset.stdout).toMatch(/^feature,task,world,.*\r\nFEAT-1,TASK-1,TASK-1,1,/)
    const none = 'MATCH (t:Turn {number: 9}) RETURN t.number AS n'
    expect((await user.run(['query', none, '--csv'])).stdout).toBe('n\r\n')
    expect((await user.run(['query', query, '--csv', '--json'])).code).toBe(2)
  })

  test('warns of a name that the graph does not have, on standard error and in JSON', async () => {
    const user = commandsOn(temporaryFolder())
    await user.run(['capture'], { input: turn(1) })
    const query = 'MATCH (t:Trun) RETURN t.number'
    const text = await user.run(['query', query])
    expect(text.stderr).toContain(
      'The graph has no label, relationship type or property Trun. Did you mean Turn?',
    )
    const { stdout } = await user.run(['query', query, '--json'])
    expect(JSON.parse(stdout).warnings).toEqual([{ unknown: 'Trun', near: ['Turn'] }])
  })
})
