/** Describes the program and the machine that make an observation. */
import { hostname } from 'node:os'
import { VERSION } from '../platform/version.ts'

const MAX_HOST_CHARACTERS = 256

export const describeRunner = () => ({
  runner: `turngraph ${VERSION}`,
  host: hostname().slice(0, MAX_HOST_CHARACTERS),
})
