// Meanings of the words that the views show for policies, states, verdicts and modes.
import type { Meanings } from '../../components/word-list.tsx'
import type { Answered, Turn } from '../../service/operations.ts'
import { POLICY_MEANINGS } from './as-of.tsx'

type Verdict = Answered<'loadStall'>['verdict']

const VERDICTS: Readonly<Record<Verdict, string>> = {
  progressing:
    'One of the newest two turns verified a criterion, removed a cause that blocked, or had fewer failed tests.',
  no_growth: 'The newest turns gained nothing, but they are too few to call it a stall.',
  plateau: 'The newest four turns gained nothing.',
  oscillating: 'The same feedback, or the same verdicts, return again and again.',
  stalled: 'The newest turns have the same feedback and gained nothing.',
  blocked: 'One gate failed in each of the newest five turns.',
  finished: 'The newest turn is approved, or the task has a newer session.',
  insufficient_data: 'Fewer than two turns have feedback.',
}

const MODES: Readonly<Record<Turn['mode'], string>> = {
  fresh_start: 'The first turn, or a turn that begins without the work of the earlier turns.',
  recovering_state: 'The turn continues after an interrupted or failed attempt.',
  continuing_work: 'The turn continues the work of the turn before.',
}

const withSpaces = (meanings: Meanings): Meanings =>
  Object.fromEntries(Object.entries(meanings).map(([word, meaning]) => [word.replaceAll('_', ' '), meaning]))

export const VERDICT_MEANINGS = withSpaces(VERDICTS)

const CONTESTED = 'Verified in a turn, and rejected by a judge in a later one.'

export const TURN_MEANINGS: Meanings = { ...withSpaces(MODES), contested: CONTESTED }

export const SESSION_MEANINGS: Meanings = {
  ...POLICY_MEANINGS,
  contested: CONTESTED,
  stale: 'A file of the proof changed after the verification.',
  regressed: 'A verified criterion was rejected with evidence later.',
  ...VERDICT_MEANINGS,
}
