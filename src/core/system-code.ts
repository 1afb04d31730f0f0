// Reads the code of an error of the system.

/** Such as `ENOENT`; null where something else was thrown. */
export const systemCode = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : null

/** Whether what was asked for is no file or folder any more. */
export const isGone = (thrown: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '')
