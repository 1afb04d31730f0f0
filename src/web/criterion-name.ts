/** Returns the label of a criterion, or its text if it has no label. */
export const nameCriterion = ({
  criterion_id: label,
  text,
  key,
}: {
  criterion_id: string
  text: string | null
  key: string
}): string => label || (text ?? key)
