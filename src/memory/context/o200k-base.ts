// Holds the split pattern and the merge ranks of o200k_base; the build copies both into this module.
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'

// gpt-tokenizer carries all encodings twice, 30 MB; this one takes 2 MB (docs/decisions/dependencies.md).

/** The spelling of each token, by its number: its text, or its bytes where they are not UTF-8. */
export const spellings: readonly (string | readonly number[])[] = ranks
export const split: RegExp = O200K_TOKEN_SPLIT_REGEX
