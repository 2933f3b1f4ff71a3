// Dialogs over the page, one at a time. What one holds leaves the document when it closes, and it
// closes when the page shows another view.

import { ActForm, Field } from './act-form.tsx'
import { type ComponentChildren, signal, useLayoutEffect, useRef, useSignal } from './preact.ts'

/** What a dialog holds. `close` closes this dialog alone: another one may be open by then. */
type Content = (close: () => void) => ComponentChildren

interface OpenDialog {
  readonly title: string
  readonly content: Content
  readonly number: number
}

const open = signal<OpenDialog | null>(null)
let count = 0

export function openDialog(title: string, content: Content): void {
  open.value = { title, content, number: ++count }
}

/** Stands once on a page. */
export function Dialogs() {
  const dialog = open.value
  return dialog === null ? null : <Dialog key={dialog.number} dialog={dialog} />
}

function Dialog({ dialog }: { readonly dialog: OpenDialog }) {
  const { title, content, number } = dialog
  const id = `dialog-${number}`
  const element = useRef<HTMLDialogElement>(null)
  // The focus goes back to where it was before the dialog.
  const close = () => element.current?.close()
  useLayoutEffect(() => {
    element.current?.showModal()
    addEventListener('hashchange', close)
    return () => removeEventListener('hashchange', close)
  }, [])
  const closed = () => {
    // Another dialog may be open by now.
    if (open.peek() === dialog) open.value = null
  }
  return (
    <dialog ref={element} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {content(close)}
    </dialog>
  )
}

interface Confirmation {
  readonly title: string
  /** What will be done, and to whom. */
  readonly about: ComponentChildren
  /** What the button says. */
  readonly act: string
  /** A text that must be typed before the act; absent for none. */
  readonly typed?: string
  /** A refusal is shown in the dialog, which stays open then. */
  readonly run: (form: HTMLFormElement) => Promise<unknown>
}

/** Asks before an act that cannot be taken back. */
export function confirmAct(confirmation: Confirmation): void {
  openDialog(confirmation.title, (close) => <ConfirmForm {...confirmation} close={close} />)
}

function ConfirmForm({
  about,
  act,
  typed,
  run,
  close,
}: Confirmation & { readonly close: () => void }) {
  const word = useSignal('')
  const runAndClose = async (form: HTMLFormElement) => {
    await run(form)
    close()
  }
  return (
    <ActForm
      act={act}
      isBlocked={typed !== undefined && word.value.trim() !== typed}
      cancel={close}
      run={runAndClose}
    >
      {about}
      {typed !== undefined && (
        <Field
          label={`Type ${typed} to continue`}
          name="typed"
          onInput={(event) => {
            word.value = event.currentTarget.value
          }}
        />
      )}
    </ActForm>
  )
}
