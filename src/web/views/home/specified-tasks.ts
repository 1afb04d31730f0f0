// Decodes the rows of the analysis `specified-without-session`. Pure.
export type SpecifiedTask = { project: string; feature: string; task: string; criteria: number }

/** Decodes a row with the columns feature, task, criteria, path and declared_at. */
export const toSpecifiedTask = (
  project: string,
  [feature, task, criteria]: readonly unknown[],
): SpecifiedTask => ({
  project,
  feature: String(feature),
  task: String(task),
  criteria: Number(criteria),
})
