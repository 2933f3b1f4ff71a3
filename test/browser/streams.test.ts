import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WatchedPage } from '../support/browser.ts'
import { until } from '../support/browser.ts'
import { BrowserStage, ladderOf } from '../support/browser-stage.ts'
import type { Trader } from '../support/live-exchange.ts'
import type { LiveMarket } from '../support/live-orders.ts'
import { SocketRelay } from '../support/socket-relay.ts'

// A page whose stream is cut or loses a frame never shows a wrong book: it says that the book is
// behind, and has the exact book again afterwards.

const FUNDS_RAW = 1_000_000_000

let stage: BrowserStage
let relay: SocketRelay
let market: LiveMarket
let maker: Trader
before(async () => {
  stage = await BrowserStage.open()
  relay = await SocketRelay.open(stage.live.port)
  market = await stage.live.openMarket('rain-tomorrow')
  maker = await stage.live.trader(FUNDS_RAW)
})
after(async () => {
  relay.close()
  await stage.close()
})

async function bid(ticks: number): Promise<void> {
  const { status, text } = await stage.live.place(maker, market, { ticks })
  assert.equal(status, 201, text)
}

function open(): Promise<WatchedPage> {
  return stage.browser.visit(relay.baseUrl, `/#/market/${market.slug}`)
}

const stateIs = ({ page }: WatchedPage, state: string): Promise<void> =>
  until(page, async () => (await ladderOf(page)).state === state, `a ${state} ladder`)

test('a stream that is cut comes back with the exact book', async () => {
  await bid(400)
  const watched = await open()
  await stage.ladderIs(watched.page, market.slug, 1)
  const before = relay.openedCount
  relay.cut()
  await stateIs(watched, 'stale')
  await bid(410)
  await bid(420)
  const { state, levels } = await ladderOf(watched.page)
  assert.deepEqual(
    [state, levels.length],
    ['stale', 1],
    'nothing new is known, and the page says so',
  )
  relay.heal()
  await stage.ladderIs(watched.page, market.slug, 3)
  assert.ok(relay.openedCount > before, 'the page connected again')
  await bid(430)
  await stage.ladderIs(watched.page, market.slug, 4)
  await watched.close()
})

test('a frame of changes that is lost is noticed with the next one', async () => {
  const watched = await open()
  await stage.ladderIs(watched.page, market.slug, 4)
  const { sequence } = await ladderOf(watched.page)
  const lost = relay.lose((text) => text.includes('orderbookDelta'))
  await bid(300)
  await lost
  assert.equal((await ladderOf(watched.page)).levels.length, 4, 'the change did not arrive')
  await bid(310)
  await stage.ladderIs(watched.page, market.slug, 6)
  assert.ok((await ladderOf(watched.page)).sequence >= sequence + 2)
  await watched.close()
})

test('values in frames that are no values become text, never markup', async () => {
  const watched = await open()
  await stage.ladderIs(watched.page, market.slug, 6)
  const evil = '<img src=x onerror=alert(1)>'
  const frame = { marketSlug: market.slug, seq: 9, prevSeq: null, sequence: 9, tradeEventId: evil }
  const trade = { ...frame, price: 0.5, size: 1_000_000, side: evil, timestamp: evil }
  relay.say(`42/markets,${JSON.stringify(['trade', trade])}`)
  relay.say(`42/markets,${JSON.stringify(['marketCreated', { slug: evil, title: evil }])}`)
  relay.say(`42/markets,${JSON.stringify(['exception', { message: evil }])}`)
  await watched.page.locator('section[aria-label="Trades"]', { hasText: 'Invalid Date' }).waitFor()
  await bid(320)
  await stage.ladderIs(watched.page, market.slug, 7)
  assert.equal(await watched.page.locator('img').count(), 0)
  await watched.close()
})
