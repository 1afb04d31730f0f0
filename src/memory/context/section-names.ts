/** Names of the sections of a continuation context. */
export const SECTION_NAMES = [
  'turn',
  'criteria',
  'issues',
  'tried_before',
  'promises',
  'progress',
  'stall',
  'earlier_session',
  'known',
  'left_out',
] as const

export type SectionName = (typeof SECTION_NAMES)[number]
