import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SESSION_COOKIES } from '../../server/auth/session-names.ts'
import type { WatchedPage } from '../support/browser.ts'
import { act, BrowserStage, part, trade } from '../support/browser-stage.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN, type Trader } from '../support/live-exchange.ts'
import type { LiveMarket } from '../support/live-orders.ts'
import { accepted } from '../support/replies.ts'

// People trade on the pages of the exchange: what one does by clicking, another sees.

const FUNDS_RAW = 1_000_000_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let stage: BrowserStage
let market: LiveMarket
let alice: Trader
let bob: Trader
before(async () => {
  stage = await BrowserStage.open()
  market = await stage.live.openMarket('rain-tomorrow')
  alice = await stage.live.trader(FUNDS_RAW)
  bob = await stage.live.trader(FUNDS_RAW)
})
after(() => stage.close())

/** The position of a page has so many shares, at this average price. */
async function held(page: WatchedPage['page'], shares: string, average: string): Promise<void> {
  const position = part(page, 'My position')
  await position.getByRole('heading', { name: shares }).waitFor()
  await position.getByText(average, { exact: true }).first().waitFor()
}

test('a trade that is clicked in one page shows in another page', async () => {
  const path = `/#/market/${market.slug}`
  const maker = await stage.member(bob, path)
  const taker = await stage.member(alice, path)
  await trade(maker.page, { outcome: 'NO', price: '48', shares: '30' })
  await stage.ladderIs(taker.page, market.slug, 1)
  assert.match(
    await trade(taker.page, { outcome: 'YES', price: '52', shares: '10' }),
    /^Bought 10 YES for \$5\.20\./,
  )
  await stage.ladderIs(maker.page, market.slug, 1)
  const row = part(maker.page, 'Trades').getByRole('row', { name: /Buy.*52(?:\.0)?¢.*10/ })
  await row.waitFor()
  await held(maker.page, '10 NO', '48¢')
  await held(taker.page, '10 YES', '52¢')
  await part(maker.page, 'My orders').getByText('20 of 30').waitFor()
  await part(maker.page, 'My orders')
    .getByRole('button', { name: /^Cancel/ })
    .click()
  await stage.ladderIs(taker.page, market.slug, 0)
  await maker.page.goto(`${stage.baseUrl}/#/account`)
  await part(maker.page, 'Positions')
    .getByRole('row', { name: /rain-tomorrow.*NO/ })
    .waitFor()
  await maker.close()
  await taker.close()
})

test('a login makes one token, keeps its cookie from scripts, and a logout ends both', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page, context } = watched
  await trade(page, { outcome: 'YES', price: '5', shares: '10' })
  await trade(page, { outcome: 'YES', price: '6', shares: '10' })
  const cookies = await context.cookies()
  const kinds = cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])
  assert.deepEqual(
    kinds.sort(),
    [...SESSION_COOKIES].sort().map((name) => [name, true, 'Lax']),
  )
  assert.equal(await page.evaluate('document.cookie'), '')
  const kept: { tokenId: string; secret: string } = JSON.parse(
    await page.evaluate("localStorage.getItem('trader-token')"),
  )
  const tokens = () => stage.live.call(kept, 'GET', '/auth/api-tokens')
  const { body } = await tokens()
  assert.ok(Array.isArray(body))
  const labels = body.map((each) => at(each, 'label'))
  assert.equal(labels.filter((label) => label === 'console').length, 1, 'two orders, one token')
  await page.reload()
  await act(page, 'Log out').waitFor()
  await trade(page, { outcome: 'YES', price: '7', shares: '10' })
  assert.equal(
    await page.evaluate("JSON.parse(localStorage['trader-token']).tokenId"),
    kept.tokenId,
  )
  await act(page, 'Log out').click()
  await act(page.getByRole('banner'), 'Log in').waitFor()
  assert.equal((await tokens()).status, 401, 'the token is revoked')
  assert.equal(await page.evaluate('localStorage.getItem("trader-token")'), null)
  assert.deepEqual(await context.cookies(), [])
  await watched.close()
})

test('a session that ended elsewhere leaves a page that asks for a login', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const watched = await stage.member(trader, '/#/account')
  const { page, context } = watched
  await part(page, 'Balance').getByText('$1,000.00').first().waitFor()
  const [cookie] = await context.cookies()
  const headers = { cookie: `${cookie?.name}=${cookie?.value}` }
  await accepted(stage.live.send('DELETE', '/auth/sessions', { headers }))
  await page.reload()
  await act(page.getByRole('banner'), 'Log in').waitFor()
  await page.getByText('Balance, positions, orders and API tokens belong to a wallet').waitFor()
  await watched.close()
})

test('who logs out everywhere ends the other pages, and none of them trades on', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const path = `/#/market/${market.slug}`
  const one = await stage.member(trader, path)
  const other = await stage.member(trader, '/#/account')
  await trade(one.page, { outcome: 'YES', price: '5', shares: '10' })
  const kept: { tokenId: string; secret: string } = JSON.parse(
    await one.page.evaluate("localStorage.getItem('trader-token')"),
  )
  await act(part(other.page, 'Sessions'), 'Log out everywhere').click()
  await act(other.page, 'Log out all browsers').click()
  await act(other.page.getByRole('banner'), 'Log in').waitFor()
  const requested = await stage.live.call(kept, 'GET', '/auth/api-tokens')
  assert.equal(requested.status, 401, 'the token of the other page is revoked')
  await order(one.page)
  await isOut(one)
  await one.close()
  await other.close()
})

