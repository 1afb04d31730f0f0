import { NEVER_MS } from './statement-params.ts'

/** What all reports over transcripts are asked with. */
export type ReportRequest = {
  project: string
  /** Epoch milliseconds; whole turns are filtered by their start. */
  sinceMs?: number | null | undefined
  /** 0: all. */
  limit?: number | undefined
}

/** Above every count: the statements know no "all". */
export const ALL = 2 ** 31

export const common = ({ sinceMs, limit }: ReportRequest) => ({
  fromMs: sinceMs ?? NEVER_MS,
  limit: limit || ALL,
})

export const instantAt = (ms: number | null): string | null =>
  ms === null || ms === NEVER_MS ? null : new Date(ms).toISOString()
