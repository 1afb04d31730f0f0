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
  record_invalid: {
    severity: 'error',
    finds: 'a node whose properties are not those that Turngraph stores',
    remedy:
      'Put the property right in Cypher, or forget the world or session that holds it, and capture it again.',
  },
  key_wrong: {
    severity: 'error',
    finds: 'a key that does not say where its node belongs',
    remedy: 'Forget the world or project that holds it, and capture or import it again.',
  },
  unattached: {
    severity: 'error',
    finds: 'a node without the one it belongs to, or one that should have something below it and has nothing',
    remedy: 'Nothing reads it: delete the node that the finding names in Cypher, or restore from an export.',
  },
  turn_number_doubled: {
    severity: 'error',
    finds: 'a turn beside the one that stands at its number, or under another key',
    remedy: 'Delete the stray node in Cypher, then run the doctor again.',
  },
  turn_chain: {
    severity: 'error',
    finds: 'a turn whose NEXT does not lead to the next number alone, or that another world claims',
    remedy: 'Forget the world and capture or import it again.',
  },
  turn_parts: {
    severity: 'error',
    finds: 'a turn that has other parts than it counts, or in other places',
    remedy:
      'Capture the turn again with `on_conflict: "supersede"`; while it stays, reads of it answer `store_unavailable`.',
  },
  turn_outcome: {
    severity: 'warning',
    finds:
      'a turn whose kept outcome, or count of what it verified and rejected, is not what its parts say: stall and named analyses read them',
    remedy: 'Capture the turn again with `on_conflict: "supersede"`.',
  },
  part_criterion: {
    severity: 'error',
    finds: 'a verification or promise that is of no criterion, of several, or of one of another task',
    remedy:
      'Capture the turn again with `on_conflict: "supersede"`, or forget the world and capture it again.',
  },
  superseded_chain: {
    severity: 'error',
    finds: 'superseded records that are not one chain below their turn, or that still stand in their world',
    remedy: 'Forget the world and capture it again.',
  },
  world_counters: {
    severity: 'error',
    finds: 'a world whose counters are not what hangs on it',
    remedy:
      'Of the newest turns, criteria and promises: capture its newest turn again with `on_conflict: "supersede"`. Else forget the world and capture it again.',
  },
  world_progress: {
    severity: 'error',
    finds: 'a criterion that is kept as standing elsewhere than its verifications and promises say',
    remedy: 'Capture any turn of the world again with `on_conflict: "supersede"`: all of it is derived anew.',
  },
  world_active: {
    severity: 'error',
    finds: 'a world with two active runs or attempts, or one that names another than is active',
    remedy:
      'Restart the service: reconciliation ends what nobody works on. What stays, cancel; else forget the world.',
  },
  forget_unfinished: {
    severity: 'warning',
    finds: 'a world or session that is only forgotten in part',
    remedy: 'Run the same `turngraph forget … --yes` again.',
  },
  restore_unfinished: {
    severity: 'warning',
    finds: 'a world that is only restored in part',
    remedy: 'Run the same `turngraph restore` again.',
  },
  run_rules: {
    severity: 'error',
    finds:
      "a turn run or an attempt that breaks one of the rules of its table (seed 001's CHECK constraints)",
    remedy:
      'Cancel the run if it is active. An ended one: put the property right in Cypher, or forget the world.',
  },
  run_counters: {
    severity: 'error',
    finds:
      'a run whose counts are not those of its attempts, or an attempt that is not where its number says',
    remedy: 'Put the counter right in Cypher, or forget the world.',
  },
  attempt_turn: {
    severity: 'error',
    finds: 'a committed attempt without the turn that it produced, or with another record',
    remedy: 'Forget the world and run it again.',
  },
  criterion_merge: {
    severity: 'error',
    finds: 'a criterion that was merged into one that is not there, or into itself',
    remedy:
      'Set `mergedInto` of the criterion to null in Cypher, then capture a turn of the world again with `on_conflict: "supersede"`.',
  },
  criterion_unnamed: {
    severity: 'warning',
    finds: 'a criterion that nothing speaks of',
    remedy: 'Forget the task again, where that was broken off; else delete the node in Cypher.',
  },
  transcript_turn: {
    severity: 'error',
    finds: 'a transcript turn whose length, tools, errors or pattern are not those of its steps',
    remedy:
      "Forget the project's transcripts and import them again, or send the one transcript anew from offset 0.",
  },
  transcript_sums: {
    severity: 'error',
    finds: 'a pattern or a tool that counts other turns than there are',
    remedy: "Forget the project's transcripts and import them again.",
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
