/** Decides whether a capture may make a world that does not exist yet (contract: truth.md, "Writes that fork a session"). Pure. */

export type WantedWorld = {
  taskId: string
  turnNumber: number
  isNamed: boolean
  /** The request says `create_world: true`. */
  isForced: boolean
}

export type TaskBefore = {
  hasWorld: boolean
  isSpecified: boolean
  otherFeatures: readonly string[]
}

export type NewWorldDecision = {
  /** `unknown_world`: the named world may be misspelled. `other_feature`: the feature may be. Null: the world is made. */
  refusal: 'unknown_world' | 'other_feature' | null
  warnings: string[]
}

/** A first turn may begin a session; a later turn continues one that is probably stored under another name. */
export function decideNewWorld(
  { taskId, turnNumber, isNamed, isForced }: WantedWorld,
  { hasWorld, isSpecified, otherFeatures }: TaskBefore,
): NewWorldDecision {
  const continues = turnNumber > 1 && !isForced
  if (hasWorld) return { refusal: continues && isNamed ? 'unknown_world' : null, warnings: [] }
  const isElsewhere = otherFeatures.length > 0 && !isSpecified
  return {
    refusal: continues && isElsewhere ? 'other_feature' : null,
    warnings: otherFeatures.map((feature) => `task ${taskId} exists in feature ${feature} too`),
  }
}

/** The characters of a default slug: it can be a part of an address and a file name. */
const WORLD_SLUG = /^[A-Za-z0-9._~%-]{1,256}$/

export const isNewWorldSlug = (slug: string): boolean => WORLD_SLUG.test(slug)
