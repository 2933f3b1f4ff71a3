import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WatchedPage } from '../support/browser.ts'
import { act, BrowserStage, part } from '../support/browser-stage.ts'
import { at } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import type { LiveMarket } from '../support/live-orders.ts'
import { accepted } from '../support/replies.ts'

// What an operator does to a market or to all of trading shows on the pages that are open.

const FUNDS_RAW = 1_000_000_000
const CLOSED = 'Closed, waits for its resolution'

let stage: BrowserStage
let trader: Trader
before(async () => {
  stage = await BrowserStage.open()
  trader = await stage.live.trader(FUNDS_RAW)
})
after(() => stage.close())

type Page = WatchedPage['page']

async function acts(path: string): Promise<void> {
  const { status, text } = await stage.live.admin(path, {})
  assert.equal(status, 200, text)
}

async function flag(market: LiveMarket): Promise<void> {
  const path = `/admin/markets/${market.slug}/flag`
  const reply = await stage.live.operator('PUT', path, { isFlagged: true })
  assert.equal(reply.status, 200, reply.text)
}

/** A page that somebody returns to requests again what no stream carries. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
}

async function order(page: Page, submit: string): Promise<void> {
  const ticket = part(page, 'Order ticket')
  await ticket.locator('input[name="price"]').fill('5')
  await ticket.locator('input[name="amount"]').fill('10')
  await act(ticket, submit).click()
}

test('a market that is locked closes on its page, and opens again when unlocked', async () => {
  const market = await stage.live.openMarket('rain-tomorrow')
  await accepted(stage.live.place(trader, market, { ticks: 400 }), 201)
  const watched = await stage.visit(`/#/market/${market.slug}`)
  const { page } = watched
  const chip = page.locator('.market-head .chip')
  await stage.ladderIs(page, market.slug, 1)
  await acts(`/admin/markets/${market.slug}/lock`)
  await chip.getByText(CLOSED).waitFor()
  await part(page, 'Order ticket').getByText('The market takes no orders now.').waitFor()
  await part(page, 'Order book').getByText('The market is closed: no book.').waitFor()
  await acts(`/admin/markets/${market.slug}/unlock`)
  await comeBack(page)
  await chip.getByText('Open', { exact: true }).waitFor()
  await part(page, 'Order ticket').getByRole('button', { name: 'Log in to trade' }).waitFor()
  await flag(market)
  await comeBack(page)
  await chip.getByText('Open, its book is not shown').waitFor()
  await watched.close()
})

test('an order that is refused for the state of its market shows that state', async () => {
  const market = await stage.live.openMarket('snow-tomorrow')
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page } = watched
  await stage.ladderIs(page, market.slug, 0)
  // A page that reads the market again meanwhile would take its ticket away.
  let ordered = () => {}
  const isOrdered = new Promise<void>((resolve) => {
    ordered = resolve
  })
  await page.route(`**/markets/${market.slug}*`, async (route) => {
    await isOrdered
    await route.continue()
  })
  await acts(`/admin/markets/${market.slug}/lock`)
  await order(page, 'Buy YES')
  ordered()
  await page.locator('.market-head .chip').getByText(CLOSED).waitFor()
  await watched.close()
})

test('a restriction of trading is shown with the words of the operator, as text', async () => {
  const market = await stage.live.openMarket('hail-tomorrow')
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page } = watched
  const publicMessage = 'An update. <img src=x onerror=alert(1)>'
  const set = await stage.live.admin('/admin/trading-modes', { mode: 'cancel_only', publicMessage })
  assert.equal(set.status, 201, set.text)
  await order(page, 'Buy YES')
  const banner = page.locator('.banner')
  await banner.getByText('Only cancellations are accepted.').waitFor()
  await banner.getByText(publicMessage).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  const id = Number(at(set.body, 'id'))
  await accepted(stage.live.operator('DELETE', `/admin/trading-modes/${id}`))
  await comeBack(page)
  await banner.getByText('Only cancellations are accepted.').waitFor({ state: 'detached' })
  await watched.close()
})
