/** Replaces a file as a whole or not at all. Imports only built-in modules, because hooks load this file. */
import { chmodSync, chownSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { systemCode } from '../core/system-code.ts'

/**
 * Writes a file atomically. A present file keeps its owner and group if this process may set them, and its permissions. Another
 * group gets only the permissions that all users have.
 */
export function replaceFile(file: string, text: string, mode: number): void {
  const present = statSync(file, { throwIfNoEntry: false })
  const draft = `${file}.${process.pid}.${crypto.randomUUID()}`
  try {
    // Other users must not read the draft before it has its owner.
    writeFileSync(draft, text, { mode: present === undefined ? mode : 0o600, flag: 'wx' })
    if (present !== undefined) {
      setOwner(draft, present)
      // The umask changes the mode of a created file, and chown clears some bits. So chmod is the last step.
      chmodSync(draft, permissionsFor(present, statSync(draft)))
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Without the bits that run a file as its owner, because the owner may be another one now. */
function permissionsFor(present: Stats, draft: Stats): number {
  const permissions = present.mode & 0o777
  return draft.gid === present.gid ? permissions : (permissions & 0o707) | ((permissions & 0o007) << 3)
}

/** Error codes if this process may not set the owner, or if its user namespace or the file system does not support it. */
const NOT_ALLOWED: ReadonlySet<string | null> = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'ENOSYS'])

/** Sets the owner and group of a file, as far as this process may: both, only the group, or neither. */
function setOwner(file: string, { uid, gid }: Stats): void {
  const own = statSync(file)
  for (const owner of new Set([uid, own.uid])) {
    if (owner === own.uid && gid === own.gid) return
    try {
      chownSync(file, owner, gid)
      return
    } catch (error) {
      if (!NOT_ALLOWED.has(systemCode(error))) throw error
    }
  }
}
