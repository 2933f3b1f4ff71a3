// Dialogs over the page. What one holds leaves the document when it closes, and it closes when the
// page shows another view.

import { button, type Child, field, h } from '../dom.ts'
import { actForm } from './act-form.ts'

export interface Dialog {
  readonly element: HTMLDialogElement
  close(): void
}

let count = 0

export function openDialog(title: string, ...children: readonly Child[]): Dialog {
  const id = `dialog-${++count}`
  const element = h(
    'dialog',
    { attrs: { 'aria-labelledby': id } },
    h('h2', { id }, title),
    ...children,
  )
  const close = () => element.close()
  element.addEventListener('close', () => {
    removeEventListener('hashchange', close)
    element.replaceChildren()
    element.remove()
  })
  addEventListener('hashchange', close)
  document.body.append(element)
  element.showModal()
  return { element, close }
}

export interface SecondLook {
  readonly title: string
  /** What will be done, and to whom. */
  readonly about: readonly Child[]
  /** What the button says. */
  readonly act: string
  /** A text that must be typed before the act; absent for none. */
  readonly typed?: string
  /** A refusal is shown in the dialog, which stays open then. */
  readonly run: () => Promise<unknown>
}

/** Asks before an act that cannot be taken back. */
export function secondLook({ title, about, act, typed, run }: SecondLook): void {
  const word = typed === undefined ? null : field(`Type ${typed} to go on`, 'typed')
  const form = actForm(
    {
      act,
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run() {
        await run()
        dialog.close()
      },
    },
    ...about,
    word?.element,
  )
  if (word !== null) {
    const submit = form.querySelector<HTMLButtonElement>('button[type="submit"]')
    const check = () => submit?.toggleAttribute('disabled', word.input.value.trim() !== typed)
    word.input.addEventListener('input', check)
    check()
  }
  const dialog = openDialog(title, form)
}
