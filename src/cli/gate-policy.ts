/** Passes the policy of the gate from the installation to the hooks. */

/** Under it a criterion that was rejected with evidence is not verified any more. */
export const DEFAULT_GATE_POLICY = 'evidence'

/** Under it a criterion stays proven once it was verified. */
export const STICKY = 'sticky'

const FLAG = '--policy='

/** The arguments of a hook for a policy: none for the default. */
export const policyArguments = (policy: string): string[] =>
  policy === DEFAULT_GATE_POLICY ? [] : [`${FLAG}${policy}`]

/** Splits the arguments of a hook: those by their place, and the policy. */
export function readHookArguments(args: readonly string[]): { named: string[]; policy: string } {
  const policy = args.find((arg) => arg.startsWith(FLAG))?.slice(FLAG.length)
  return { named: args.filter((arg) => !arg.startsWith(FLAG)), policy: policy ?? DEFAULT_GATE_POLICY }
}
