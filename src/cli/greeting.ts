/** What `turngraph serve` says once it listens. */
import { type Config, storeName } from '../platform/config.ts'

/** @param token the file of the token; null where none is asked for */
export const greeting = ({ store }: Pick<Config, 'store'>, url: string, token: string | null): string[] => [
  `Turngraph listens on ${url} and serves ${storeName(store)}.`,
  token === null
    ? 'It asks for no token.'
    : `Its token lies in ${token}; commands here use it by themselves.`,
]

/** For a person at a terminal. The view of the API is part of the page. */
export const nextSteps = ({ web }: Pick<Config, 'web'>, url: string): string[] => [
  '\nNext, in another terminal: turngraph import autobuild PATH, turngraph worlds',
  `API: ${url}${web ? '/docs' : '/openapi.json'}    End: Ctrl+C`,
]
