/** Names the rules and detectors of a replay. The command line loads it at its start. */

/** `should_stop` is the advice of stall analysis. The others are its verdicts. */
export const DETECTORS = ['should_stop', 'stalled', 'blocked', 'oscillating', 'plateau', 'no_growth'] as const
export type Detector = (typeof DETECTORS)[number]

export const REPLAY_RULES = ['after_all_proven', 'judged_again', 'stop'] as const

/** Meaning of each rule, for people. */
export const RULE_MEANINGS: Readonly<Record<(typeof REPLAY_RULES)[number], string>> = {
  after_all_proven: 'an earlier turn had verified the last criterion that counts',
  judged_again: 'its judge gave a verdict on criteria that were verified before',
  stop: 'the detector would have ended the session after it',
}
