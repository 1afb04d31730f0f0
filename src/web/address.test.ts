import { describe, expect, test } from 'vitest'
import { type Address, readAddress, readCount, writeAddress } from './address.ts'

const ADDRESSES: [string, Address][] = [
  ['/', { view: 'projects' }],
  ['/p/guardkit', { view: 'sessions', project: 'guardkit' }],
  ['/p/guardkit/w/TASK-1.2', { view: 'session', project: 'guardkit', world: 'TASK-1.2' }],
  ['/p/guardkit/w/TASK-1/t/12', { view: 'turn', project: 'guardkit', world: 'TASK-1', turn: 12 }],
  ['/p/guardkit/runs', { view: 'runs', project: 'guardkit' }],
  ['/p/guardkit/runs/run-1', { view: 'run', project: 'guardkit', run: 'run-1' }],
  ['/p/guardkit/patterns', { view: 'patterns', project: 'guardkit' }],
  ['/p/guardkit/analyses', { view: 'analyses', project: 'guardkit', analysis: null }],
  ['/p/guardkit/analyses/stalled', { view: 'analyses', project: 'guardkit', analysis: 'stalled' }],
  ['/compare', { view: 'compare' }],
  ['/query', { view: 'query' }],
]

describe('an address of the page', () => {
  test.each(ADDRESSES)('%s is read as its view and written back', (path, address) => {
    expect(readAddress(path)).toEqual(address)
    if (address.view !== 'nowhere') expect(writeAddress(address)).toBe(path)
  })

  test('names with slashes, spaces, question marks and emoji survive writing and reading', () => {
    const address = { view: 'session', project: 'a/b ?#%', world: 'wörld 🌍/..' } as const
    expect(readAddress(writeAddress(address))).toEqual(address)
  })

  test.each([
    '/p',
    '/p/a/w',
    '/p/a/w/b/t',
    '/p/a/w/b/t/0',
    '/p/a/w/b/t/x',
    '/p/a/w/b/t/1/2',
    '/other',
    '/p/%zz',
  ])('%s shows nothing', (path) => {
    expect(readAddress(path)).toEqual({ view: 'nowhere' })
  })

  test('a number in an address is a positive integer; any other text is read as null', () => {
    expect(['1', '120', '999999999'].map(readCount)).toEqual([1, 120, 999_999_999])
    for (const text of [null, '', '0', '-5', 'abc', '1.5', '1e3', ' 7', '9999999999']) {
      expect(readCount(text), String(text)).toBeNull()
    }
  })

  test('filters without a value are left out of the address', () => {
    const sessions = { view: 'sessions', project: 'p' } as const
    expect(writeAddress(sessions, { search: 'a b', state: null, feature: '' })).toBe('/p/p?search=a+b')
  })
})
