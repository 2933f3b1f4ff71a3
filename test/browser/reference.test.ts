import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible } from '../support/accessibility.ts'
import { TestBrowser } from '../support/browser.ts'
import { type LiveExchange, startLive } from '../support/live-exchange.ts'

// The documents as pages of a browser: they work within their content policy, without any other
// host, and everybody can read them.

const NARROW = 360

let live: LiveExchange
let browser: TestBrowser
before(async () => {
  live = await startLive()
  browser = await TestBrowser.open()
})
after(async () => {
  await browser.close()
  await live.stop()
  assert.deepEqual(live.faults, [])
})

const baseUrl = () => `http://127.0.0.1:${live.port}`

for (const theme of ['light', 'dark'] as const) {
  test(`documents can be read by everybody: ${theme}`, async () => {
    for (const path of ['/docs', '/docs/trading']) {
      const watched = await browser.visit(baseUrl(), path, { theme, width: NARROW })
      await assertAccessible(watched.page, path)
      await watched.close()
    }
  })
}
