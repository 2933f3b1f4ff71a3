// What an operator does to a market, in dialogs.

import { button, h } from '../../page/dom.ts'
import { actForm, typedIn } from '../../page/parts/act-form.ts'
import { openDialog, secondLook } from '../../page/parts/dialog.ts'
import { visible } from '../../page/visible.ts'
import { bodyOf, type FormField } from '../form-body.ts'
import { drawnField } from '../form-fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { ListedMarket } from '../operator-replies.ts'
import { OUTCOME_FIELDS, resolutionOf } from './resolution.ts'
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
/** Stand above the others. */
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

const drawnMore = (summary: string, fields: readonly FormField[]) =>
  h(
    'details',
    {},
    h('summary', {}, summary),
    h('div', { class: 'act-form' }, ...fields.map((each) => drawnField(each))),
  )

export function askToCreate({ access, notices }: OperatorContext, again: Again): void {
  const fields = [...NAMES, ...COMMON, ...CONTROL]
  const form = actForm(
    {
      act: 'Create this market',
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run(filled) {
        const body = bodyOf(fields, (name) => typedIn(filled, name))
        await access.call('POST', '/admin/markets', { body })
        dialog.close()
        notices.good('The market is made.')
        again()
      },
    },
    ...[...NAMES, ...COMMON].map((each) => drawnField(each)),
    drawnMore('More', CONTROL),
  )
  const dialog = openDialog('Create a market', form)
}

const pathOf = (slug: string) => `/admin/markets/${encodeURIComponent(slug)}`

/** What an act is done to: the slug is what the exchange goes by, so it stands by itself. */
function named({ slug, title }: ListedMarket): HTMLElement {
  return h(
    'p',
    { class: 'named' },
    h('bdi', { class: 'strong' }, visible(title)),
    h('code', {}, slug),
  )
}

export function askToEdit(
  market: ListedMarket,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const [description, ...rest] = EDITED_FIELDS
  const form = actForm(
    {
      act: 'Save',
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run(filled) {
        const typed = bodyOf([TITLE, ...EDITED_FIELDS], (name) => typedIn(filled, name))
        const { title: same, ...others } = typed
        const body = same === market.title ? others : typed
        if (Object.keys(body).length > 0) {
          await access.call('PATCH', pathOf(market.slug), { body })
          notices.good('The market is changed.')
        }
        dialog.close()
        again()
      },
    },
    named(market),
    drawnField(TITLE, market.title),
    drawnField({ ...description, hint: 'Empty leaves it as it is.' }),
    drawnMore('More; what is empty stays as it is', rest),
  )
  const dialog = openDialog('Edit the market', form)
}

export function askToLock(
  market: ListedMarket,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const isLocked = market.status === 'LOCKED'
  const what = isLocked ? 'It takes orders again.' : 'Trading stops, and its open orders end.'
  secondLook({
    title: isLocked ? 'Unlock this market?' : 'Lock this market?',
    about: [named(market), h('p', {}, what)],
    act: isLocked ? 'Unlock market' : 'Lock market',
    async run() {
      await access.call('POST', `${pathOf(market.slug)}/${isLocked ? 'unlock' : 'lock'}`)
      notices.good(isLocked ? 'The market is unlocked.' : 'The market is locked.')
      again()
    },
  })
}

/** First the outcome, then a second dialog that repeats it and wants the slug. */
export function askToResolve(market: ListedMarket, context: OperatorContext, again: Again): void {
  const form = actForm(
    {
      act: 'Go on',
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run(filled) {
        const resolution = resolutionOf(market.slug, (name) => typedIn(filled, name))
        dialog.close()
        lookAgain(market, resolution, context, again)
      },
    },
    named(market),
    ...OUTCOME_FIELDS.map((each) => drawnField(each)),
  )
  const dialog = openDialog('Resolve a market', form)
}

function lookAgain(
  market: ListedMarket,
  { path, body, sentence }: ReturnType<typeof resolutionOf>,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  secondLook({
    title: 'Resolve this market?',
    about: [
      named(market),
      h('p', { class: 'outcome' }, sentence),
      h('p', {}, 'Open orders end, and shares are paid out. This cannot be taken back.'),
    ],
    act: 'Resolve market',
    typed: market.slug,
    async run() {
      await access.call('POST', path, { body })
      notices.good(`Resolved: ${market.slug}.`)
      again()
    },
  })
}
