// The parts of a ticket: its form, choices side by side, and a text with its fault below.

import { openLogin } from '../../account/access/login-dialog.tsx'
import type { Context } from '../../context.ts'
import { Button, Region } from '../../page/blocks.tsx'
import type { ComponentChildren } from '../../page/preact.ts'
import { Fault } from '../../page/reading.tsx'

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly name: string
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly value: Value
  readonly choose: (value: Value) => void
}

/** Radio buttons side by side; arrows move between them. */
function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, name, options, value: chosen, choose } = props
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map(([value, words]) => (
        <label key={value} class={`option ${value}`}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}

const SIDES = [
  ['buy', 'Buy'],
  ['sell', 'Sell'],
] as const
const OUTCOMES = [
  ['yes', 'YES'],
  ['no', 'NO'],
] as const

/** What a ticket trades. */
export interface Way {
  readonly isBuy: boolean
  readonly outcome: 0 | 1
}

interface WayChoiceProps {
  readonly way: Way
  readonly change: (change: Partial<Way>) => void
}

export function WayChoice({ way: { isBuy, outcome }, change }: WayChoiceProps) {
  return (
    <>
      <Choice
        label="Side"
        name="side"
        options={SIDES}
        value={isBuy ? 'buy' : 'sell'}
        choose={(side) => change({ isBuy: side === 'buy' })}
      />
      <Choice
        label="Outcome"
        name="outcome"
        options={OUTCOMES}
        value={outcome === 0 ? 'yes' : 'no'}
        choose={(name) => change({ outcome: name === 'yes' ? 0 : 1 })}
      />
    </>
  )
}

interface EntryProps {
  readonly label: string
  readonly name: string
  readonly fault: string
  readonly type?: 'text' | 'datetime-local'
  readonly value: string
  readonly enter: (text: string) => void
  readonly press?: (event: KeyboardEvent) => void
  /** Buttons beside the field. */
  readonly children?: ComponentChildren
}

/** A text field with its fault below. */
export function Entry(props: EntryProps) {
  const { label, name, fault, type = 'text', value, enter, press, children } = props
  const id = `ticket-${name}`
  const input = {
    id,
    name,
    value,
    autocomplete: 'off',
    'aria-describedby': `${id}-fault`,
    'aria-invalid': fault !== '',
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      enter(currentTarget.value),
    onKeyDown: press,
  } as const
  return (
    <div class="entry">
      <label for={id}>{label}</label>
      <div class="entry-row">
        {type === 'text' ? (
          <input type="text" inputMode="decimal" {...input} />
        ) : (
          <input type="datetime-local" {...input} />
        )}
        {children}
      </div>
      <p class="fault sell" id={`${id}-fault`}>
        {fault}
      </p>
    </div>
  )
}

/** Fills in the most that the visitor can trade. */
export function MaxButton({ fill }: { readonly fill: () => void }) {
  return <Button label="Max" aria-label="Max: the most you can" onClick={fill} />
}

interface TicketFormProps {
  readonly context: Context
  readonly label: string
  /** What the button says to a visitor who is logged in. */
  readonly act: string
  readonly isBusy: boolean
  readonly isBuy: boolean
  readonly fault: string
  /** Gives the name of the field to fill in first, if there is one. */
  readonly send: () => Promise<string | undefined>
  readonly children: ComponentChildren
}

export function TicketForm(props: TicketFormProps) {
  const { context, label, act, isBusy, isBuy, fault, send, children } = props
  const { profile } = context.trader
  const submit = async (form: HTMLFormElement) => {
    if (profile.peek() === null) return openLogin(context)
    const field = await send()
    if (field !== undefined) form.querySelector<HTMLElement>(`[name="${field}"]`)?.focus()
  }
  return (
    <Region label={label} name="ticket">
      <form
        class="ticket-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        {children}
        <button
          type="submit"
          class="main submit"
          disabled={isBusy}
          data-side={isBuy ? 'buy' : 'sell'}
        >
          {profile.value === null ? 'Log in to trade' : act}
        </button>
        <Fault text={fault} />
      </form>
    </Region>
  )
}
