import { describe } from 'vitest'
import { proofSuite } from './proof-suite.ts'

describe('proof on the embedded graph', () => proofSuite((folder) => `embedded:${folder}`))
