import { reportOf, searchOn } from './simulation/profit/search.ts'
import { BrokenWorld, indicesOf, playScript, replayLine } from './simulation/run-seed.ts'
import { isMany, MANY, scriptOf } from './simulation/script.ts'

// `make sim SEED=… STEPS=…`: plays one seed, or ever new seeds without STEPS. ONLY picks some of
// the steps. MANY=lives, groups or amends plays worlds with more of these. PROFIT=1 searches for a
// plan by which colluding accounts gain.

const STEPS_PER_SEED = 20_000
const SHOW_EVERY_MS = 3_000

const [seedText, stepsText, onlyText, manyText, profitText = ''] = process.argv.slice(2)
const isEndless = stepsText === ''
const steps = isEndless ? STEPS_PER_SEED : Number(stepsText)
let seed = seedText === '' ? 1 : Number(seedText)
if (!Number.isSafeInteger(seed) || !(Number.isSafeInteger(steps) && steps > 0)) {
  console.error('sim takes whole numbers: make sim SEED=1 STEPS=20000')
  process.exit(2)
}
const only = onlyText === '' ? null : indicesOf(onlyText)
const many = isMany(manyText) ? manyText : undefined
if (manyText !== '' && many === undefined) {
  console.error(`MANY takes one of: ${Object.keys(MANY).join(', ')}`)
  process.exit(2)
}
const startedMs = Date.now()
let shownMs = startedMs
let commands = 0
let markets = 0

function show(): void {
  shownMs = Date.now()
  const perSec = Math.round(commands / ((shownMs - startedMs) / 1000))
  const lived = many === 'lives' ? `, ${markets} markets` : ''
  console.log(
    `through seed ${seed}: ${commands} commands${lived}, ${perSec} a second, every invariant held`,
  )
}

async function play(): Promise<void> {
  try {
    const { totals } = await playScript(scriptOf(seed, steps, many && MANY[many]), only)
    commands += totals.commands
    markets += totals.kinds.get('createMarket') ?? 0
  } catch (broken) {
    if (!(broken instanceof BrokenWorld)) throw broken
    console.log(`SEED=${seed} STEPS=${broken.step + 1} breaks an invariant:`)
    console.log(broken.cause)
    if (only === null) {
      console.log('looking for fewer steps that break it')
      console.log(await replayLine(seed, broken, {}, many))
    }
    process.exit(1)
  }
}

if (profitText !== '') {
  const found = await searchOn(seed, (plans) => {
    if (Date.now() - shownMs < SHOW_EVERY_MS) return
    shownMs = Date.now()
    console.log(`${plans} plans of colluding accounts, none gained`)
  })
  console.log(`SEED=${seed}: ${reportOf(found)}`)
  process.exit(1)
}

do {
  await play()
  if (!isEndless || Date.now() - shownMs > SHOW_EVERY_MS) show()
  if (isEndless) seed++
} while (isEndless)
