// Reads the rows of the analysis of tasks without a session. Pure.
export type SpecifiedTask = { project: string; feature: string; task: string; criteria: number }

/** @param row in the order of the columns: feature, task, criteria, path, declared_at */
export const toSpecifiedTask = (
  project: string,
  [feature, task, criteria]: readonly unknown[],
): SpecifiedTask => ({
  project,
  feature: String(feature),
  task: String(task),
  criteria: Number(criteria),
})
