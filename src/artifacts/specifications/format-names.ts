/** The names of the formats of specifications, in the order in which a file is compared with them. */
export const FORMAT_NAMES = ['json', 'kiro', 'markdown'] as const

export type FormatName = (typeof FORMAT_NAMES)[number]