test('a page whose sessions an operator ended asks for a login before an order', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page } = watched
  await trade(page, { outcome: 'YES', price: '5', shares: '10' })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const path = `/admin/profiles/${trader.profileId}/sessions`
  await accepted(stage.live.send('DELETE', path, { headers }))
  await order(page)
  await isOut(watched)
  const { reservedRaw } = stage.live.balances(trader)
  assert.equal(reservedRaw, 500_000, 'the order before the end is the only one')
  await watched.close()
})

/** Fills in and sends an order, whatever comes of it. */
async function order(page: WatchedPage['page']): Promise<void> {
  const ticket = part(page, 'Order ticket')
  await ticket.locator('input[name="price"]').fill('5')
  await ticket.locator('input[name="amount"]').fill('10')
  await ticket.locator('button[type="submit"]').click()
}

/** The page says once that its session is over, shows the login, and keeps no token. */
async function isOut({ page }: WatchedPage): Promise<void> {
  await act(page.getByRole('banner'), 'Log in').waitFor()
  await act(part(page, 'Order ticket'), 'Log in to trade').waitFor()
  const stated = page.locator('.notice').getByText('The session has ended; log in again.')
  await stated.waitFor()
  assert.equal(await stated.count(), 1)
  assert.equal(await page.evaluate('localStorage.getItem("trader-token")'), null)
}

test('keys alone lead from the search to the ticket', async () => {
  const watched = await stage.visit('/')
  const { page } = watched
  await page.locator(`[data-slug="${market.slug}"]`).waitFor()
  await page.keyboard.press('/')
  const focused = (what: string) => page.evaluate<string>(`document.activeElement?.${what} ?? ''`)
  assert.equal(await focused('name'), 'search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await part(page, 'Order ticket').waitFor()
  const names: string[] = []
  while (names.at(-1) !== 'amount') {
    assert.ok(names.length < 80, `tab comes to the ticket: ${names}`)
    await page.keyboard.press('Tab')
    names.push((await focused('name')) || (await focused('textContent')))
  }
  for (const name of ['side', 'outcome', 'type', 'price']) assert.ok(names.includes(name), name)
  await watched.close()
})

test('a pool takes what a visitor lets it take, and trades both ways', async () => {
  await stage.live.openGroupAndPool()
  const watched = await stage.member(alice, '/#/market/pool')
  const { page } = watched
  const ticket = part(page, 'Trade with the pool')
  const amount = ticket.locator('input[name="amount"]')
  await amount.fill('10')
  await ticket.getByText('19.82 YES').waitFor()
  await act(ticket, 'Buy YES').click()
  await ticket.getByText('Approve the pool once for this market, then buy.').waitFor()
  await act(ticket, 'Approve dollars for this pool').click()
  await act(ticket, 'Buy YES').click()
  await page.getByText('Bought 19.82 YES for $10.00.').waitFor()
  await part(page, 'My position').getByRole('heading', { name: '19.82 YES' }).waitFor()
  await ticket.getByRole('radio', { name: 'Sell', exact: true }).check()
  await ticket.getByRole('button', { name: /^Max/ }).click()
  await ticket.getByText('19.82 YES').waitFor()
  assert.match(await amount.inputValue(), /^9\.9[0-9]+$/)
  await act(ticket, 'Sell YES').click()
  await act(ticket, 'Approve shares for this pool').click()
  await act(ticket, 'Sell YES').click()
  await page.getByText(/^Sold 19.82 YES for/).waitFor()
  await watched.close()
})

test('an order without an answer says that it may have arrived', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page } = watched
  await page.route('**/orders', (route) => route.abort())
  await order(page)
  await part(page, 'Order ticket')
    .getByText('The order may or may not have arrived: look at My orders')
    .waitFor()
  await watched.close()
})

test('a notice does not stand over own orders and positions on a wide screen', async () => {
  const trader = await stage.live.trader(FUNDS_RAW)
  const watched = await stage.member(trader, `/#/market/${market.slug}`)
  const { page } = watched
  await order(page)
  const notices = await page.locator('.notice').last().boundingBox()
  const own = await part(page, 'My orders').boundingBox()
  assert.ok(notices !== null && own !== null, 'both are shown')
  const noticeEnd = notices.x + notices.width
  assert.ok(noticeEnd <= own.x, `the notice ends at ${noticeEnd}, own orders begin at ${own.x}`)
  await watched.close()
})

// The last test: it leaves the clocks of the exchange and of the pages apart.
test('an order with an end leaves the book when its time has come', async () => {
  const rain = await stage.live.openMarket('rain-today')
  const watched = await stage.member(alice, `/#/market/${rain.slug}`)
  const { page } = watched
  await trade(page, { outcome: 'YES', price: '6', shares: '10' })
  await part(page, 'Order ticket').locator('select[name="until"]').selectOption('hour')
  await trade(page, { outcome: 'YES', price: '5', shares: '10' })
  await stage.ladderIs(page, rain.slug, 2)
  stage.live.shiftClock(HOUR_MS + MINUTE_MS)
  await stage.ladderIs(page, rain.slug, 1)
  await watched.close()
})
