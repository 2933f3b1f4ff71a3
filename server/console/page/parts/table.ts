// A table that becomes a list of cards on a narrow screen, where each cell shows its heading.

import { type Child, h } from '../dom.ts'

/** What a column is called; one of numbers says so. */
export type Column = string | { readonly number: string }

const isNumber = (column: Column | undefined) => typeof column === 'object'
const labelOf = (column: Column) => (typeof column === 'string' ? column : column.number)

/**
 * The roles are spelled out: a table that is laid out as cards would lose its own. A plain one
 * stays a table on a narrow screen.
 */
export function table(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly Child[])[],
  look: 'cards' | 'plain' = 'cards',
): HTMLElement {
  const role = (name: string) => ({ attrs: { role: name } })
  const heads = columns.map((column) =>
    h(
      'th',
      {
        ...(isNumber(column) ? { class: 'number' } : {}),
        attrs: { scope: 'col', role: 'columnheader' },
      },
      labelOf(column),
    ),
  )
  const body = rows.map((cells) =>
    h('tr', role('row'), ...cells.map((cell, index) => cellOf(cell, columns[index]))),
  )
  return h(
    'table',
    { class: look, attrs: { 'aria-label': label, role: 'table' } },
    h('thead', role('rowgroup'), h('tr', role('row'), ...heads)),
    h('tbody', role('rowgroup'), ...body),
  )
}

function cellOf(cell: Child, column: Column | undefined): HTMLElement {
  return h(
    'td',
    {
      ...(isNumber(column) ? { class: 'number' } : {}),
      attrs: { role: 'cell', 'data-label': column === undefined ? '' : labelOf(column) },
    },
    h('div', {}, cell),
  )
}
