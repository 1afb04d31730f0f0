import { expect, test } from 'vitest'
import { compareNaturally, normalizeLabel, splitLabel } from './labels.ts'

test.each([
  ['AC-1', 'AC-001'],
  ['AC-01', 'AC-001'],
  ['AC-0001', 'AC-001'],
  ['AC-1234', 'AC-1234'],
  ['AC-000', 'AC-000'],
  [' AC-7 ', 'AC-007'],
  ['ＡＣ-７', 'AC-007'],
  ['ac-7', 'AC-007'],
  ['ac-load-01', 'AC-LOAD-01'],
  ['AC-LOAD-01', 'AC-LOAD-01'],
  ['criterion_1', 'criterion_1'],
  ['AC1', 'AC-001'],
  ['AC 1', 'AC-001'],
  ['AC#01', 'AC-001'],
  ['action-1', 'action-001'],
  ['', ''],
])('the label %j is %j', (given, label) => {
  expect(normalizeLabel(given)).toBe(label)
  expect(normalizeLabel(label)).toBe(label)
})

test('labels are in natural order, and the order is total', () => {
  const ordered = ['', '7', '10', 'AC-2', 'AC-10', 'AC-10a', 'AC-LOAD-01', 'a', 'b2', 'b10', 'ä']
  expect(ordered.toReversed().sort(compareNaturally)).toEqual(ordered)
  for (const a of ordered)
    for (const b of ordered)
      expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0)
  expect(compareNaturally('AC-01', 'AC-1')).not.toBe(0)
})

test.each([
  ['AC-SEED-01** — It seeds', 'AC-SEED-01', 'It seeds'],
  ['AC-SEED-01** It seeds', 'AC-SEED-01', 'It seeds'],
  ['**AC-SEED-02** — It seeds', 'AC-SEED-02', 'It seeds'],
  ['**AC-SEED-03** - It seeds', 'AC-SEED-03', 'It seeds'],
  ['AC-3: It seeds', 'AC-3', 'It seeds'],
  ['AC-3:It seeds', 'AC-3', 'It seeds'],
  ['AC-3：It seeds', 'AC-3', 'It seeds'],
  ['AC-3—It seeds', 'AC-3', 'It seeds'],
  ['AC-3\t–\tIt seeds', 'AC-3', 'It seeds'],
  ['AC3 - It seeds', 'AC3', 'It seeds'],
  ['ac-3) It seeds', 'ac-3', 'It seeds'],
  ['AC-1.2: It seeds', 'AC-1.2', 'It seeds'],
  ['AC-3a: It seeds', 'AC-3a', 'It seeds'],
  ['AC-LOAD-TIME-01: It seeds', 'AC-LOAD-TIME-01', 'It seeds'],
  ['criterion_1: It seeds', 'criterion_1', 'It seeds'],
  ['REQ-12 — It seeds', 'REQ-12', 'It seeds'],
  ['**AC-003** It seeds', 'AC-003', 'It seeds'],
  ['**AC-4**: It seeds', 'AC-4', 'It seeds'],
  ['**AC-5:** It seeds', 'AC-5', 'It seeds'],
  ['**AC-5:**It seeds', 'AC-5', 'It seeds'],
  ['**AC-5.** It seeds', 'AC-5', 'It seeds'],
  ['__AC-6__ — It seeds', 'AC-6', 'It seeds'],
  ['*AC-6*: It seeds', 'AC-6', 'It seeds'],
  ['`AC-1` It seeds', 'AC-1', 'It seeds'],
  ['**`AC-1`** It seeds', 'AC-1', 'It seeds'],
  ['***AC-1*** – It seeds', 'AC-1', 'It seeds'],
  ['**[AC-1]** It seeds', 'AC-1', 'It seeds'],
  ['[AC-1] It seeds', 'AC-1', 'It seeds'],
  ['(AC-1) It seeds', 'AC-1', 'It seeds'],
  ['- [ ] **AC-1**: **It** seeds', 'AC-1', '**It** seeds'],
  ['* [x] AC-1: It seeds', 'AC-1', 'It seeds'],
  ['**AC-6: It** seeds', 'AC-6', '**It** seeds'],
  ['- **AC-6 (must):** It seeds', 'AC-6', '**(must):** It seeds'],
  ['**AC-6 [P1]**: It seeds', 'AC-6', '**[P1]**: It seeds'],
  ['**AC-6 — It seeds**', 'AC-6', '**It seeds**'],
  ['**SEED-01** — It seeds', 'SEED-01', 'It seeds'],
  ['**SEED-01:** It seeds', 'SEED-01', 'It seeds'],
  ['✅ AC-1: It seeds', 'AC-1', 'It seeds'],
  ['- ✔️ **AC-1**: It seeds', 'AC-1', 'It seeds'],
  ['❌AC-1: It seeds', 'AC-1', 'It seeds'],
  ['### AC-1: It seeds', 'AC-1', 'It seeds'],
  ['## ☐ AC-1 — It seeds', 'AC-1', 'It seeds'],
  ['AC-1', 'AC-1', ''],
])('the label of the text %j is %j', (given, label, text) => {
  expect(splitLabel(given)).toEqual({ label, text })
})

test.each([
  'AC-1 holds before AC-2 starts',
  'AC-1, AC-2: both hold',
  'AC-1 - AC-3: all hold',
  'AC-3.5 s at most',
  'AC is off',
  'UTF-8: is read',
  '**UTF-8** is read',
  'ACME-1: no label',
  '[AC-1](https://example.org) is linked',
  'AC-1-fallback: is used',
  'us-east-1: is encrypted',
  'us-gov-west-1 - is encrypted',
  '`us-east-1` is encrypted',
  '[us-east-1] is encrypted',
  'fr-ca-1: is encrypted',
  '',
])('the text %j begins with no label', (given) => {
  expect(splitLabel(given)).toEqual({ label: null, text: given })
})
