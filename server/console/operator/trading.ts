// Trading modes: what is taken now, and windows in which less is.

import { button, type Child, h } from '../page/dom.ts'
import { actForm, typedIn } from '../page/parts/act-form.ts'
import { secondLook } from '../page/parts/dialog.ts'
import { type PagedList, pagedList } from '../page/parts/paged-list.ts'
import { region } from '../page/parts/region.ts'
import { table } from '../page/parts/table.ts'
import type { View } from '../page/view.ts'
import { visible } from '../page/visible.ts'
import { dayTime } from '../page/words.ts'
import { bodyOf, type FormField } from './form-body.ts'
import { drawnField } from './form-fields.ts'
import type { OperatorContext } from './operator-context.ts'

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
  normal: 'Everything is taken.',
  post_only: 'Post-only orders and cancels are taken.',
  cancel_only: 'Cancels alone are taken.',
  disabled: 'Neither orders nor cancels are taken.',
}
const FIELDS: readonly FormField[] = [
  {
    name: 'mode',
    label: 'Mode',
    kind: 'choice',
    choices: ['post_only', 'cancel_only', 'disabled'],
    hint: 'What is still taken: post-only orders and cancels, cancels alone, or neither.',
  },
  { name: 'startsAt', label: 'From', kind: 'instant', hint: 'Your local time; empty for now.' },
  { name: 'endsAt', label: 'Until', kind: 'instant', hint: 'Empty until somebody ends it.' },
  { name: 'publicMessage', label: 'What traders are told', kind: 'text' },
]
const PATH = '/admin/trading-modes'

export function tradingView(context: OperatorContext): View {
  const list: PagedList = pagedList<never>(async (_cursor, signal) => {
    const modes = await context.access.call<Modes>('GET', PATH, { signal })
    return { content: shown(modes, context, () => list.again()), next: null }
  })
  const form = actForm(
    {
      act: 'Set a window',
      isMain: true,
      async run(filled) {
        askToSet(filled, context, () => list.again())
      },
    },
    ...FIELDS.map((each) => drawnField(each)),
  )
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Trading'),
    region('Now', list.element),
    region('New window', form),
  )
  return { title: 'Trading', element, stop: () => list.stop() }
}

function askToSet(
  form: HTMLFormElement,
  { access, notices }: OperatorContext,
  again: () => void,
): void {
  const body = bodyOf(FIELDS, (name) => typedIn(form, name))
  const { mode, startsAt, endsAt } = body
  const from = startsAt === undefined ? 'at once' : `from ${dayTime(String(startsAt))}`
  const until = endsAt === undefined ? 'until somebody ends it' : `until ${dayTime(String(endsAt))}`
  secondLook({
    title: 'Restrict trading?',
    about: [
      h('p', { class: 'outcome' }, MEANINGS[String(mode)]),
      h('p', {}, `On the whole exchange, ${from}, ${until}.`),
    ],
    act: 'Restrict trading',
    async run() {
      await access.call('POST', PATH, { body })
      form.reset()
      notices.good('The window is set.')
      again()
    },
  })
}

function shown({ mode, windows }: Modes, context: OperatorContext, again: () => void): Child {
  const now = h(
    'p',
    { class: 'mode' },
    h('span', { class: mode === 'normal' ? 'buy strong' : 'sell strong' }, mode),
    ' ',
    MEANINGS[mode],
  )
  if (windows.length === 0) return h('div', {}, now, h('p', { class: 'soft' }, 'No windows.'))
  const rows = windows.map((window) => [
    window.id,
    window.mode,
    dayTime(window.startsAt),
    window.endsAt === null ? 'open end' : dayTime(window.endsAt),
    h('bdi', {}, visible(window.publicMessage)),
    button('End', () => askToEnd(window, context, again), {
      class: 'small',
      attrs: { 'aria-label': `End window ${window.id}` },
    }),
  ])
  const columns = [{ number: 'Number' }, 'Mode', 'From', 'Until', 'Told', 'Act']
  return h('div', {}, now, h('div', { class: 'table-box' }, table('Windows', columns, rows)))
}

function askToEnd(
  { id, mode }: TradingWindow,
  { access, notices }: OperatorContext,
  again: () => void,
): void {
  secondLook({
    title: `End window ${id}?`,
    about: [h('p', {}, `It restricts trading to ${mode}. Trading goes on without it.`)],
    act: 'End the window',
    async run() {
      await access.call('DELETE', `${PATH}/${id}`)
      notices.good('The window is over.')
      again()
    },
  })
}
