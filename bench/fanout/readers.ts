// A process of many readers: `[JSON of { count, port, slug, isCounting }]`. It sends `ready` when
// each of them hears the market, and its totals whenever it is asked. Readers have machines of
// their own elsewhere, so here they give way to the server.

import { constants, setPriority } from 'node:os'
import { FrameReader, type ReaderPlan } from './frame-reader.ts'

/** What all readers together got so far. */
export interface ReaderTotals {
  readonly books: number
  readonly gaps: number
  /** The numbers of the newest frames that the readers have: the oldest and the newest of them. */
  readonly oldest: number
  readonly newest: number
  readonly bookBytes: number
}

const { count, ...plan }: ReaderPlan & { count: number } = JSON.parse(process.argv[2])
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const readers: FrameReader[] = []
/** So many at a time: the rest would overflow the queue of new connections. */
const AT_ONCE = 100
while (readers.length < count) {
  const more = Array.from({ length: Math.min(AT_ONCE, count - readers.length) }, () => {
    return new FrameReader(plan)
  })
  readers.push(...more)
  await Promise.all(more.map(({ ready }) => ready))
}
process.on('message', () => {
  const totals: ReaderTotals = {
    books: readers.reduce((sum, { books }) => sum + books, 0),
    gaps: readers.reduce((sum, { gaps }) => sum + gaps, 0),
    oldest: Math.min(...readers.map(({ sequence }) => sequence)),
    newest: Math.max(...readers.map(({ sequence }) => sequence)),
    bookBytes: readers[0].bookBytes,
  }
  process.send?.(totals)
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
