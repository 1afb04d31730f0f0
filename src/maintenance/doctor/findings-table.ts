const REPAIR = 'Run `turngraph doctor --repair`: it recomputes the data.'
/** The remedy if a repair cannot recompute the data. No remedy deletes stored data. */
const RESTORE =
  'restore the graph from an export or a backup that was made before, into a new data folder or database'
const NOT_DERIVABLE = `A repair cannot recompute it: ${RESTORE}.`
const LEAVE_BEHIND =
  'No operation reads it, so it does no harm and may stay. An export does not contain it: to remove it, export the graph and restore it into a new data folder or database.'

/**
 * The checks of the doctor with their severity and remedy. The command, the service and the documents use this table.
 * `error`: an answer of Turngraph may be wrong. `warning`: something is stale or unfinished.
 */
export const CHECKS = {
  migration_pending: {
    severity: 'error',
    finds: 'a migration of this version that the graph does not have',
    remedy: 'Run `turngraph migrate`.',
  },
  migration_changed: {
    severity: 'error',
    finds: 'an applied migration whose file is different or missing in this version',
    remedy:
      'Run the version of Turngraph that wrote the graph, or restore the file. If an earlier version wrote the graph, export it with that version, and restore the export into a new data folder or database.',
  },
  migration_chain: {
    severity: 'error',
    finds: 'applied migrations that are not one chain',
    remedy: 'Restore the graph from a backup or an export: another program has written to it.',
  },
  constraint_missing: {
    severity: 'error',
    finds: 'a missing uniqueness constraint',
    remedy:
      'On Neo4j, create it again with the command in the finding, in `cypher-shell`. On the embedded graph, export the graph and restore it into a new data folder.',
  },
  index_missing: {
    severity: 'error',
    finds: 'an index that is missing or not online: answers are right, but slow',
    remedy:
      'On Neo4j, create it again with the command in the finding, in `cypher-shell`. On the embedded graph, export the graph and restore it into a new data folder.',
  },
  // The stored properties are declared in src/graph/model/nodes.ts. A property that is added there is examined here.
  record_invalid: {
    severity: 'error',
    finds: 'a node whose properties are not those that Turngraph stores',
    remedy: `Run \`turngraph doctor --repair\`. It removes unknown properties and invalid optional times, and reports them. It computes the signatures of issues, and \`substantiated\` and \`observedOn\` of verifications, again. If another value is wrong, ${RESTORE}.`,
  },
  key_wrong: {
    severity: 'error',
    finds: 'a key that does not match the place of its node',
    remedy: `Run \`turngraph doctor --repair\`: it corrects the number of a turn and the revision of a replaced record. In other cases, ${RESTORE}.`,
  },
  project_wrong: {
    severity: 'warning',
    finds:
      'a node whose `project` is missing or is not the project of its key: queries that select by project do not find it',
    remedy: REPAIR,
  },
  unattached: {
    severity: 'error',
    finds: 'a node without its parent, or a node without the children that it must have',
    remedy: LEAVE_BEHIND,
  },
  turn_chain: {
    severity: 'error',
    finds: 'a turn whose NEXT does not lead only to the next number, or that belongs to two worlds',
    remedy: REPAIR,
  },
  record_chain: {
    severity: 'error',
    finds:
      'a turn or a replaced record whose SUPERSEDES does not lead only to the record of the previous revision',
    remedy: `${REPAIR} If the finding remains, ${RESTORE}.`,
  },
  turn_parts: {
    severity: 'error',
    finds: 'a turn whose parts do not match its counts, or have wrong positions',
    remedy:
      'Capture the turn again with `on_conflict: "supersede"`; until then, reads of the turn and contexts of its world answer `store_unavailable`. A superseded record can stay: only the history of its turn reads it.',
  },
  turn_outcome: {
    severity: 'warning',
    finds:
      'a turn whose stored outcome, denied files or counts of verdicts do not match its parts: stall, stale proofs and named analyses read them',
    remedy: REPAIR,
  },
  part_criterion: {
    severity: 'error',
    finds: 'a verification or promise with no criterion, with several, or with one of another task',
    remedy: 'Capture the turn again with `on_conflict: "supersede"`.',
  },
  world_counters: {
    severity: 'error',
    finds: 'a world whose counters do not match its stored data',
    remedy: `${REPAIR} If the finding remains, ${RESTORE}.`,
  },
  world_progress: {
    severity: 'error',
    finds: 'a criterion whose stored state does not match its verifications and promises',
    remedy:
      'Run `turngraph doctor --repair`: it recomputes the state after the findings of the turns are repaired.',
  },
  world_active: {
    severity: 'error',
    finds: 'a world with two active runs or attempts, or with the id of one that is not active',
    remedy:
      'Restart the service: reconciliation ends runs and attempts without a worker. Cancel those that remain, then run `turngraph doctor --repair`.',
  },
  forget_unfinished: {
    severity: 'warning',
    finds: 'a world or session that is forgotten only in part',
    remedy: 'Run the same `turngraph forget … --yes` again.',
  },
  restore_unfinished: {
    severity: 'warning',
    finds:
      'a task or a world that is restored only in part: until the restore is complete, other writes into the task are rejected',
    remedy:
      'To finish it, run the same `turngraph restore` again. To remove it, run `turngraph forget --world SLUG --yes` for a world, or `turngraph forget --feature FEATURE --task TASK --yes` for the task with all of its worlds.',
  },
  run_rules: {
    severity: 'error',
    finds: 'a turn run or an attempt whose fields contradict each other',
    remedy: NOT_DERIVABLE,
  },
  run_counters: {
    severity: 'error',
    finds:
      'a run whose counts do not match its attempts, or an attempt whose position does not match its number',
    remedy: `${REPAIR} If the finding remains, ${RESTORE}.`,
  },
  attempt_turn: {
    severity: 'error',
    finds: 'a committed attempt without its turn, or with another record',
    remedy: NOT_DERIVABLE,
  },
  criterion_merge: {
    severity: 'error',
    finds: 'a criterion that was merged into a missing one, or into itself',
    remedy: NOT_DERIVABLE,
  },
  criterion_labels: {
    severity: 'warning',
    finds:
      'a criterion with a masked secret that has several labels of one source: it may be several criteria that differed only in the secret',
    remedy:
      'Declare the criteria of the task again (`turngraph specify`): criteria that differ in a secret are separate from then on. If the source renamed its criterion, ignore the finding.',
  },
  criterion_unnamed: {
    severity: 'warning',
    finds: 'a criterion that no turn and no specification uses',
    remedy:
      'If the task was being forgotten, forget it again. In other cases the criterion does no harm, and may stay.',
  },
  specification: {
    severity: 'error',
    finds:
      'a specification whose criteria do not match its count, a missing version, or a world without its specification',
    remedy: `Run \`turngraph doctor --repair\`: it counts the criteria again. If the finding remains, ${RESTORE}.`,
  },
  transcript_turn: {
    severity: 'error',
    finds:
      'a transcript turn whose length, sums, failed calls, subagents or pattern do not match its calls, or a pattern without its first tool',
    remedy:
      'Run `turngraph doctor --repair`: it recomputes sums and the pattern. If calls are missing, import this transcript again from offset 0.',
  },
} as const satisfies Record<string, { severity: 'error' | 'warning'; finds: string; remedy: string }>

export type Check = keyof typeof CHECKS

/** Renders the table for a document. */
export const checksTable = (): string =>
  [
    '| check | severity | what it finds | remedy |',
    '| --- | --- | --- | --- |',
    ...Object.entries(CHECKS).map(
      ([check, { severity, finds, remedy }]) => `| \`${check}\` | ${severity} | ${finds} | ${remedy} |`,
    ),
  ].join('\n')
