/** Compares the keys in a record with its other fields, by the rules of the doctor. */
import { findRule } from '../doctor/rules.ts'
import type { ExportRecord } from '../export/records.ts'
import { type AnyRecord, type StoredForm, storedForms } from '../export/stored-form.ts'

/** Lists the keys of a record, including that of its owner, that do not match its other fields. */
export function findWrongKeys(record: ExportRecord): { path: string; message: string }[] {
  if (record.kind === 'standing') return []
  const { label, within, owner }: Place = record.kind === 'world' ? WORLD : storedForms[record.kind]
  const line: AnyRecord = record
  const node = (within === undefined ? line : line[within]) as AnyRecord
  const rule = findRule(label)
  const key = rule.expectedKey?.(node as never) ?? node.key
  const ofOwner = owner && (rule.expectedOwner?.(node as never) ?? line[owner.field])
  const wrong = (place: AnyRecord, expected: AnyRecord, path = '') =>
    Object.entries(expected).flatMap(([name, value]) =>
      (place[name] ?? null) === value
        ? []
        : [{ path: `${path}${name}`, message: `must be ${value}, according to the other fields` }],
    )
  return [
    ...wrong(node, { key, ...rule.derivedKeys?.(node as never) }, within && `${within}.`),
    ...(owner === undefined ? [] : wrong(line, { [owner.field]: ofOwner })),
  ]
}

type Place = Pick<StoredForm, 'label' | 'within' | 'owner'>

const WORLD: Place = { label: 'World', owner: { field: 'taskKey', label: 'Task', type: 'HAS_WORLD' } }
