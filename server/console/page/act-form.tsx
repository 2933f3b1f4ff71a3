// A form whose act is a call of the exchange. It is sent once at a time, and what the exchange says
// against it stands below the fields.

import { messageOf } from '../exchange/api.ts'
import { Button } from './blocks.tsx'
import type { Notices } from './notices.tsx'
import {
  type ButtonHTMLAttributes,
  type ComponentChildren,
  type InputHTMLAttributes,
  useSignal,
} from './preact.ts'
import { Fault } from './reading.tsx'

interface ActFormProps {
  /** What the button says. */
  readonly act: string
  readonly run: (form: HTMLFormElement) => Promise<unknown>
  readonly isBlocked?: boolean
  /** Absent for no way back. */
  readonly cancel?: () => void
  readonly children: ComponentChildren
}

export function ActForm({ act, run, isBlocked = false, cancel, children }: ActFormProps) {
  const isBusy = useSignal(false)
  const fault = useSignal('')
  const submit = async (form: HTMLFormElement) => {
    if (isBusy.peek() || isBlocked) return
    isBusy.value = true
    fault.value = ''
    try {
      await run(form)
    } catch (error) {
      fault.value = messageOf(error)
    }
    isBusy.value = false
  }
  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      {children}
      <Fault text={fault.value} />
      <div class="row">
        <button type="submit" class="main" disabled={isBusy.value || isBlocked}>
          {act}
        </button>
        {cancel !== undefined && <Button label="Cancel" onClick={cancel} />}
      </div>
    </form>
  )
}

/** What was typed into a field, without spaces around it; empty for a field that is not there. */
export function typedIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string
  readonly name: string
  readonly hint?: string
}

/** An input below its label. */
export function Field({ label, hint, ...input }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input autocomplete="off" {...input} />
      {hint !== undefined && <span class="soft hint">{hint}</span>}
    </label>
  )
}

type CallButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly notices: Notices
  readonly call: () => Promise<unknown>
  readonly children: ComponentChildren
}

/** A button that calls the exchange. It is pressed once, and again only after a failure. */
export function CallButton({ notices, call, children, ...button }: CallButtonProps) {
  const isBusy = useSignal(false)
  const press = async () => {
    isBusy.value = true
    try {
      await call()
    } catch (error) {
      notices.failure(error)
      isBusy.value = false
    }
  }
  return (
    <button type="button" {...button} disabled={isBusy.value} onClick={press}>
      {children}
    </button>
  )
}
