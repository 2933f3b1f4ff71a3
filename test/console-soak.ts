import { type ConsoleFigures, consoleSoak } from './support/console-soak.ts'

// `make console-soak MIN=…`: the list of 200 markets stays open for MIN minutes while 50 books a
// second move, with one line for each 20 seconds. Fails when the page works more than 8 ms a frame
// of the screen, when too few books reach it, and when memory grows.

const MIB = 2 ** 20
const MS_PER_FRAME_MAX = 8
const WINDOW_SECONDS = 20
/** Books that move; a page that receives fewer than half of them proves nothing. */
const PER_SECOND = 50
/** The first window compiles and fills the tables of the page. */
const WARM_WINDOWS = 1
const GROWTH_MAX = 1.25
const GROWTH_FLOOR_BYTES = 4 * MIB

const minutes = Number(process.argv[2] ?? '10')
if (!(minutes > 0)) {
  console.error('console-soak takes the minutes to run: a number above 0.')
  process.exit(2)
}
const startedMs = performance.now()
console.log('  min  books/s  screen/s  ms a frame  heap MiB  nodes')

function onWindow({ bookFrames, screenFrames, ...page }: ConsoleFigures): void {
  const cells = [
    ((performance.now() - startedMs) / 60_000).toFixed(1).padStart(5),
    (bookFrames / WINDOW_SECONDS).toFixed(1).padStart(8),
    (screenFrames / WINDOW_SECONDS).toFixed(1).padStart(9),
    page.msPerFrame.toFixed(2).padStart(11),
    (page.heapBytes / MIB).toFixed(1).padStart(9),
    String(page.elements).padStart(6),
  ]
  console.log(cells.join(' '))
}

const { windows, msPerFrame } = await consoleSoak({
  markets: 200,
  perSecond: PER_SECOND,
  windowSeconds: WINDOW_SECONDS,
  onWindow,
  goesOn: () => performance.now() - startedMs < minutes * 60_000,
})
const wrong: string[] = []
const booksMin = (PER_SECOND * WINDOW_SECONDS) / 2
if (windows.some(({ bookFrames }) => bookFrames < booksMin)) wrong.push('too few books came')
if (msPerFrame > MS_PER_FRAME_MAX) wrong.push(`${msPerFrame.toFixed(2)} ms a frame`)
const [first, last] = [windows[Math.min(WARM_WINDOWS, windows.length - 1)], windows.at(-1)]
if (first !== undefined && last !== undefined) {
  const boundBytes = Math.max(first.heapBytes * GROWTH_MAX, first.heapBytes + GROWTH_FLOOR_BYTES)
  if (last.heapBytes > boundBytes) wrong.push('memory grows')
  if (last.elements > first.elements * GROWTH_MAX) wrong.push('elements are not given back')
}
const median = `median ${msPerFrame.toFixed(2)} ms of scripts and layout a frame`
console.log(wrong.length === 0 ? `sound: ${median}` : wrong.join(', '))
process.exitCode = wrong.length === 0 ? 0 : 1
