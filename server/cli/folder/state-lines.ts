import type { Exchange } from '../../../engine/core/exchange.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { type AccountId, type MarketId, SYSTEM_ACCOUNTS } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { unitsOf } from '../decimals.ts'

// A state as lines of text, each with a name of its own, so that two states can be compared.

const OUTCOMES = ['YES', 'NO'] as const
const SYSTEM_NAMES = ['fees', 'burned', 'vault', 'pools', 'rewards', 'house', 'packs'] as const

/** The line of each thing that the state holds, by the name of the thing. */
export type StateLines = ReadonlyMap<string, string>

const units = (raw: number) => unitsOf(BigInt(raw))

function nameOf(account: AccountId): string {
  const system = SYSTEM_ACCOUNTS.indexOf(account)
  return system === -1 ? `profile ${account}` : `account ${SYSTEM_NAMES[system]}`
}

export function stateLines({ clearing }: Exchange): StateLines {
  const { accounts, ledger, catalogue, orders } = clearing
  const lines = new Map<string, string>()
  const slugOf = (marketId: MarketId) => catalogue.byId(marketId)?.slug ?? `market ${marketId}`
  const profiles = Array.from({ length: accounts.count }, (_each, index) => index + 1)
  for (const account of [...SYSTEM_ACCOUNTS, ...profiles]) {
    const name = nameOf(account)
    const free = units(ledger.freeRaw(account))
    lines.set(name, `${name}: free ${free}, in orders ${units(ledger.reservedRaw(account))}`)
  }
  for (const { slug, status, conditionRaw } of catalogue.all()) {
    const name = `market ${slug}`
    lines.set(name, `${name}: ${status}, collateral ${units(conditionRaw)}`)
  }
  for (let row = 1; row < ledger.rows.end; row++) {
    if (!ledger.rows.isLive(row)) continue
    const owner = nameOf(ledger.rows.accountOf(row))
    for (const [outcome, token] of OUTCOMES.entries()) {
      const [free, reserved] = [ledger.sharesFreeRaw, ledger.sharesReservedRaw].map(
        (column) => column[row * 2 + outcome],
      )
      if (free === 0 && reserved === 0) continue
      const name = `${owner}, ${token} of ${slugOf(ledger.rows.marketOf(row))}`
      lines.set(name, `${name}: free ${units(free)}, in orders ${units(reserved)}`)
    }
  }
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    const side = orders.sideOf(slot) === SIDE.BUY ? 'buys' : 'sells'
    const token = `${OUTCOMES[orders.outcomeOf(slot)]} of ${slugOf(orders.marketOf(slot))}`
    const price = (orders.priceTicksOf(slot) / 1000).toFixed(3)
    const held = orders.stateOf(slot) === STATE.HELD ? ', held' : ''
    const left = `${units(orders.leftRawOf(slot))} of ${units(orders.sizeRawOf(slot))}`
    const name = `order ${orders.seqOf(slot)}`
    const owner = nameOf(orders.accountOf(slot))
    lines.set(name, `${name}: ${owner} ${side} ${token} at ${price}, open ${left}${held}`)
  }
  return lines
}

/** What was and is no more, and what is and was not; a changed line is both. */
export function changedLines(before: StateLines, after: StateLines): string[] {
  const gone = [...before].filter(([name, line]) => after.get(name) !== line)
  const fresh = [...after].filter(([name]) => !before.has(name))
  return [
    ...gone.flatMap(([name, line]) => {
      const now = after.get(name)
      return now === undefined ? [`- ${line}`] : [`- ${line}`, `+ ${now}`]
    }),
    ...fresh.map(([, line]) => `+ ${line}`),
  ]
}
