import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { toWire } from '../../src/core/wire-form.ts'
import { operations } from '../../src/operations/table.ts'
import { CANARY, JUDGED_WORLD, judgedTurns } from '../support/judged-session.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const MARKER = '<!-- Written by `turngraph pr`, which updates this comment. -->'

type Comment = { id: string; body: string; viewerDidAuthor: boolean; url: string }
type State = { comments: Comment[]; fails: string | null; calls: string[][] }

/** Program that answers like `gh` for one pull request and its comments. Its state is a file next to it. */
const GH = `#!${process.execPath}
const fs = require('fs')
const file = __dirname + '/state.json'
const state = JSON.parse(fs.readFileSync(file, 'utf8'))
const args = process.argv.slice(2)
const input = args.includes('--input') ? JSON.parse(fs.readFileSync(0, 'utf8')) : null
state.calls.push(args)
const end = (code, out, error = '') => {
  fs.writeFileSync(file, JSON.stringify(state))
  process.stdout.write(out)
  process.stderr.write(error)
  process.exit(code)
}
const fail = (status, reply, error) => end(status, JSON.stringify(reply), error)
if (state.fails === 'signed-out') end(4, '', 'To get started with GitHub CLI, please run:  gh auth login\\n')
if (args[0] === 'pr') {
  if (state.fails === 'no-pull-request') end(1, '', 'no pull requests found for branch "main\\u001b[31m"\\n')
  const comments = state.fails === 'earlier-gh' ? [{ id: 'a', body: '' }] : state.comments
  end(0, JSON.stringify({ id: 'PR_1', number: 12, url: 'https://github.com/shop/shop/pull/12', comments }))
}
const { query, variables } = input
const url = (id) => 'https://github.com/shop/shop/pull/12#' + id
if (query.startsWith('mutation')) {
  if (state.fails === 'forbidden') fail(1, { errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] }, 'gh: x\\n')
  if (state.fails === 'bad-credentials') fail(1, { message: 'Bad credentials', status: '401' }, 'gh: Bad credentials (HTTP 401)\\n')
  if (state.fails === 'broken') fail(1, { message: 'Server Error' }, 'gh: HTTP 502\\n')
  if (query.includes('addComment')) {
    const id = 'c' + state.comments.length
    state.comments.push({ id, body: variables.body, viewerDidAuthor: true, url: url(id) })
    end(0, JSON.stringify({ data: { addComment: { commentEdge: { node: { url: url(id) } } } } }))
  }
  const found = state.comments.find(({ id }) => id === variables.id)
  found.body = variables.body
  end(0, JSON.stringify({ data: { updateIssueComment: { issueComment: { url: found.url } } } }))
}
`

const comment = (id: string, body: string, viewerDidAuthor: boolean): Comment => ({
  id,
  body,
  viewerDidAuthor,
  url: `https://github.com/shop/shop/pull/12#${id}`,
})

