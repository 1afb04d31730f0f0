import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aTurn } from '../support/records.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const turnFile = (folder: string, turnNumber: number, project: string): string => {
  const { featureId, taskId, playerSummary, completedAt } = aTurn(turnNumber)
  const file = path.join(folder, `${project}-${turnNumber}.json`)
  const record = { project, feature_id: featureId, task_id: taskId, turn_number: turnNumber }
  const said = { player_summary: playerSummary, completed_at: completedAt, coach_decision: 'feedback' }
  writeFileSync(file, JSON.stringify({ ...record, ...said }))
  return file
}

describe.each(['directly', 'through a running server'])('%s', (way) => {
  let home = ''
  let turngraph: ReturnType<typeof commandsOn>
  let other: ReturnType<typeof commandsOn>
  beforeEach(async () => {
    home = temporaryFolder()
    turngraph = commandsOn(home)
    other = commandsOn(temporaryFolder())
    if (way !== 'directly') await Promise.all([turngraph.startService(), other.startService()])
    for (const project of ['shop', 'till']) {
      for (const number of [1, 2]) await turngraph.run(['capture', turnFile(home, number, project)])
    }
  })

  test('a graph that is exported through a pipe and restored is equal', async () => {
    const { code, stdout, stderr } = await turngraph.run(['export'])
    expect([code, stderr]).toEqual([0, ''])
    const restored = await other.run(['restore', '-', '--json'], { input: stdout })
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(JSON.parse(restored.stdout)).toMatchObject({
      dry_run: false,
      redactions: 0,
      records: { project: { created: 2, existing: 0 }, turn: { created: 4, existing: 0 } },
    })
    expect((await other.run(['export'])).stdout).toBe(stdout)
    const again = await other.run(['restore', '-', '--json'], { input: stdout })
    expect(JSON.parse(again.stdout).records).toMatchObject({ turn: { created: 0, existing: 4 } })
  })

  test('--out writes a file that appears when it is complete, and an error in a file names its line', async () => {
    const file = path.join(home, 'shop.jsonl')
    const exported = await turngraph.run(['export', '--project', 'shop', '--out', file])
    expect([exported.code, exported.stdout, exported.stderr]).toEqual([0, '', `Wrote 9 lines to ${file}.\n`])
    expect(readFileSync(file, 'utf8')).not.toContain('till')
    expect(readdirSync(home).filter((name) => name.includes('.partial'))).toEqual([])
    const checked = await other.run(['restore', '--dry-run', file])
    expect([checked.code, checked.stderr]).toEqual([
      0,
      'The file is whole: 7 records. Nothing was written.\n',
    ])
    const cut = path.join(home, 'cut.jsonl')
    writeFileSync(cut, readFileSync(file, 'utf8').split('\n').slice(0, 5).join('\n'))
    const refused = await other.run(['restore', cut])
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain(
      `error: ${cut}, line 5 is the last one, and no trailer: the file is cut off.`,
    )
    expect((await other.run(['restore', file])).code).toBe(0)
    const record = JSON.parse(readFileSync(turnFile(home, 2, 'shop'), 'utf8')) as object
    const mended = JSON.stringify({ ...record, player_summary: 'Mended', on_conflict: 'supersede' })
    expect((await other.run(['capture'], { input: mended })).code).toBe(0)
    const conflict = await other.run(['restore', file])
    expect([conflict.code, conflict.stdout]).toEqual([5, ''])
    expect(conflict.stderr).toContain(
      `${file}, line 7: turn shop/TASK-1/2 stands there already and differs in `,
    )
    expect((await other.run(['restore', path.join(home, 'nowhere.jsonl')])).code).toBe(4)
  })

  test('secrets that another program wrote into a file are masked and counted', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const lines = (await turngraph.run(['export'])).stdout.trimEnd().split('\n')
    const records = lines.slice(0, -1).map((line) => {
      const record = JSON.parse(line)
      if (record.kind === 'turn') record.turn.playerSummary = `TOKEN=${secret}`
      return `${JSON.stringify(record)}\n`
    })
    const sha256 = createHash('sha256').update(records.join('')).digest('hex')
    const end = JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ''), sha256 })
    const file = path.join(home, 'other.jsonl')
    writeFileSync(file, [...records, end].join(''))
    const { code, stderr } = await other.run(['restore', file])
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('4 secrets in the file masked.\n')
    expect((await other.run(['export'])).stdout).not.toContain(secret)
    const again = await other.run(['restore', file, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ dry_run: false, redactions: 4 })
  })

  test('export --pairs writes a line for each pair', async () => {
    const { code, stdout } = await turngraph.run(['export', '--pairs', '--project', 'till'])
    expect(code).toBe(0)
    const pairs = stdout.trimEnd().split('\n')
    expect(pairs.map((line) => JSON.parse(line))).toMatchObject([
      { project: 'till', turn_number: 1, player: { summary: 'Attempt 1' }, coach: { decision: 'feedback' } },
      { project: 'till', turn_number: 2 },
    ])
  })
})
