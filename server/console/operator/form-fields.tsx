// The fields of a form of operators.

import { Field } from '../page/act-form.tsx'
import type { FormField } from './form-body.ts'

interface FormFieldsProps {
  readonly fields: readonly FormField[]
  /** What fields hold at first, by their names. */
  readonly values?: Readonly<Record<string, string>>
}

export function FormFields({ fields, values = {} }: FormFieldsProps) {
  return fields.map((field) => (
    <FieldOf key={field.name} field={field} value={values[field.name] ?? ''} />
  ))
}

interface FieldOfProps {
  readonly field: FormField
  readonly value: string
}

function FieldOf({ field, value }: FieldOfProps) {
  const { name, label, hint, kind, isNeeded: required = false, choices = [] } = field
  const hinted = hint !== undefined && <span class="soft hint">{hint}</span>
  if (kind === 'check' || kind === 'forbid') {
    return (
      <label class="check">
        <input type="checkbox" name={name} value="yes" />
        <span>{label}</span>
        {hinted}
      </label>
    )
  }
  if (kind === 'lines') {
    return (
      <label class="field">
        <span>{label}</span>
        <textarea name={name} rows={4} required={required} defaultValue={value} />
        {hinted}
      </label>
    )
  }
  if (kind === 'choice') {
    return (
      <label class="field">
        <span>{label}</span>
        <select name={name} required={required}>
          {choices.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        {hinted}
      </label>
    )
  }
  const shared = { label, name, hint, required, defaultValue: value }
  if (kind === 'instant') return <Field type="datetime-local" {...shared} />
  const inputMode = kind === 'number' ? 'numeric' : kind === 'units' ? 'decimal' : undefined
  return <Field type="text" inputMode={inputMode} {...shared} />
}
