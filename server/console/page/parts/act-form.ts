// A form whose act is a call of the exchange. It is sent once at a time, and what the exchange says
// against it stands below the fields.

import { type Child, fill, h } from '../dom.ts'

export interface Act {
  /** What the button says. */
  readonly act: string
  readonly isMain?: boolean
  /** Further buttons, behind the first. */
  readonly more?: readonly Child[]
  readonly run: (form: HTMLFormElement) => Promise<unknown>
}

export function actForm(
  { act, isMain = false, more = [], run }: Act,
  ...children: readonly Child[]
): HTMLFormElement {
  const submit = h(
    'button',
    { ...(isMain ? { class: 'main' } : {}), attrs: { type: 'submit' } },
    act,
  )
  const notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  const form = h(
    'form',
    { class: 'act-form' },
    ...children,
    notice,
    h('div', { class: 'row' }, submit, ...more),
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (submit.disabled) return
    submit.disabled = true
    fill(notice)
    try {
      await run(form)
    } catch (error) {
      fill(notice, error instanceof Error ? error.message : String(error))
    }
    submit.disabled = false
  })
  return form
}

/** What was typed into a field, without spaces around it; empty for a field that is not there. */
export function typedIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}
