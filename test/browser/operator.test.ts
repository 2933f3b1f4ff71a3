import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WatchedPage } from '../support/browser.ts'
import { act, BrowserStage, part } from '../support/browser-stage.ts'
import { ADMIN_TOKEN } from '../support/live-exchange.ts'

// What operators find and do on their page.

let stage: BrowserStage
before(async () => {
  stage = await BrowserStage.open()
})
after(() => stage.close())

/** The page of operators with one of its tabs open. */
async function operator(tab: string): Promise<WatchedPage> {
  const watched = await stage.visit('/operator')
  const { page } = watched
  await page.locator('input').first().fill(ADMIN_TOKEN)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').getByRole('link', { name: tab, exact: true }).click()
  await page.getByRole('heading', { name: tab, level: 1, exact: true }).waitFor()
  return watched
}

test('a search that finds nobody leaves no card, and a freeze shows in the list', async () => {
  const { account, profileId } = await stage.live.trader(0)
  const named = await stage.live.admin('/admin/profiles', { account, username: 'rainmaker' })
  assert.equal(named.status, 201, named.text)
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
