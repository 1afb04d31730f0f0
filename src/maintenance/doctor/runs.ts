/** Checks the turn runs and the attempts of worlds. */
import * as z from 'zod'
import { recordKey, runSeqKey, turnKey, turnOfSuperseded, worldKey, worldSeqKey } from '../../core/keys.ts'
import { relink, setProperties } from '../../graph/model-statements.ts'
import { brokenAttemptRules, brokenRules, isActiveRun, seenAttempt, seenRun } from '../../runs/record.ts'
import { keyList, type ToCheck } from './finding.ts'

export const RUN_COLUMNS = { attempts: '[(x)-[:HAS_ATTEMPT]->(a:Attempt) | a.status]' }
const runRow = z.object({ attempts: keyList })

export async function checkRuns({ nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, isWhole, about } of nodes) {
    if (!isWhole) continue
    const { attempts } = runRow.parse(row)
    const run = seenRun.parse(properties)
    const broken = brokenRules(run)
    for (const rule of broken) about.add('run_rules', rule)
    const count = (ended: string) => attempts.filter((status) => status === ended).length
    const derived = {
      attemptCount: attempts.length,
      committedTurnCount: count('committed'),
      failedAttemptCount: count('failed'),
      interruptedAttemptCount: count('interrupted'),
    }
    if (broken.length === 0)
      for (const [name, expected] of Object.entries(derived))
        about.reportDifference('run_counters', { label: name, actual: properties[name], expected }, () =>
          setProperties('TurnRun', key, derived),
        )
    const activeWorldKey = isActiveRun(run.status) ? worldKey(run.project, run.worldSlug) : null
    about.reportDifference(
      'world_active',
      {
        label: `activeWorldKey (${run.status})`,
        actual: properties.activeWorldKey,
        expected: activeWorldKey,
      },
      () => setProperties('TurnRun', key, { activeWorldKey }),
    )
  }
}

export const ATTEMPT_COLUMNS = {
  runs: '[(x)<-[:HAS_ATTEMPT]-(r:TurnRun) | r.key]',
  produced: '[(x)-[:PRODUCED]->(t) | [t.key, t.digest]]',
}
const attemptRow = z.object({
  runs: keyList,
  produced: z.array(z.tuple([z.string(), z.string().nullable()])),
})

export async function checkAttempts({ nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, isWhole, about } of nodes) {
    if (!isWhole) continue
    const { runs, produced } = attemptRow.parse(row)
    const attempt = seenAttempt.parse(properties)
    const { project, turnRunId, turnRunSeq, status } = attempt
    for (const rule of brokenAttemptRules(attempt)) about.add('run_rules', rule)
    const ofWorld = worldKey(project, attempt.worldSlug)
    const ofRun = turnRunId === null ? null : recordKey(project, turnRunId)
    about.reportDifference(
      'run_counters',
      { label: 'run', actual: runs, expected: ofRun === null ? [] : [ofRun] },
      () => (ofRun === null ? null : relink(['TurnRun', ofRun], 'HAS_ATTEMPT', ['Attempt', key], 'to')),
    )
    const derived = {
      worldSeqKey: worldSeqKey(ofWorld, attempt.number),
      runSeqKey: ofRun === null || turnRunSeq === null ? null : runSeqKey(ofRun, turnRunSeq),
      activeWorldKey: status === 'running' ? ofWorld : null,
    }
    for (const [name, expected] of Object.entries(derived))
      about.reportDifference(
        name === 'activeWorldKey' ? 'world_active' : 'run_counters',
        { label: `${name} (${status})`, actual: properties[name], expected },
        () => setProperties('Attempt', key, derived),
      )
    // A record that was superseded later has another key and the same digest.
    about.reportDifference('attempt_turn', {
      label: `turn and digest of its record (${status})`,
      actual: produced.map(([turn, digest]) => [turnOfSuperseded(turn), digest]),
      expected: status === 'committed' ? [[turnKey(ofWorld, attempt.attemptedTurn), attempt.digest]] : [],
    })
  }
}
