// What the exchange has and what it owes, as it was counted last.

import type { Seq } from '../../../../engine/domain/ids.ts'
import { Refused } from '../../exchange/api.ts'
import { button, type Child, h } from '../../page/dom.ts'
import { type PagedList, pagedList } from '../../page/parts/paged-list.ts'
import { region } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import type { View } from '../../page/view.ts'
import { dayTime, dollars, units } from '../../page/words.ts'
import type { OperatorContext } from '../operator-context.ts'

interface Sums {
  readonly assetsRaw: string
  readonly debtsRaw: string
  readonly obligationsRaw: string
  readonly differenceRaw: string
}

interface Counted {
  readonly snapshot: Sums & {
    readonly seq: Seq
    readonly at: string
    readonly root: string
    readonly stateHash: string
    readonly advancedRaw: string
  }
  readonly tokens: readonly (Sums & { readonly token: string })[]
  readonly next: number | null
}

const TOKENS_A_PAGE = 50
const LOOK_MS = 1000
const LOOKS_MAX = 60
const NOT_COUNTED = 'NOT_COUNTED'

export function solvencyView({ access, notices }: OperatorContext): View {
  let shownCount = ''
  const list: PagedList = pagedList<number>(async (cursor, signal) => {
    const path = `/admin/solvency?after=${cursor ?? 0}&limit=${TOKENS_A_PAGE}`
    try {
      const counted = await access.call<Counted>('GET', path, { signal })
      shownCount = `${counted.snapshot.seq} ${counted.snapshot.at}`
      return { content: shown(counted), next: counted.next }
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== NOT_COUNTED) throw error
      return { content: h('p', { class: 'soft' }, error.message), next: null }
    }
  })
  let looking = 0
  /** A count takes a while, and nothing tells when it is made. */
  const lookForCount = () => {
    clearInterval(looking)
    const before = shownCount
    let looks = 0
    looking = setInterval(() => {
      looks++
      if (shownCount !== before || looks > LOOKS_MAX) clearInterval(looking)
      else list.first()
    }, LOOK_MS)
  }
  const count = button('Count now', async () => {
    count.disabled = true
    try {
      await access.call('POST', '/admin/solvency')
      notices.good('The count began. It shows here when it is made.')
      lookForCount()
    } catch (error) {
      notices.failure(error)
    }
    count.disabled = false
  })
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Solvency'),
    h(
      'div',
      { class: 'row tools' },
      count,
      button('Reload', () => list.first()),
    ),
    region('Newest count', list.element),
  )
  const stop = () => {
    clearInterval(looking)
    list.stop()
  }
  return { title: 'Solvency', element, stop }
}

function shown({ snapshot, tokens }: Counted): Child {
  const { assetsRaw, debtsRaw, advancedRaw, obligationsRaw, differenceRaw } = snapshot
  const isWhole = differenceRaw === '0'
  const figure = (label: string, raw: string, look = '') =>
    h('div', { class: 'figure' }, h('dt', {}, label), h('dd', { class: look }, dollars(raw)))
  const verdict = isWhole
    ? h('p', { class: 'buy strong' }, 'What it has is what it owes.')
    : h('p', { class: 'sell strong' }, 'What it has differs from what it owes.')
  return h(
    'div',
    {},
    verdict,
    h(
      'dl',
      { class: 'figures' },
      figure('Assets', assetsRaw),
      figure('Debts to it', debtsRaw),
      figure('Paid in advance', advancedRaw),
      figure('Obligations', obligationsRaw),
      figure('Difference', differenceRaw, isWhole ? '' : 'sell'),
    ),
    h(
      'dl',
      { class: 'facts' },
      ...[h('dt', {}, 'State after'), h('dd', {}, `${snapshot.seq}, ${dayTime(snapshot.at)}`)],
      ...[h('dt', {}, 'Root'), h('dd', {}, h('code', {}, snapshot.root))],
      ...[h('dt', {}, 'State hash'), h('dd', {}, h('code', {}, snapshot.stateHash))],
    ),
    h('div', { class: 'table-box' }, tokenTable(tokens)),
  )
}

function tokenTable(tokens: Counted['tokens']): HTMLElement {
  const columns = [
    'Token',
    ...['Assets', 'Debts', 'Obligations', 'Difference'].map((number) => ({ number })),
  ]
  const rows = tokens.map(({ token, assetsRaw, debtsRaw, obligationsRaw, differenceRaw }) => [
    token,
    units(assetsRaw),
    units(debtsRaw),
    units(obligationsRaw),
    h('span', { class: differenceRaw === '0' ? 'soft' : 'sell strong' }, units(differenceRaw)),
  ])
  return table('Tokens', columns, rows)
}
