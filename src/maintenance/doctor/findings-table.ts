/** Lists what the doctor looks for, each with its severity and its remedy. */
const REPAIR = 'Run `turngraph doctor --repair`: it derives it anew.'
/** The remedy where a repair has nothing to derive from. No remedy deletes stored data. */
const RESTORE =
  'restore the graph from an export or a backup that was made before, into a new data folder or database'
const LEAVE_BEHIND =
  'Nothing reads it, so it does no harm and may stay. What nothing leads to is not exported: to be rid of it, export the graph and restore it into a new data folder or database.'

/**
 * What the doctor looks for, once: the command, the service and the documents read the same table.
 * `error`: an answer of Turngraph may be wrong. `warning`: something is stale or was left half done.
 */
export const CHECKS = {
  migration_pending: {
    severity: 'error',
    finds: 'a migration of this version that the graph does not have',
    remedy: 'Run `turngraph migrate`.',
  },
  migration_changed: {
    severity: 'error',
    finds: 'an applied migration whose file is another one here, or is not here',
    remedy: 'Run the version of Turngraph that wrote the graph, or restore the file.',
  },
  migration_chain: {
    severity: 'error',
    finds: 'applied migrations that do not lead from one to the next',
    remedy: 'Restore the graph from a backup or an export: something else than Turngraph wrote to it.',
  },
  constraint_missing: {
    severity: 'error',
    finds: 'a uniqueness constraint that is not there',
    remedy:
      'On Neo4j create it again: the finding names the command, `cypher-shell` runs it. The embedded graph: export it, and restore into a new data folder.',
  },
  index_missing: {
    severity: 'error',
    finds: 'an index that is not there, or not online: answers are right, but slow',
    remedy:
      'On Neo4j create it again: the finding names the command, `cypher-shell` runs it. The embedded graph: export it, and restore into a new data folder.',
  },
  // What Turngraph stores is declared in src/graph/model/nodes.ts: a property that is added there is examined here.
  record_invalid: {
    severity: 'error',
    finds: 'a node whose properties are not those that Turngraph stores',
    remedy: `Run \`turngraph doctor --repair\`: it removes properties that Turngraph does not store, and says what they were. Where another value is wrong, ${RESTORE}.`,
  },
  key_wrong: {
    severity: 'error',
    finds: 'a key that does not say where its node belongs',
    remedy: `Run \`turngraph doctor --repair\`: it puts the number of a turn right. Else ${RESTORE}.`,
  },
  unattached: {
    severity: 'error',
    finds: 'a node without the one it belongs to, or one that should have something below it and has nothing',
    remedy: LEAVE_BEHIND,
  },
  turn_number_doubled: {
    severity: 'error',
    finds: 'a turn beside the one that stands at its number, or under another key',
    remedy:
      'Run `turngraph doctor --repair`: it takes the stray one out of the world, whose turns are read again; what it says stays in the graph, `unattached`.',
  },
  turn_chain: {
    severity: 'error',
    finds: 'a turn whose NEXT does not lead to the next number alone, or that another world claims',
    remedy: REPAIR,
  },
  turn_parts: {
    severity: 'error',
    finds: 'a turn that has other parts than it counts, or in other places',
    remedy:
      'Capture the turn again with `on_conflict: "supersede"`; until then reads of it, and contexts of its world, answer `store_unavailable`. A record that was superseded stays as it is: only the history of its turn reads it.',
  },
  turn_outcome: {
    severity: 'warning',
    finds:
      'a turn whose kept outcome, or count of what it verified and rejected, is not what its parts say: stall and named analyses read them',
    remedy: REPAIR,
  },
  part_criterion: {
    severity: 'error',
    finds: 'a verification or promise that is of no criterion, of several, or of one of another task',
    remedy: 'Capture the turn again with `on_conflict: "supersede"`.',
  },
  superseded_chain: {
    severity: 'error',
    finds: 'superseded records that are not one chain below their turn, or that still stand in their world',
    remedy: `${REPAIR} Where it says that something is left, ${RESTORE}.`,
  },
  world_counters: {
    severity: 'error',
    finds: 'a world whose counters are not what hangs on it',
    remedy: `${REPAIR} Where it says that something is left, ${RESTORE}.`,
  },
  world_progress: {
    severity: 'error',
    finds: 'a criterion that is kept as standing elsewhere than its verifications and promises say',
    remedy: 'Run `turngraph doctor --repair`: it derives it anew, once what the turns say is right.',
  },
  world_active: {
    severity: 'error',
    finds: 'a world with two active runs or attempts, or one that names another than is active',
    remedy:
      'Restart the service: reconciliation ends what nobody works on. What stays, cancel, then run `turngraph doctor --repair`.',
  },
  forget_unfinished: {
    severity: 'warning',
    finds: 'a world or session that is only forgotten in part',
    remedy: 'Run the same `turngraph forget … --yes` again.',
  },
  restore_unfinished: {
    severity: 'warning',
    finds:
      'a task or a world that is only restored in part: nothing else is written into the task until it is whole',
    remedy:
      'To finish it, run the same `turngraph restore` again. To remove it, run `turngraph forget --world SLUG --yes` for a world, or `turngraph forget --feature FEATURE --task TASK --yes` for the task with all of its worlds.',
  },
  topic_incomplete: {
    severity: 'warning',
    finds:
      'what other sessions know of a file, gate, issue or feature lacks older turns: a deletion or a replaced record left room for them',
    remedy: REPAIR,
  },
  run_rules: {
    severity: 'error',
    finds: 'a turn run or an attempt whose own fields contradict each other',
    remedy: `${REPAIR} Where it says that something is left, ${RESTORE}.`,
  },
  run_counters: {
    severity: 'error',
    finds:
      'a run whose counts are not those of its attempts, or an attempt that is not where its number says',
    remedy: `${REPAIR} Where it says that something is left, ${RESTORE}.`,
  },
  attempt_turn: {
    severity: 'error',
    finds: 'a committed attempt without the turn that it produced, or with another record',
    remedy: `${REPAIR} Where it says that something is left, ${RESTORE}.`,
  },
  criterion_merge: {
    severity: 'error',
    finds: 'a criterion that was merged into one that is not there, or into itself',
    remedy:
      'Run `turngraph doctor --repair`: it undoes the merge that cannot be, and derives anew where the criteria stand.',
  },
  criterion_labels: {
    severity: 'warning',
    finds:
      'a criterion with a masked secret that has several labels of one source: it may be several criteria that differed in the secret only',
    remedy:
      'Declare the criteria of the task again (`turngraph specify`): criteria that differ in a secret are told apart from then on. If the source renamed its criterion, ignore the finding.',
  },
  criterion_unnamed: {
    severity: 'warning',
    finds: 'a criterion that nothing speaks of',
    remedy: 'Forget the task again, where that was broken off. Else it does no harm, and may stay.',
  },
  specification: {
    severity: 'error',
    finds:
      'a version of what a task declares that lists other criteria than it says, or is not there, or a world that does not know of it',
    remedy: `Run \`turngraph doctor --repair\`: it counts the criteria anew. Where something else is wrong, ${RESTORE}.`,
  },
  transcript_turn: {
    severity: 'error',
    finds: 'a transcript turn whose length, tools, errors or pattern are not those of its steps',
    remedy:
      'Run `turngraph doctor --repair`: it derives anew what its steps say. Where steps are missing, send the one transcript again from offset 0.',
  },
  persons_words: {
    severity: 'error',
    finds: 'a failed call whose error text may be what a person typed at a permission prompt',
    remedy:
      'Run `turngraph doctor --repair`: it removes the text. Importing the transcript again removes it too.',
  },
  transcript_sums: {
    severity: 'error',
    finds: 'a pattern or a tool that counts other turns than there are',
    remedy: REPAIR,
  },
  desire_stale: {
    severity: 'warning',
    finds: 'a desire that counts other turns than its pattern: an import is under way, or was broken off',
    remedy: 'Import again, or `POST /v1/desires/refresh`.',
  },
} as const satisfies Record<string, { severity: 'error' | 'warning'; finds: string; remedy: string }>

export type Check = keyof typeof CHECKS

/** The table as a document shows it. */
export const checksTable = (): string =>
  [
    '| check | severity | what it finds | remedy |',
    '| --- | --- | --- | --- |',
    ...Object.entries(CHECKS).map(
      ([check, { severity, finds, remedy }]) => `| \`${check}\` | ${severity} | ${finds} | ${remedy} |`,
    ),
  ].join('\n')
