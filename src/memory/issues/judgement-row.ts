/** Declares the column of a statement with the issues of a turn. */
import * as z from 'zod'
import { nodes } from '../../graph/model/nodes.ts'
import { columns } from '../../rules/values.ts'
import { issuesFrom, turnWithParts } from '../record/rows.ts'

export const judgementRow = columns({
  turn: z.number(),
  coachDecision: nodes.Turn.properties.shape.coachDecision,
  issueCount: z.number(),
  issues: turnWithParts.shape.issues,
}).transform(({ issues, ...judgement }) => ({ ...judgement, issues: issuesFrom(issues) }))

/** False if the read saw only part of a commit or of a replacement. */
export const areIssuesRead = (judgements: readonly z.output<typeof judgementRow>[]): boolean =>
  judgements.every(({ issueCount, issues }) => issues.length === issueCount)
