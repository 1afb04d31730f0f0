import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { commandsOn, type Ran, temporaryFolder } from './command.ts'

/** `turngraph init` sets up agents, and `turngraph init --undo` restores every byte. */

const ALL = 'hooks,mcp,agents,task'
const TASK =
  '---\nid: TASK-2\nfeature_id: FEAT-1\n---\n# Search\n\n## Acceptance Criteria\n\n- [ ] It finds words\n'
const SETTINGS =
  '// of this machine\n{\n\t"model": "opus", // the big one\n\t"hooks": {\n\t\t"Stop": [],\n\t},\n}\n'

let home = ''
let shop = ''
const inShop = (file: string) => path.join(shop, file)
const read = (file: string) => readFileSync(inShop(file), 'utf8')
const environment = () => ({
  CLAUDE_CONFIG_DIR: path.join(home, 'claude'),
  CODEX_HOME: path.join(home, 'codex'),
})
const init = (...args: string[]): Promise<Ran> =>
  commandsOn(home).run(['init', ...args], { cwd: shop, environment: environment() })

function write(file: string, text: string): void {
  mkdirSync(path.dirname(inShop(file)), { recursive: true })
  writeFileSync(inShop(file), text)
}

/** Describes the permissions, the owner and the group of a file. */
function rightsOf(file: string): string {
  const { mode, uid, gid } = lstatSync(inShop(file))
  return `${(mode & 0o777).toString(8)} ${uid} ${gid}`
}

/** Describes every file, link and folder: its content and its permissions. */
function digests(): Record<string, string> {
  const names = readdirSync(shop, { recursive: true }) as string[]
  const describeEntry = (name: string) => {
    const found = lstatSync(inShop(name))
    if (found.isSymbolicLink()) return `link to ${readlinkSync(inShop(name))}`
    const kind = found.isFile()
      ? createHash('sha256')
          .update(readFileSync(inShop(name)))
          .digest('hex')
      : 'no file'
    return `${(found.mode & 0o777).toString(8)} ${kind}`
  }
  return Object.fromEntries(names.toSorted().map((name) => [name, describeEntry(name)]))
}

beforeEach(() => {
  home = temporaryFolder()
  shop = path.join(home, 'shop')
  mkdirSync(path.join(home, 'codex'))
  mkdirSync(shop)
  write('tasks/backlog/TASK-2.md', TASK)
})

