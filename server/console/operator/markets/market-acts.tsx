// What an operator does to a market, in dialogs.

import { ActForm, typedIn } from '../../page/act-form.tsx'
import { confirmAct, openDialog } from '../../page/dialog.tsx'
import { visible } from '../../page/format.ts'
import type { OperatorContext } from '../access.ts'
import { bodyOf, type FormField } from '../form-body.ts'
import { FormFields } from '../form-fields.tsx'
import type { ListedMarket } from '../operator-replies.ts'
import { OUTCOME_FIELDS, type Resolution, resolutionOf } from './resolution.ts'
import { CREATED_FIELDS, EDITED_FIELDS } from './setting-fields.ts'

type Again = () => void

const text = (name: string, label: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label,
  kind: 'text',
  ...more,
})

const NAMES: readonly FormField[] = [
  text('slug', 'Slug', { isNeeded: true, hint: 'Its name in addresses: lower case and dashes.' }),
  text('title', 'Title', { isNeeded: true, hint: 'The question.' }),
]
const DEADLINE = text('deadline', 'Trading ends', {
  kind: 'instant',
  hint: 'Your local time; empty for never.',
})
/** Shown above the others. */
const FIRST = new Set(['description', 'categories', 'tags', 'fee'])
const COMMON: readonly FormField[] = [
  { name: 'kind', label: 'Kind', kind: 'choice', choices: ['clob', 'amm'] },
  ...CREATED_FIELDS.filter(({ name }) => FIRST.has(name)),
  DEADLINE,
]
const CONTROL: readonly FormField[] = [
  ...CREATED_FIELDS.filter(({ name }) => !FIRST.has(name)),
  text('poolFeeBps', 'Fee of the pool in basis points', { kind: 'number', hint: 'For amm alone.' }),
  text('adapterAddress', 'Adapter contract'),
]
const TITLE = text('title', 'Title', { isNeeded: true })

function More({
  summary,
  fields,
}: {
  readonly summary: string
  readonly fields: readonly FormField[]
}) {
  return (
    <details>
      <summary>{summary}</summary>
      <div class="act-form">
        <FormFields fields={fields} />
      </div>
    </details>
  )
}

export function openCreation({ access, notices }: OperatorContext, again: Again): void {
  const fields = [...NAMES, ...COMMON, ...CONTROL]
  const create = async (form: HTMLFormElement, close: () => void) => {
    const body = bodyOf(fields, (name) => typedIn(form, name))
    await access.call('POST', '/admin/markets', { body })
    close()
    notices.good('The market is created.')
    again()
  }
  openDialog('Create a market', (close) => (
    <ActForm act="Create this market" cancel={close} run={(form) => create(form, close)}>
      <FormFields fields={NAMES} />
      <FormFields fields={COMMON} />
      <More summary="More" fields={CONTROL} />
    </ActForm>
  ))
}

const pathOf = (slug: string) => `/admin/markets/${encodeURIComponent(slug)}`

/** The exchange identifies a market by its slug, so the slug has its own line. */
function Named({ market: { slug, title } }: { readonly market: ListedMarket }) {
  return (
    <p class="named">
      <bdi class="strong">{visible(title)}</bdi>
      <code>{slug}</code>
    </p>
  )
}

export function openEdit(
  market: ListedMarket,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const [description, ...rest] = EDITED_FIELDS
  const save = async (form: HTMLFormElement, close: () => void) => {
    const typed = bodyOf([TITLE, ...EDITED_FIELDS], (name) => typedIn(form, name))
    const { title, ...others } = typed
    const body = title === market.title ? others : typed
    if (Object.keys(body).length > 0) {
      await access.call('PATCH', pathOf(market.slug), { body })
      notices.good('The market is changed.')
    }
    close()
    again()
  }
  openDialog('Edit the market', (close) => (
    <ActForm act="Save" cancel={close} run={(form) => save(form, close)}>
      <Named market={market} />
      <FormFields
        fields={[TITLE, { ...description, hint: 'Leave empty to keep it.' }]}
        values={{ title: market.title }}
      />
      <More summary="More; empty fields keep their values" fields={rest} />
    </ActForm>
  ))
}

export function confirmLock(
  market: ListedMarket,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const isLocked = market.status === 'LOCKED'
  confirmAct({
    title: isLocked ? 'Unlock this market?' : 'Lock this market?',
    about: (
      <>
        <Named market={market} />
        <p>{isLocked ? 'It accepts orders again.' : 'Trading stops, and its open orders end.'}</p>
      </>
    ),
    act: isLocked ? 'Unlock market' : 'Lock market',
    async run() {
      await access.call('POST', `${pathOf(market.slug)}/${isLocked ? 'unlock' : 'lock'}`)
      notices.good(isLocked ? 'The market is unlocked.' : 'The market is locked.')
      again()
    },
  })
}

/** First the outcome, then a second dialog that repeats it and wants the slug. */
export function openResolution(market: ListedMarket, context: OperatorContext, again: Again): void {
  const proceed = async (form: HTMLFormElement, close: () => void) => {
    const resolution = resolutionOf(market.slug, (name) => typedIn(form, name))
    close()
    confirmResolution(market, resolution, context, again)
  }
  openDialog('Resolve a market', (close) => (
    <ActForm act="Continue" cancel={close} run={(form) => proceed(form, close)}>
      <Named market={market} />
      <FormFields fields={OUTCOME_FIELDS} />
    </ActForm>
  ))
}

function confirmResolution(
  market: ListedMarket,
  { path, body, sentence }: Resolution,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  confirmAct({
    title: 'Resolve this market?',
    about: (
      <>
        <Named market={market} />
        <p class="outcome">{sentence}</p>
        <p>Open orders end, and shares are paid out. This cannot be undone.</p>
      </>
    ),
    act: 'Resolve market',
    typed: market.slug,
    async run() {
      await access.call('POST', path, { body })
      notices.good(`Resolved: ${market.slug}.`)
      again()
    },
  })
}
