/** Names of the offers, in their order. Loads nothing, because `--help` shows them. */
export const OFFER_NAMES = ['hooks', 'mcp', 'agents', 'task'] as const

export type OfferName = (typeof OFFER_NAMES)[number]
