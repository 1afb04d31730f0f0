import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from './service-process.ts'

/** A disk of a few megabytes that can be filled completely. */
export type SmallDisk = { folder: string; fill(): void; makeRoom(): void; remove(): Promise<void> }

const MOUNT = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=$1 turngraph "$0" && echo mounted && exec cat']

/** Returns true if this machine allows mounting one in a separate namespace, which does not need root. */
export const canMount = (): boolean =>
  spawnSync('unshare', [...MOUNT, '/mnt', '1m'], { input: '' }).status === 0

/**
 * Mounts a disk in a process that ends with its standard input, and so with this process. Other processes
 * reach the disk through that process's root.
 */
export async function mountSmallDisk(size = '6m'): Promise<SmallDisk> {
  const { folder: below, remove } = temporaryFolder()
  const child = spawn('unshare', [...MOUNT, below, size], { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  const folder = `/proc/${child.pid}/root${below}`
  const ballast = path.join(folder, 'ballast')
  return {
    folder,
    fill: () => {
      for (const bytes of [1024 * 1024, 4096]) appendUntilFull(ballast, Buffer.alloc(bytes))
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    remove: async () => {
      child.stdin.end()
      await gone
      remove()
    },
  }
}

function appendUntilFull(file: string, bytes: Buffer): void {
  try {
    for (;;) appendFileSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
