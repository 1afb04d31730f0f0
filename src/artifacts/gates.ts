import type { CoachReport } from './artifacts.ts'
import { word } from './content.ts'
import type { GateStatus } from './wire-turn.ts'

export function gatesOf(coach: CoachReport | undefined): Record<string, GateStatus> {
  const results = coach?.validation_results
  const gates = new Map<string, GateStatus>()
  for (const [name, value] of Object.entries(results?.quality_gates ?? {})) gates.set(name, gateStatus(value))
  const tests = results?.independent_tests
  if (tests !== undefined && tests !== null) {
    gates.set('independent_tests', typeof tests === 'boolean' ? gateStatus(tests) : testRunStatus(tests))
  }
  if (!gates.has('tests_passed')) {
    const run = { tests_passed: coach?.tests_passed, ...results }
    if (run.tests_passed !== undefined) {
      gates.set('tests_passed', lacksSignal(coach) ? 'unknown' : testRunStatus(run))
    }
  }
  return Object.fromEntries(gates)
}

const gateStatus = (value: unknown): GateStatus =>
  typeof value === 'boolean' ? (value ? 'passed' : 'failed') : 'unknown'

/** A run that was skipped or brought no signal proves nothing, whatever its flag says. */
function testRunStatus(run: Record<string, unknown>): GateStatus {
  const skipped = word(run.test_command) === 'skipped' || run.skipped === true || run.tests_run === false
  return skipped || run.signal_absent === true ? 'unknown' : gateStatus(run.tests_passed)
}

/** The orchestrator adds an issue when its own run brought no signal, and leaves the Coach's claim as it was. */
const lacksSignal = (coach: CoachReport | undefined): boolean =>
  (coach?.issues ?? []).some(
    (issue) =>
      typeof issue !== 'string' &&
      typeof issue.details === 'object' &&
      issue.details !== null &&
      'signal_absent' in issue.details &&
      issue.details.signal_absent === true,
  )