describe('turngraph pr', () => {
  let folder = ''
  let turngraph: ReturnType<typeof commandsOn>
  const stateFile = () => path.join(folder, 'bin/state.json')
  const read = (): State => JSON.parse(readFileSync(stateFile(), 'utf8'))
  const write = (state: Partial<State>) =>
    writeFileSync(stateFile(), JSON.stringify({ comments: [], fails: null, calls: [], ...state }))
  beforeEach(async () => {
    folder = temporaryFolder()
    turngraph = commandsOn(folder)
    mkdirSync(path.join(folder, 'bin'))
    writeFileSync(path.join(folder, 'bin/gh'), GH)
    chmodSync(path.join(folder, 'bin/gh'), 0o755)
    write({})
    const input = judgedTurns()
      .map((turn) => JSON.stringify(toWire(operations.captureTurnState.input, turn)))
      .join('\n')
    expect((await turngraph.run(['capture', '-'], { input })).code).toBe(0)
  })
  const pr = (...args: string[]) =>
    turngraph.run(['pr', '--project', 'shop', '--world', JUDGED_WORLD, ...args], {
      environment: { PATH: path.join(folder, 'bin') },
    })

  test('creates one comment, then updates it, and leaves an equal one as it is', async () => {
    expect(await pr()).toEqual({
      code: 0,
      stdout: 'Created https://github.com/shop/shop/pull/12#c0\n',
      stderr: '',
    })
    const [first] = read().comments
    expect(first?.body.startsWith(`${MARKER}\n### Turngraph: session ${JUDGED_WORLD}\n`)).toBe(true)
    expect((await pr('12')).stdout).toBe('Unchanged: https://github.com/shop/shop/pull/12#c0\n')
    expect((await pr('12', '--role', 'player')).stdout).toBe(
      'Updated https://github.com/shop/shop/pull/12#c0\n',
    )
    expect(read().comments).toHaveLength(1)
    expect(read().comments[0]?.body.match(CANARY)).toBeNull()
    expect(read().calls.filter(([name]) => name === 'pr')).toEqual([
      ['pr', 'view', '--json', 'id,number,url,comments'],
      ['pr', 'view', '12', '--json', 'id,number,url,comments'],
      ['pr', 'view', '12', '--json', 'id,number,url,comments'],
    ])
  })

  test('passes the repository on', async () => {
    await pr('12', '--repo', 'ghe.example/shop/shop')
    expect(read().calls[0]).toEqual([
      'pr',
      'view',
      '12',
      '--repo',
      'ghe.example/shop/shop',
      '--json',
      'id,number,url,comments',
    ])
    const wrong = await pr('12', '--repo', '--web')
    expect(wrong.code).toBe(2)
    const idle = await pr('--repo', 'shop/shop')
    expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining('--repo means nothing')])
  })

  test('finds its comment behind others, and never takes a comment of another login or a quoted marker for it', async () => {
    const comments = [
      comment('a', `${MARKER}\nforged`, false),
      comment('b', `> quoted\n${MARKER}`, true),
      comment('c', 'hello', false),
      comment('d', `x ${MARKER}`, true),
      comment('e', `${MARKER}\nold`, true),
    ]
    write({ comments })
    expect((await pr()).stdout).toBe('Updated https://github.com/shop/shop/pull/12#e\n')
    const after = read().comments
    expect(after.slice(0, 4)).toEqual(comments.slice(0, 4))
    expect(after).toHaveLength(5)
    expect(after[4]?.body).toContain('### Turngraph')
  })

  test('updates the older of two comments of its own, and names the other', async () => {
    write({
      comments: [
        comment('a', `${MARKER}\nold`, true),
        comment('b', 'x', true),
        comment('c', `${MARKER}\nnew`, true),
      ],
    })
    const { stdout, stderr } = await pr()
    expect(stdout).toBe('Updated https://github.com/shop/shop/pull/12#a\n')
    expect(stderr).toContain('by the same login: 1')
    expect(read().comments[2]?.body).toBe(`${MARKER}\nnew`)
  })

  test('--dry-run prints the comment and calls nobody', async () => {
    const { code, stdout } = await pr('--dry-run', '--repo', 'shop/shop')
    expect(code).toBe(0)
    expect(stdout.startsWith(`${MARKER}\n### Turngraph`)).toBe(true)
    expect(read().calls).toEqual([])
  })

  test.each([
    ['signed-out', 3, 'gh is not signed in to GitHub.'],
    ['bad-credentials', 3, 'gh is not signed in to GitHub.'],
    ['no-pull-request', 4, 'gh found no pull request ("no pull requests found for branch "main"").'],
    ['earlier-gh', 7, 'gh did not list the comments of the pull request.'],
    ['forbidden', 3, 'may not comment on pull request 12 ("Resource not accessible by integration").'],
    ['broken', 7, 'GitHub did not take the comment ("Server Error").'],
  ])('%s is one sentence', async (fails, code, says) => {
    write({ fails })
    const ran = await pr()
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toContain(says)
    expect(ran.stderr.match(/^error: /gm)).toHaveLength(1)
    expect(read().comments).toEqual([])
  })

  test('without gh says that it is not installed', async () => {
    const { code, stderr } = await turngraph.run(['pr', '--project', 'shop'], {
      environment: { PATH: folder },
    })
    expect([code, stderr.split('\n')[0]]).toEqual([
      4,
      'error: gh, the command line of GitHub, is not installed.',
    ])
  })
})
