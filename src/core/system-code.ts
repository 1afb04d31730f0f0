// Reads the codes of system errors.

/** Returns the code of a system error, such as `ENOENT`; null if the thrown value has no code. */
export const systemCode = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : null

/** Checks whether an error means that the file or folder does not exist any more. */
export const isGone = (thrown: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '')