describe('turngraph init --with', () => {
  test('sets up a folder without such files, and the undo leaves nothing', async () => {
    const before = digests()
    const given = { cwd: shop, environment: environment() }
    const { code, stderr } = await commandsOn(home).spawn(['init', '--with', ALL], given)
    expect(code, stderr).toBe(0)
    for (const file of ['.claude/settings.local.json', '.codex/hooks.json', '.mcp.json', 'AGENTS.md'])
      expect(stderr).toContain(`Made ${file}.`)
    expect(JSON.parse(read('.turngraph/task.json'))).toEqual({ feature_id: 'FEAT-1', task_id: 'TASK-2' })
    expect(JSON.parse(read('.mcp.json')).mcpServers.turngraph.args).toEqual([cli, 'mcp'])
    expect(read('.codex/config.toml')).toContain('[mcp_servers.turngraph]')
    expect(read('AGENTS.md').trimEnd().split('\n')).toHaveLength(10)
    const undone = await init('--undo')
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(undone.stdout).toContain('Deleted .mcp.json, which did not exist before.')
    expect(digests()).toEqual(before)
    expect((await init('--undo')).stderr).toContain('init changed no file')
  })

  test('adds to existing files of any form, and the undo restores every byte', async () => {
    write('.claude/settings.local.json', SETTINGS)
    write('.codex/hooks.json', '{ "hooks": {} }')
    write('.codex/config.toml', 'model = "o"')
    write('.mcp.json', '{"mcpServers": {}}\r\n')
    write('AGENTS.md', '# Rules\r\n\r\nBe brief.')
    symlinkSync('AGENTS.md', inShop('CLAUDE.md'))
    chmodSync(inShop('.mcp.json'), 0o640)
    write('node_modules/.bin/turngraph', '')
    chmodSync(inShop('node_modules/.bin/turngraph'), 0o755)
    const before = digests()
    const { code, stdout } = await init('--with', ALL, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      imported: null,
      changed: [
        { file: '.claude/settings.local.json', result: 'changed' },
        { file: '.codex/hooks.json', result: 'changed' },
        { file: '.mcp.json', result: 'changed' },
        { file: '.codex/config.toml', result: 'changed' },
        { file: 'AGENTS.md', result: 'changed' },
        { file: '.turngraph/task.json', result: 'created' },
      ],
    })
    expect(read('.claude/settings.local.json')).toContain('// the big one')
    expect(lstatSync(inShop('CLAUDE.md')).isSymbolicLink()).toBe(true)
    expect(read('AGENTS.md').match(/turngraph -->/g)).toHaveLength(2)
    // A clone of the repository has no installation, and npx would download a package of this name.
    expect(read('AGENTS.md')).toContain('`npx --no-install turngraph next ')
    const changed = digests()
    for (const file of ['.claude/settings.local.json', '.codex/hooks.json', '.mcp.json', 'AGENTS.md'])
      expect(changed[file], file).not.toBe(before[file])
    expect(JSON.parse((await init('--with', ALL, '--json')).stdout).changed).toHaveLength(6)
    expect(digests()).toEqual(changed)
    expect(JSON.parse((await init('--undo', '--json')).stdout).undone).toHaveLength(6)
    expect(digests()).toEqual(before)
  })

  test('hooks of an installation that is gone are replaced, and the undo restores them', async () => {
    const gone = { type: 'command', command: "'node' '/gone/dist/bin/hook-run.js' '/gone/.turngraph'" }
    write('.claude/settings.local.json', JSON.stringify({ hooks: { Stop: [{ hooks: [gone] }] } }))
    const before = digests()
    expect((await init('--with', 'hooks')).stderr).toContain('Added to .claude/settings.local.json.')
    expect(read('.claude/settings.local.json')).not.toContain('/gone')
    expect((await init('--with', 'hooks')).stderr).toContain('Already in .claude/settings.local.json.')
    expect((await init('--undo')).code).toBe(0)
    expect(digests()).toEqual(before)
  })

  test('the undo of an edited file does not bring the hooks of an earlier init back', async () => {
    const file = '.claude/settings.local.json'
    expect((await init('--with', 'hooks')).code).toBe(0)
    write(file, JSON.stringify({ ...JSON.parse(read(file)), permissions: {} }))
    // The built program is another installation than the sources, which ran before.
    const given = { cwd: shop, environment: environment() }
    const { stderr } = await commandsOn(home).spawn(['init', '--with', 'hooks'], given)
    expect(stderr).toContain(`Added to ${file}.`)
    expect((await init('--undo')).code).toBe(0)
    expect(JSON.parse(read(file))).toEqual({ permissions: {} })
  })

  test('sets the task of the newest session that is not approved', async () => {
    const { run } = commandsOn(home)
    const capture = (task_id: string, coach_decision: string) =>
      run(['capture'], {
        input: JSON.stringify({
          ...{ feature_id: 'FEAT-1', task_id, turn_number: 1, player_summary: 'Built it' },
          coach_decision,
        }),
      })
    await capture('TASK-A', 'feedback')
    await capture('TASK-B', 'feedback')
    await capture('TASK-C', 'approved')
    expect((await init('--with', 'task')).code).toBe(0)
    expect(JSON.parse(read('.turngraph/task.json'))).toEqual({ feature_id: 'FEAT-1', task_id: 'TASK-B' })
  })

  test('a file keeps its mode and owner when it is changed and when the change is undone, with any umask', async () => {
    const isRoot = process.getuid?.() === 0
    const files = ['AGENTS.md', '.mcp.json', '.claude/settings.local.json']
    for (const file of files) {
      write(file, file.endsWith('.md') ? '# Rules\n' : '{}')
      if (isRoot) chownSync(inShop(file), 65_534, 65_533)
      chmodSync(inShop(file), 0o664)
    }
    write('.turngraph/task.json', '{"feature_id": "FEAT-1", "task_id": "TASK-1"}')
    chmodSync(inShop('.turngraph/task.json'), 0o664)
    const rights = () => files.map((file) => rightsOf(file))
    const before = rights()
    expect(before[0]).toMatch(isRoot ? /^664 65534 65533$/ : /^664 /)
    const run = (...args: string[]) =>
      commandsOn(home).run(args, {
        cwd: shop,
        environment: environment(),
        wrapper: ['sh', '-c', 'umask 027; exec "$@"', 'sh'],
      })
    const contents = files.map(read)
    expect((await run('init', '--with', 'hooks,mcp,agents', '--json')).code).toBe(0)
    expect(files.map(read).filter((text, i) => text === contents[i])).toEqual([])
    expect(rights()).toEqual(before)
    expect((await run('task', 'set', 'FEAT-1/TASK-2')).code).toBe(0)
    expect(rightsOf('.turngraph/task.json')).toMatch(/^664 /)
    expect((await run('init', '--undo')).code).toBe(0)
    expect(files.map(read)).toEqual(contents)
    expect(rights()).toEqual(before)
  })

  test('the undo keeps the edits of a person, and reports them', async () => {
    write('CLAUDE.md', '# Rules\n')
    await init('--with', ALL)
    const settings = JSON.parse(read('.claude/settings.local.json'))
    write('.claude/settings.local.json', JSON.stringify({ ...settings, model: 'opus' }))
    write('CLAUDE.md', `${read('CLAUDE.md')}\nA line of a person.\n`)
    write('.mcp.json', read('.mcp.json').replace('"mcp"', '"mcp",\n"--role",\n"coach"'))
    write('.turngraph/task.json', '{"feature_id": "FEAT-9", "task_id": "TASK-9"}')
    write('.codex/hooks.json', '{"hooks": ')
    const { code, stdout } = await init('--undo')
    expect(code).toBe(0)
    expect(JSON.parse(read('.claude/settings.local.json'))).toEqual({ model: 'opus' })
    expect(stdout).toContain('Removed the part of Turngraph from CLAUDE.md, which was edited since.')
    expect(read('CLAUDE.md')).toBe('# Rules\n\nA line of a person.\n')
    expect(stdout).toContain('Kept .mcp.json: it has another part of Turngraph than init added.')
    expect(read('.mcp.json')).toContain('"coach"')
    expect(stdout).toContain('Kept .turngraph/task.json')
    expect(read('.turngraph/task.json')).toContain('FEAT-9')
    expect(stdout).toContain('Kept .codex/hooks.json: it is not JSON.')
  })

  test('the undo of an edited file keeps its comments, line ends, last line and permissions', async () => {
    const settings = '// mine\n{\n\t"model": "opus", // the big one\n\t"env": {},\n}'
    write('.claude/settings.local.json', settings)
    write('AGENTS.md', '# Rules\r\n\r\nBe brief.')
    write('.codex/config.toml', 'model = "o"')
    chmodSync(inShop('.claude/settings.local.json'), 0o640)
    chmodSync(inShop('AGENTS.md'), 0o664)
    const modes = () => Object.entries(digests()).map(([name, entry]) => [name, entry.split(' ')[0]])
    const before = modes()
    expect((await init('--with', 'hooks,mcp,agents')).code).toBe(0)
    write('.claude/settings.local.json', read('.claude/settings.local.json').replace('opus', 'sonnet'))
    write('AGENTS.md', `Read this.\r\n${read('AGENTS.md')}More.`)
    write('.codex/config.toml', `# mine\n${read('.codex/config.toml')}`)
    expect((await init('--undo')).code).toBe(0)
    expect(read('.claude/settings.local.json')).toBe(settings.replace('opus', 'sonnet'))
    expect(read('AGENTS.md')).toBe('Read this.\r\n# Rules\r\n\r\nBe brief.\r\nMore.')
    expect(read('.codex/config.toml')).toBe('# mine\nmodel = "o"\n')
    expect(modes()).toEqual(before)
  })

  test('the undo deletes the task file after a session was bound to it', async () => {
    await init('--with', 'task')
    write('.turngraph/task.json', '{"feature_id":"FEAT-1","task_id":"TASK-2","session_id":"s"}')
    expect((await init('--undo')).stdout).toContain('Deleted .turngraph/task.json')
    expect(existsSync(inShop('.turngraph'))).toBe(false)
  })

  test.each<[string, string, () => void]>([
    ['is read-only', 'AGENTS.md', () => chmodSync(inShop('AGENTS.md'), 0o444)],
    ['is not JSON', '.mcp.json', () => write('.mcp.json', '{')],
    ['is not text in UTF-8', 'AGENTS.md', () => writeFileSync(inShop('AGENTS.md'), Buffer.from([0xff]))],
    ['is not a regular file', '.mcp.json', () => mkdirSync(inShop('.mcp.json'))],
    ['is not a regular file', '.mcp.json', () => void execFileSync('mkfifo', [inShop('.mcp.json')])],
    [
      'leads out of',
      '.mcp.json',
      () => {
        writeFileSync(path.join(home, 'other.json'), '{}')
        symlinkSync('../other.json', inShop('.mcp.json'))
      },
    ],
    ['leads out of', '.claude/settings.local.json', () => symlinkSync('..', inShop('.claude'))],
    ['is a link without a target', '.mcp.json', () => symlinkSync('../none.json', inShop('.mcp.json'))],
  ])('changes no file if one %s: %s', async (why, file, prepare) => {
    write('AGENTS.md', '# Rules\n')
    prepare()
    const before = digests()
    const { code, stderr } = await init('--with', ALL)
    expect(code).toBe(2)
    const errors = stderr.split('\n').filter((line) => line.startsWith('error: '))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(`${file} ${why}`)
    expect(digests()).toEqual(before)
  })

  test('the undo of a file that became read-only is an error, and works afterwards', async () => {
    write('AGENTS.md', '# Rules\n')
    const before = digests()
    await init('--with', 'mcp,agents')
    chmodSync(inShop('AGENTS.md'), 0o444)
    const { code, stderr } = await init('--undo')
    expect([code, stderr.match(/^error: /gm)?.length]).toEqual([2, 1])
    chmodSync(inShop('AGENTS.md'), 0o644)
    expect((await init('--undo')).code).toBe(0)
    expect(digests()).toEqual(before)
  })

  test('a record that comes with a repository cannot name other files', async () => {
    write('victim.txt', '{}')
    const change = { created: true, madeFolder: false, part: '', after: '', before: 'bad' }
    const changes = [{ ...change, file: '../shop/victim.txt' }]
    write('.turngraph/init.json', JSON.stringify({ madeFolder: false, changes }))
    const { code, stderr } = await init('--undo')
    expect([code, read('victim.txt')]).toEqual([2, '{}'])
    expect(stderr).toContain('does not list the changes of an init')
  })

  test.each<[string, string, () => void]>([
    [
      'is not a regular file',
      'init.json',
      () => mkdirSync(inShop('.turngraph/init.json'), { recursive: true }),
    ],
    ['is not a folder', '.turngraph', () => write('.turngraph', '')],
    ['leads out of', 'init.json', () => symlinkSync('../other', inShop('.turngraph'))],
  ])('a record of a foreign repository that %s changes nothing: %s', async (why, file, prepare) => {
    const other = path.join(home, 'other')
    mkdirSync(other)
    prepare()
    const before = digests()
    for (const args of [['--with', 'agents'], ['--undo']]) {
      const { code, stderr } = await init(...args)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} ${why}`)])
    }
    expect([digests(), readdirSync(other)]).toEqual([before, []])
  })

  test('sets up a folder that is given by a link', async () => {
    const before = digests()
    const link = path.join(home, 'link')
    symlinkSync('shop', link)
    const { code, stderr } = await init(link, '--with', 'hooks,mcp,agents')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Made .claude/settings.local.json.')])
    expect((await init('--undo')).code).toBe(0)
    expect(digests()).toEqual(before)
  })

  test('an unknown offer and a missing task are errors', async () => {
    expect((await init('--with', 'hooks,all')).stderr).toContain('hooks,mcp,agents,task')
    write('tasks/backlog/TASK-2.md', '# Nothing\n')
    const { code, stderr } = await init('--with', 'agents,task')
    expect([code, existsSync(inShop('AGENTS.md'))]).toEqual([2, false])
    expect(stderr).toContain('turngraph task set FEATURE/TASK')
  })
})

/** The program `script` runs a command in a pseudo terminal. */
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')

describe.skipIf(!hasTerminal)('turngraph init at a terminal', () => {
  /** Answers each prompt as soon as it is printed. */
  async function answer(
    answers: readonly (readonly [prompt: string, keys: string])[],
    { options = '--no-serve', port = '0', earlier = '' } = {},
  ): Promise<Ran> {
    // The shell reads one line of the input that is typed before the command starts. The rest stays in the terminal.
    const wait = earlier === '' ? '' : 'read begin; '
    const inTerminal = `exec /usr/bin/script -qefc "${wait}exec '$0' '$1' init ${options}" /dev/null`
    const child = commandsOn(home).start([], {
      cwd: shop,
      environment: { ...environment(), TURNGRAPH_PORT: port },
      wrapper: ['/bin/sh', '-c', inTerminal],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    if (earlier !== '') child.stdin?.write(`begin\n${earlier}`)
    let printed = ''
    let [next, ...left] = answers
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (next === undefined || !printed.includes(next[0])) return
      child.stdin?.write(next[1])
      ;[next, ...left] = left
    })
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout: printed, stderr: '' }
  }

  test('each key sets up one offer, and Enter leaves the others', async () => {
    const before = digests()
    const { code, stdout } = await answer([
      ['[Y/n]', 'n\r'],
      ['Enter continues', 'xa'],
      ['Made AGENTS.md', 't'],
      ['Made .turngraph/task.json', '\r'],
    ])
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('the task of the next session here: FEAT-1/TASK-2')
    expect(existsSync(inShop('.mcp.json'))).toBe(false)
    await init('--undo')
    expect(digests()).toEqual(before)
  })

  test('a second init reports that nothing has changed, and continues without the question', async () => {
    const first = await answer([
      ['[Y/n]', 'y\r'],
      ['Enter continues', '\r'],
    ])
    expect(first.stdout).not.toContain('is imported already')
    const second = await answer([['Enter continues', '\r']])
    expect(second.stdout).toContain('All of it is imported already, and nothing has changed since.')
    expect(second.stdout).not.toContain('Import it?')
    expect(second.stdout).toContain('each with one key')
  })

  test('Ctrl+C at the question ends the command without an error', async () => {
    const before = digests()
    const { stdout } = await answer([['[Y/n]', '\u0003']])
    expect(stdout).toContain('Import it?')
    expect(stdout).not.toContain('error')
    expect(digests()).toEqual(before)
  })

  test('the page gets a free port if another process has its own', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const { stdout } = await answer(
      [
        ['[Y/n]', 'y\r'],
        ['Enter continues', '\r'],
        ['/#code', '\u0003'],
      ],
      { options: '', port: String(port) },
    )
    expect(stdout).toContain(
      `Port ${port} on 127.0.0.1 is taken by another process. The page gets a free one.`,
    )
    expect(stdout).toContain('Open http://127.0.0.1:')
  })

  test('keys that were typed before the questions do not answer them', async () => {
    const { stdout } = await answer(
      [
        ['[Y/n]', 'y\r'],
        ['Enter continues', '\r'],
      ],
      { earlier: 'n\nm' },
    )
    expect(stdout).toContain('The criteria of 1 task are declared.')
    expect(existsSync(inShop('.mcp.json'))).toBe(false)
  })

  test('keys that were typed before the offers set up nothing', async () => {
    rmSync(inShop('tasks'), { recursive: true })
    const { stdout } = await answer([['Enter continues', 'a\r']], { earlier: 'm\n' })
    expect(stdout).toContain('Made AGENTS.md')
    expect(existsSync(inShop('.mcp.json'))).toBe(false)
  })

  test('offers that are set up already are marked and have no key', async () => {
    await init('--with', 'mcp,agents')
    const { stdout } = await answer([
      ['[Y/n]', 'n\r'],
      ['Enter continues', 'm\r'],
    ])
    expect(stdout).toMatch(/^ {2}h {2}hooks: /m)
    expect(stdout).toContain(
      '  -  done: the MCP server: agents ask the memory with tools (.mcp.json, .codex/config.toml)',
    )
    expect(stdout).toContain('  -  done: ten lines that tell an agent')
    expect(stdout).not.toContain('Already in')
    // The hooks must be of the installation that is asked.
    await commandsOn(home).spawn(['init', '--with', ALL], { cwd: shop, environment: environment() })
    const done = await answer([['[Y/n]', 'n\r']])
    expect(done.stdout).toContain('  -  done: the task of this folder (.turngraph/task.json)')
    expect(done.stdout).toContain('All of it is done.')
    expect(done.code).toBe(0)
  })

  test('an empty folder gets its graph and the page, with the command that imports', async () => {
    rmSync(inShop('tasks'), { recursive: true })
    const { stdout } = await answer(
      [
        ['Enter continues', '\r'],
        ['/#code', '\u0003'],
      ],
      { options: '' },
    )
    expect(stdout).toContain('There is nothing to import in')
    expect(stdout).toContain('Next, in another terminal: turngraph import autobuild PATH')
    expect(stdout).toContain('Open http://127.0.0.1:')
    expect(stdout).not.toContain('There is no graph in')
  })

  test('after an import, the page is announced with the next command for the newest open session', async () => {
    const record = { feature_id: 'FEAT-1', task_id: 'TASK-2', turn_number: 1, player_summary: 'Built it' }
    const captured = await commandsOn(home).run(['capture'], { input: JSON.stringify(record) })
    expect(captured.code, captured.stderr).toBe(0)
    const { stdout } = await answer(
      [
        ['[Y/n]', 'y\r'],
        ['Enter continues', '\r'],
        ['/#code', '\u0003'],
      ],
      { options: '' },
    )
    expect(stdout).toContain('Next, in another terminal: turngraph next --world TASK-2')
    expect(stdout).not.toContain('turngraph import autobuild PATH')
  })

  test('the next command names a project that is not the one of the settings, also if there is no other', async () => {
    const record = { feature_id: 'FEAT-1', task_id: 'TASK-2', turn_number: 1, player_summary: 'Built it' }
    const captured = await commandsOn(home).run(['capture', '--project', 'other'], {
      input: JSON.stringify(record),
    })
    expect(captured.code, captured.stderr).toBe(0)
    const { stdout } = await answer(
      [
        ['[Y/n]', 'y\r'],
        ['Enter continues', '\r'],
        ['/#code', '\u0003'],
      ],
      { options: '--project other' },
    )
    expect(stdout).toContain('Next, in another terminal: turngraph next --world TASK-2 --project other')
  })

  test('Ctrl+C ends the offers and changes nothing', async () => {
    const before = digests()
    const { stdout } = await answer([
      ['[Y/n]', 'n\r'],
      ['Enter continues', '\u0003'],
    ])
    expect(stdout).toContain('each with one key')
    expect(digests()).toEqual(before)
  })
})
