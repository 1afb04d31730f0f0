import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, lstatSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

test.each(['report', 'export'])(
  '%s: a file that cannot be written is refused before anything is read, with the option and the folder',
  async (command) => {
    const home = temporaryFolder()
    const turngraph = commandsOn(home)
    const missing = path.join(home, 'missing', 'written')
    for (const [out, says] of [
      [missing, `error: --out: the folder "${path.dirname(missing)}" does not exist`],
      [home, `error: --out: "${home}" is a folder`],
    ] as const) {
      // No service has this address: the first call to it fails.
      const environment = { TURNGRAPH_URL: 'http://127.0.0.1:9' }
      const { code, stdout, stderr } = await turngraph.run([command, '--project', 'shop', '--out', out], {
        environment,
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
      expect(stderr).toMatch(/\nhint: .+\n/)
    }
  },
)

test.skipIf(!existsSync('/dev/full'))(
  'a command whose standard output has no room says so in one line, exits 7, and has still stored what it was given',
  async () => {
    const turngraph = commandsOn(temporaryFolder())
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const input = [1, 2, 3]
      .map((turn_number) => ({ feature_id: 'F', task_id: 'T', turn_number, player_summary: 'Built it' }))
      .map((turn) => JSON.stringify(turn))
      .join('\n')
    for (const args of [['capture'], ['export'], ['worlds'], ['config'], ['report', '--world', 'T']]) {
      const { code, stderr } = await turngraph.run(args, { stdout: full, input })
      expect([args[0], code, stderr.replace('Made a new graph in ./graph.\n', '')]).toEqual([
        args[0],
        7,
        'error: No space left in the destination of standard output.\n' +
          'hint: The output is incomplete. Free some space or choose another destination, then try again.\n',
      ])
    }
    const { stdout } = await turngraph.run(['worlds', 'get', 'T', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ current_turn: 3 })
  },
)

describe('export --out', () => {
  let home = ''
  let turngraph: ReturnType<typeof commandsOn>
  beforeEach(async () => {
    home = temporaryFolder()
    turngraph = commandsOn(home)
    const input = '{"feature_id":"F","task_id":"T","turn_number":1,"player_summary":"Built it"}'
    expect((await turngraph.run(['capture'], { input })).code).toBe(0)
  })

  test('does not write through a link at the name of the partial file', async () => {
    const out = path.join(home, 'out.jsonl')
    const victim = path.join(home, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, `${out}.partial`)
    expect((await turngraph.run(['export', '--out', out])).code).toBe(0)
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(lstatSync(out).isFile()).toBe(true)
  })

  test.each(['there already', 'not there yet'])('follows a link to a file that is %s', async (which) => {
    const [out, target] = [path.join(home, 'link'), path.join(home, 'target.jsonl')]
    if (which === 'there already') writeFileSync(target, 'old')
    symlinkSync('target.jsonl', out)
    expect((await turngraph.run(['export', '--out', out])).code).toBe(0)
    expect(lstatSync(out).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe((await turngraph.run(['export'])).stdout)
  })

  test('writes into a FIFO without replacing it', async () => {
    const out = path.join(home, 'fifo')
    execFileSync('mkfifo', [out])
    const [read, exported] = await Promise.all([
      readFile(out, 'utf8'),
      turngraph.run(['export', '--out', out]),
    ])
    expect(exported.code).toBe(0)
    expect(read).toBe((await turngraph.run(['export'])).stdout)
    expect(lstatSync(out).isFIFO()).toBe(true)
  })
})
