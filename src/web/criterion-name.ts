/** A criterion in an answer of the service. */
export type NamedCriterion = { criterion_id: string; text: string | null; key: string }

/** Returns the label of a criterion, or its text if it has no label. */
export const nameCriterion = ({ criterion_id: label, text, key }: NamedCriterion): string =>
  label || (text ?? key)
