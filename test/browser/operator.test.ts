import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until, type WatchedPage } from '../support/browser.ts'
import { act, BrowserStage, part } from '../support/browser-stage.ts'
import { ADMIN_TOKEN } from '../support/live-exchange.ts'
import { accepted } from '../support/replies.ts'

// What operators find and do on their page.

const PROFILES_A_PAGE = 50

let stage: BrowserStage
before(async () => {
  stage = await BrowserStage.open()
})
after(() => stage.close())

/** The page of operators with one of its tabs open. */
async function operator(tab: string): Promise<WatchedPage> {
  // The link of the first tab would otherwise change the address, and begin its view again.
  const watched = await stage.visit('/operator#/')
  const { page } = watched
  await page.locator('input').first().fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').getByRole('link', { name: tab, exact: true }).click()
  await page.getByRole('heading', { name: tab, level: 1, exact: true }).waitFor()
  return watched
}

test('the newest market stands first, and slugs and words find others', async () => {
  await stage.live.openMarket('rain-tomorrow', { title: 'Will it rain in Oslo?' })
  await stage.live.openMarket('snow-tomorrow')
  const watched = await operator('Markets')
  const { page } = watched
  const rows = part(page, 'All markets').locator('tbody tr')
  const first = (slug: string) => rows.first().getByText(slug, { exact: true }).waitFor()
  await first('snow-tomorrow')
  const wanted = page.locator('input[name="wanted"]')
  await wanted.fill('rain-tomorrow')
  await first('rain-tomorrow')
  await wanted.fill('nobody asks this')
  await page.getByText('No market has this slug').waitFor()
  await wanted.fill('rain in Oslo')
  await first('rain-tomorrow')
  await act(page, 'Create market').click()
  await page.locator('input[name="slug"]').fill('hail-tomorrow')
  await page.locator('input[name="title"]').fill('Will it hail?')
  await act(page, 'Create this market').click()
  await first('hail-tomorrow')
  await watched.close()
})

test('a search that finds nobody leaves no card, and a freeze shows in the list', async () => {
  const { account, profileId } = await stage.live.trader(0)
  await accepted(stage.live.admin('/admin/profiles', { account, username: 'rainmaker' }), 201)
  const watched = await operator('Profiles')
  const { page } = watched
  const wanted = page.locator('input[name="wanted"]')
  const row = part(page, 'All profiles').getByRole('row', { name: /rainmaker/ })
  await row.getByText('active').waitFor()
  await wanted.fill('@rainmaker')
  await act(page, 'Find').click()
  const card = part(page, `Profile ${profileId}`)
  await act(card, 'Freeze').click()
  await act(page, 'Freeze profile').click()
  await act(card, 'Unfreeze').waitFor()
  await row.getByText('frozen').waitFor()
  await wanted.fill('@nobody')
  await act(page, 'Find').click()
  await page.getByText('No profile has this account or username.').waitFor()
  assert.equal(await card.count(), 0)
  await watched.close()
})

test('a long list is read a page at a time, there and back', async () => {
  for (let count = 0; count <= PROFILES_A_PAGE; count++) await stage.live.trader(0)
  const watched = await operator('Profiles')
  const { page } = watched
  const list = part(page, 'All profiles')
  const rows = list.locator('tbody tr')
  await until(page, async () => (await rows.count()) === PROFILES_A_PAGE, 'the first page')
  assert.ok(await act(list, 'Previous page').isDisabled())
  const first = await rows.first().textContent()
  await act(list, 'Next page').click()
  await until(page, async () => (await rows.count()) < PROFILES_A_PAGE, 'the last page')
  assert.ok(await act(list, 'Next page').isDisabled())
  await act(list, 'Previous page').click()
  await until(page, async () => (await rows.count()) === PROFILES_A_PAGE, 'the first page again')
  assert.equal(await rows.first().textContent(), first)
  await watched.close()
})

test('a dialog gives the focus back, and closes when another view is shown', async () => {
  const watched = await operator('Markets')
  const { page } = watched
  const dialog = page.getByRole('dialog')
  await act(page, 'Create market').click()
  await dialog.locator('input[name="slug"]').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Create market')
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.evaluate("location.hash = '#/trading'")
  await page.getByRole('heading', { name: 'Trading', level: 1, exact: true }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await watched.close()
})

test('a slow act closes its own dialog, and no other that is open by then', async () => {
  await stage.live.openMarket('fog-tomorrow')
  const watched = await operator('Markets')
  const { page } = watched
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/fog-tomorrow/lock', async (route) => {
    await held
    await route.continue()
  })
  const row = part(page, 'All markets').getByRole('row', { name: /fog-tomorrow/ })
  await act(page, 'Lock fog-tomorrow').click()
  await act(page, 'Lock market').click()
  await page.keyboard.press('Escape')
  await act(page, 'Edit fog-tomorrow').click()
  const title = page.locator('dialog input[name="title"]')
  await title.fill('Will there be fog?')
  release()
  await row.getByText('LOCKED').waitFor()
  assert.equal(await title.inputValue(), 'Will there be fog?')
  await watched.close()
})

test('a count of what is owed shows when it is made', async () => {
  const watched = await operator('Solvency')
  const { page } = watched
  const newest = part(page, 'Newest count')
  await newest.getByText('not counted yet').waitFor()
  await act(page, 'Count now').click()
  await newest.getByText('Assets equal obligations.').waitFor()
  await watched.close()
})
