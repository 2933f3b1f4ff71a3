import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { mayArchive, mayPayOut } from '../../../../engine/core/decide/endings.ts'
import {
  decideGroup,
  decideMarkets,
  decideResolve,
  newMarkets,
} from '../../../../engine/core/decide/markets.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { MarketSpec } from '../../../../engine/domain/markets/market.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { marketSpec } from '../../../support/specs.ts'

// A group is a market without a book and without tokens; its children trade (rules §6.3).

const groupSpec = (): MarketSpec => ({
  ...marketSpec(1, { slug: 'winner' }),
  kind: 'group',
  conditionId: '',
  yesTokenId: '',
  noTokenId: '',
})

function opened(children = 3) {
  const driver = new ExchangeDriver(64)
  const { clearing } = driver
  const ofGroup = Array.from({ length: children }, (_, index) => {
    return marketSpec(index + 2, { groupId: 1, orderInGroup: index })
  })
  const specs = [groupSpec(), ...ofGroup]
  assert.equal(decideMarkets(clearing, specs), null)
  driver.control({ kind: 'createGroup', markets: newMarkets(clearing, specs) })
  const market = (marketId: number) => clearing.catalogue.existing(marketId)
  const statuses = () => clearing.catalogue.all().map(({ status }) => status)
  return { driver, clearing, market, statuses }
}

test('a group takes no book, and its children take the lowest free ones', () => {
  const { clearing } = opened()
  assert.deepEqual(
    clearing.catalogue.all().map(({ book, groupId }) => [book, groupId]),
    [
      [0, undefined],
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  )
  assert.deepEqual(
    clearing.catalogue.childrenOf(1).map(({ marketId }) => marketId),
    [2, 3, 4],
  )
})

test('a group needs books for all children and slugs that differ', () => {
  const { clearing } = new ExchangeDriver(64)
  const children = [marketSpec(2), marketSpec(3)]
  const decide = (specs: readonly MarketSpec[], booksMax: number = LIMITS.booksMax) =>
    rejectName(decideMarkets(clearing, specs, booksMax))
  assert.equal(decide([groupSpec(), ...children], 1), 'MARKET_LIMIT')
  assert.equal(decide([groupSpec(), ...children], 2), 'NONE')
  assert.equal(decide([groupSpec(), marketSpec(2), marketSpec(2)]), 'SLUG_TAKEN')
})

test('one command resolves all children, to exactly one winner', () => {
  const { driver, clearing, market, statuses } = opened()
  assert.equal(rejectName(decideResolve(market(2), [1, 0])), 'MARKET_OF_GROUP')
  assert.equal(rejectName(decideResolve(market(1), [1, 0])), 'MARKET_OF_GROUP')
  const decide = (groupId: number, winner: number | null) =>
    decideGroup(clearing, market(groupId), winner === null ? undefined : market(winner))
  for (const [groupId, winner, name] of [
    [2, 3, 'MARKET_NOT_GROUP'],
    [1, null, 'WINNER_NOT_IN_GROUP'],
    [1, 1, 'WINNER_NOT_IN_GROUP'],
  ] as const) {
    const refusal = decide(groupId, winner)
    assert.equal(refusal instanceof Reject && refusal.name, name)
  }
  const resolutions = decide(1, 3)
  assert.ok(!(resolutions instanceof Reject))
  driver.control({ kind: 'resolveMarkets', resolutions })
  assert.deepEqual(statuses(), ['RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED'])
  assert.deepEqual(
    [2, 3, 4].map((id) => market(id).payoutNumerators),
    [
      [0, 1],
      [1, 0],
      [0, 1],
    ],
  )
  const again = decide(1, 3)
  assert.equal(again instanceof Reject && again.name, 'MARKET_RESOLVED')
})

test('a group trades while one of its children does', () => {
  const { driver, market } = opened(2)
  driver.control({ kind: 'lockMarket', marketId: 2 })
  assert.equal(market(1).status, 'FUNDED')
  driver.control({ kind: 'lockMarket', marketId: 3 })
  assert.equal(market(1).status, 'LOCKED')
  driver.control({ kind: 'unlockMarket', marketId: 3 })
  assert.equal(market(1).status, 'FUNDED')
})

test('a group leaves memory behind its children, and a snapshot keeps its place', () => {
  const { driver, clearing, market } = opened(2)
  const resolutions = decideGroup(clearing, market(1), market(2))
  assert.ok(!(resolutions instanceof Reject))
  driver.control({ kind: 'resolveMarkets', resolutions })
  assert.equal(mayArchive(clearing, market(1)), false)
  assert.deepEqual(
    [1, 2, 3].map((id) => mayPayOut(clearing, market(id))),
    [false, true, true],
  )
  driver.control({ kind: 'postPayouts', marketIds: [2, 3] })
  driver.control({ kind: 'archiveMarket', marketId: 2 })
  const model = restore(structuredClone(capture(driver.exchange)))
  assert.equal(model.clearing.catalogue.childrenOf(1).length, 1)
  assert.equal(model.stateHash(), driver.exchange.stateHash())
  for (const marketId of [3, 1]) {
    const ofModel = model.clearing.catalogue.existing(marketId)
    assert.ok(mayArchive(model.clearing, ofModel), `market ${marketId} is over`)
    model.clearing.catalogue.archive(marketId)
  }
  assert.equal(model.clearing.catalogue.count, 0)
})
