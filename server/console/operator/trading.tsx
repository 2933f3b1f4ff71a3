// Trading modes: what is accepted now, and windows in which less is.

import { ACCEPTED } from '../exchange/trading-mode.ts'
import { ActForm, typedIn } from '../page/act-form.tsx'
import { Button, Region, Table } from '../page/blocks.tsx'
import { confirmAct } from '../page/dialog.tsx'
import { dayTime, visible } from '../page/format.ts'
import { Fault, Shown, useReading } from '../page/reading.tsx'
import type { OperatorContext } from './access.ts'
import { bodyOf, type FormField } from './form-body.ts'
import { FormFields } from './form-fields.tsx'

interface TradingWindow {
  readonly id: number
  readonly mode: string
  readonly startsAt: string
  readonly endsAt: string | null
  readonly publicMessage: string
}

interface Modes {
  readonly mode: string
  readonly windows: readonly TradingWindow[]
}

const MEANINGS: Readonly<Record<string, string>> = {
  normal: 'Orders and cancellations are accepted',
  ...ACCEPTED,
}
const FIELDS: readonly FormField[] = [
  {
    name: 'mode',
    label: 'Mode',
    kind: 'choice',
    choices: ['post_only', 'cancel_only', 'disabled'],
    hint: 'Accepted: post-only orders and cancellations, only cancellations, or neither.',
  },
  { name: 'startsAt', label: 'From', kind: 'instant', hint: 'Your local time; empty for now.' },
  { name: 'endsAt', label: 'Until', kind: 'instant', hint: 'Leave empty for no end.' },
  { name: 'publicMessage', label: 'Message to traders', kind: 'text' },
]
const COLUMNS = [{ number: 'Number' }, 'Mode', 'From', 'Until', 'Message', 'Action'] as const
const PATH = '/admin/trading-modes'
const PAUSE_MS = 500

export function TradingView({ context }: { readonly context: OperatorContext }) {
  const modes = useReading(
    (signal) => context.access.call<Modes>('GET', PATH, { signal }),
    PAUSE_MS,
  )
  return (
    <div class="view operator">
      <h1>Trading</h1>
      <Region label="Now">
        <Shown reading={modes}>
          {(shown) => <Windows modes={shown} context={context} again={() => modes.again()} />}
        </Shown>
        <Fault text={modes.fault.value} />
      </Region>
      <Region label="New window">
        <ActForm
          act="Set a window"
          run={async (form) => confirmWindow(form, context, () => modes.again())}
        >
          <FormFields fields={FIELDS} />
        </ActForm>
      </Region>
    </div>
  )
}

function confirmWindow(
  form: HTMLFormElement,
  { access, notices }: OperatorContext,
  again: () => void,
): void {
  const body = bodyOf(FIELDS, (name) => typedIn(form, name))
  const { mode, startsAt, endsAt } = body
  const from = startsAt === undefined ? 'at once' : `from ${dayTime(String(startsAt))}`
  const until =
    endsAt === undefined ? 'until an operator ends it' : `until ${dayTime(String(endsAt))}`
  confirmAct({
    title: 'Restrict trading?',
    about: (
      <>
        <p class="outcome">{`${MEANINGS[String(mode)]}.`}</p>
        <p>{`On the whole exchange, ${from}, ${until}.`}</p>
      </>
    ),
    act: 'Restrict trading',
    async run() {
      await access.call('POST', PATH, { body })
      form.reset()
      notices.good('The window is set.')
      again()
    },
  })
}

interface WindowsProps {
  readonly modes: Modes
  readonly context: OperatorContext
  readonly again: () => void
}

function Windows({ modes: { mode, windows }, context, again }: WindowsProps) {
  const rows = windows.map((window) => ({
    key: window.id,
    cells: [
      window.id,
      window.mode,
      dayTime(window.startsAt),
      window.endsAt === null ? 'open end' : dayTime(window.endsAt),
      <bdi>{visible(window.publicMessage)}</bdi>,
      <Button
        label="End"
        class="small"
        aria-label={`End window ${window.id}`}
        onClick={() => confirmEnd(window, context, again)}
      />,
    ],
  }))
  return (
    <div>
      <p class="mode">
        <span class={mode === 'normal' ? 'buy strong' : 'sell strong'}>{mode}</span>{' '}
        {`${MEANINGS[mode]}.`}
      </p>
      {windows.length === 0 ? (
        <p class="soft">No windows.</p>
      ) : (
        <Table label="Windows" columns={COLUMNS} rows={rows} />
      )}
    </div>
  )
}

function confirmEnd(
  { id, mode }: TradingWindow,
  { access, notices }: OperatorContext,
  again: () => void,
): void {
  confirmAct({
    title: `End window ${id}?`,
    about: <p>It restricts trading to {mode}. Trading continues without it.</p>,
    act: 'End the window',
    async run() {
      await access.call('DELETE', `${PATH}/${id}`)
      notices.good('The window is over.')
      again()
    },
  })
}
