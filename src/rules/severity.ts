/** Orders issues by their severity. */
import { SEVERITIES, type Severity } from './values.ts'

/** Orders issues, most severe first; keeps the Coach's order of equally severe ones. */
export const bySeverity = <I extends { severity: Severity }>(issues: readonly I[]): I[] =>
  issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
