// Labels, made by hand from the raw Coach reports: why a session was not approved after its first `turns` turns. Written before the
// sentences of the program were read. Shares no code with src.

export type LabeledEnd = {
  repository: string
  task: string
  /** Number of turns kept. A session that was approved later is cut before its approval. */
  turns: number
  cause:
    | { kind: 'no signal of independent tests' }
    | { kind: 'criteria'; rejected: readonly string[] }
    | { kind: 'gate'; name: RegExp }
    | { kind: 'issue'; words: RegExp }
}

const noSignal: LabeledEnd['cause'] = { kind: 'no signal of independent tests' }
const scenario: LabeledEnd['cause'] = { kind: 'issue', words: /\bBDD\b/ }
const rejected = (...numbers: number[]): LabeledEnd['cause'] => ({
  kind: 'criteria',
  rejected: numbers.map((number) => `AC-${String(number).padStart(3, '0')}`),
})

const labels: readonly [repository: string, task: string, turns: number, cause: LabeledEnd['cause']][] = [
  // Never approved.
  ['guardkit-harv', 'TASK-HARV-002', 5, noSignal],
  ['guardkit-harv', 'TASK-HARV-004', 5, noSignal],
  // The collection of evidence was aborted at the honesty check, before any test ran.
  ['fleet-memory', 'TASK-RIP-007', 3, { kind: 'issue', words: /honesty/i }],
  // Cut before the end or before the approval.
  ['guardkit-harv', 'TASK-HARV-002', 1, noSignal],
  ['guardkit-harv', 'TASK-HARV-002', 3, noSignal],
  ['guardkit-harv', 'TASK-HARV-004', 1, noSignal],
  ['guardkit-harv', 'TASK-HARV-004', 3, noSignal],
  ['fleet-memory', 'TASK-RIP-007', 2, scenario],
  ['forge', 'TASK-GCI-003', 1, rejected(13)],
  ['forge', 'TASK-GCI-003', 2, scenario],
  ['forge', 'TASK-GCI-004', 1, rejected(10)],
  ['forge', 'TASK-GCI-004', 2, scenario],
  ['forge', 'TASK-GCI-005', 2, scenario],
  ['forge', 'TASK-GCI-006', 1, rejected(11)],
  ['forge', 'TASK-GCI-006', 2, scenario],
  ['forge', 'TASK-GCI-007', 3, scenario],
  ['forge', 'TASK-GCI-010', 1, rejected(8)],
  ['forge', 'TASK-IC-001', 1, rejected(8)],
  ['forge', 'TASK-IC-012', 2, scenario],
  ['forge', 'TASK-NFI-006', 1, rejected(8)],
  ['youtube-transcript-mcp', 'TASK-CLI-002', 1, { kind: 'gate', name: /coverage/i }],
  ['youtube-transcript-mcp', 'TASK-INT-001', 1, rejected(3)],
  ['youtube-transcript-mcp', 'TASK-INT-002', 1, rejected(13)],
  ['youtube-transcript-mcp', 'TASK-INT-005', 2, rejected(1, 2, 4, 7)],
  ['youtube-transcript-mcp', 'TASK-SKEL-004', 1, rejected(6)],
  ['youtube-transcript-mcp', 'TASK-SKEL-004', 5, rejected(1, 2, 3, 4, 5, 6)],
  ['youtube-transcript-mcp', 'TASK-TRS-005', 2, rejected(3, 4, 5)],
  ['youtube-transcript-mcp', 'TASK-VID-005', 2, rejected(1, 2, 3, 4, 5)],
]

export const labeledEnds: readonly LabeledEnd[] = labels.map(([repository, task, turns, cause]) => ({
  repository,
  task,
  turns,
  cause,
}))
