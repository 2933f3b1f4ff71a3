// What views are built of: named regions, tables, figures.

import type { ButtonHTMLAttributes, ComponentChildren } from './preact.ts'

interface RegionProps {
  /** Screen readers and tests find a region by its label. */
  readonly label: string
  /** Styles find it by its name. */
  readonly name?: string
  readonly children?: ComponentChildren
  readonly 'data-state'?: string
  readonly 'data-sequence'?: number
}

/** A part of a view with its own name. */
export function Region({ label, name = '', children, ...data }: RegionProps) {
  return (
    <section class={`panel ${name}`.trimEnd()} aria-label={label} {...data}>
      <h2>{label}</h2>
      {children}
    </section>
  )
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { readonly label: ComponentChildren }

/** A button that submits no form. */
export function Button({ label, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes}>
      {label}
    </button>
  )
}

/** What a column is called; one of numbers says so. */
export type Column = string | { readonly number: string }

export interface Row {
  /** Rows with one key are one thing before and after a change. */
  readonly key: string | number
  readonly cells: readonly ComponentChildren[]
}

interface TableProps {
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** On a narrow screen rows become cards, where each cell shows its heading. */
  readonly look?: 'cards' | 'plain'
}

const labelOf = (column: Column) => (typeof column === 'string' ? column : column.number)
const classOf = (column: Column | undefined) => (typeof column === 'object' ? 'number' : undefined)

/** The roles are spelled out: a table that is laid out as cards would lose its own. */
export function Table({ label, columns, rows, look = 'cards' }: TableProps) {
  return (
    <div class="table-box">
      <table class={look} aria-label={label} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={labelOf(column)} class={classOf(column)} scope="col" role="columnheader">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells }) => (
            <tr key={key} role="row">
              {columns.map((column, index) => (
                <td
                  key={labelOf(column)}
                  class={classOf(column)}
                  role="cell"
                  data-label={labelOf(column)}
                >
                  <div>{cells[index]}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface MetadataProps {
  readonly metadata: readonly (readonly [name: string, value: ComponentChildren, look?: string])[]
  readonly look: 'metadata' | 'metadata-list' | 'summary'
}

/** Names with their values; it is hidden without any. */
export function Metadata({ metadata, look }: MetadataProps) {
  return (
    <dl class={look} hidden={metadata.length === 0}>
      {metadata.map(([name, value, valueLook]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={valueLook}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: string
  readonly look?: string
  readonly hint?: string
}

/** A number with its name, for a list of class `figures`. */
export function Figure({ label, value, look, hint }: FigureProps) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd class={look}>{value}</dd>
      {hint !== undefined && <dd class="soft hint">{hint}</dd>}
    </div>
  )
}
