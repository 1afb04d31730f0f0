/** Orders issues by their severity. */
import { SEVERITIES, type Severity } from './values.ts'

/** Most severe first; equally severe ones in the order the Coach gave them. */
export const bySeverity = <I extends { severity: Severity }>(issues: readonly I[]): I[] =>
  issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
