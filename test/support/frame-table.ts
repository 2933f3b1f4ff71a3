import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Cast, Story } from './frame-story.ts'
import { type LiveExchange, startLive } from './live-exchange.ts'

// Tables of order stories and of the frames that their owners receive. Each row is a test; see
// frame-story.ts.

export interface Row {
  readonly title: string
  readonly market?: (nowMs: number) => object
  readonly story: readonly string[]
  /** The words received of each order, by its name and in their order. */
  readonly received: Readonly<Record<string, readonly string[]>>
}

/** What the owner receives when a resting order of three shares at 0.5 is filled whole. */
export const FILLED_3 = ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.5', 'MINED']
export const OWN_GONE = ['PLACEMENT 20', 'CANCELLATION 20 STP_MAKER_CANCELLED']

/** Makes the tests of a file. Each row has a market of its own: its `market`, or `fields`. */
export function frameTable(rows: readonly Row[], fields: object = {}): void {
  let live: LiveExchange
  let cast: Cast
  const reported: { story: Story; received: Row['received'] }[] = []
  before(async () => {
    live = await startLive({ flags: ['--block-ms', '20'] })
    cast = await Cast.open(live, ['alice', 'bob', 'carol', 'dora'])
  })
  after(async () => {
    cast.close()
    await live.stop()
  })
  afterEach(() => {
    assert.deepEqual(live.faults, [])
  })
  for (const [at, { title, market, story: lines, received }] of rows.entries()) {
    test(title, async () => {
      const spec = market?.(live.nowMs()) ?? fields
      const story = await Story.open(cast, `case-${at}`, spec)
      for (const line of lines) await story.line(line)
      for (const [name, words] of Object.entries(received)) {
        assert.deepEqual(await story.received(name, words.length), words, name)
      }
      reported.push({ story, received })
    })
  }
  test('no owner receives more of an order than its row says', async () => {
    const last = await Story.open(cast, 'last')
    await last.line('alice m buy no 3 @500')
    await last.line('bob t buy yes 3 @500')
    await last.received('m', 4)
    for (const { story, received } of reported) {
      for (const [name, words] of Object.entries(received)) {
        assert.deepEqual(await story.received(name, 0), words, name)
      }
    }
  })
}
