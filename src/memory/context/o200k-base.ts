// Holds the tokenizer of o200k_base. The build bundles only this encoding of gpt-tokenizer into this module.
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'

// gpt-tokenizer contains all encodings twice, 30 MB; a single encoding takes 2 MB (docs/decisions/dependencies.md).

/** Number of words with cached tokens. A word may be as long as a slice, so the default of 100,000 is too much. */
setMergeCacheSize(1_000)

/** Options that treat the spellings of special tokens as ordinary text. */
const PLAIN = { disallowedSpecial: new Set<string>() }

/** Matches the pieces of a text. No token reaches from one piece into the next. */
export const split: RegExp = O200K_TOKEN_SPLIT_REGEX
export const countPlain = (text: string): number => countTokens(text, PLAIN)
