/** Folders and services of one test, which are removed when it ends. */
import { onTestFinished } from 'vitest'
import {
  type ServiceOptions,
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
  untilReady,
} from './service-process.ts'

/** Time limit of a test that starts processes: the machine may be busy. */
export const PROCESS_TEST_MS = 120_000

export function newFolder(): string {
  const { folder, remove } = temporaryFolder()
  onTestFinished(remove)
  return folder
}

export async function startReadyService(options: ServiceOptions): Promise<ServiceProcess> {
  const service = await startServiceProcess(options)
  onTestFinished(() => service.kill())
  await untilReady(service)
  return service
}
