/** Passes the policy of the gate from the installation to the hooks. */

/** Default policy: a rejection with evidence ends the verification of a criterion. */
export const DEFAULT_GATE_POLICY = 'evidence'

/** Default limit of the gate. Claude Code ends a turn after hooks have continued it 8 times in a row. */
export const DEFAULT_GATE_LIMIT = 3

/** Policy that keeps each verified criterion proven. */
export const STICKY = 'sticky'

const FLAG = '--policy='

/** Makes the arguments of a hook for a policy; empty for the default. */
export const policyArguments = (policy: string): string[] =>
  policy === DEFAULT_GATE_POLICY ? [] : [`${FLAG}${policy}`]

export function readHookArguments(args: readonly string[]): { named: string[]; policy: string } {
  const policy = args.find((arg) => arg.startsWith(FLAG))?.slice(FLAG.length)
  return { named: args.filter((arg) => !arg.startsWith(FLAG)), policy: policy ?? DEFAULT_GATE_POLICY }
}
