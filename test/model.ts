import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Exploration, LARGE, SMALL } from './model/explorations.ts'
import { type Explored, Explorer, findTools } from './model/explorer.ts'

// `make model OPTIONAL=1 ONLY=…`: explores every state of the replication protocol within small
// bounds, then with planted faults, each of which must be found. ONLY selects explorations by words
// of their names, and prints the steps to each error. The exit code is 1 when an exploration does
// not end as it must, and when a tool is missing, unless OPTIONAL is set.

const NAME_COLUMNS = 78

const [optional = '', only = ''] = process.argv.slice(2)
const isOptional = optional !== '' && optional !== '0'
const words = only.split(' ').filter((word) => word !== '')
const isChosen = ({ name }: Exploration) =>
  words.length === 0 || words.some((word) => name.includes(word))
const queues = [LARGE.filter(isChosen), SMALL.filter(isChosen)]
if (queues.every((queue) => queue.length === 0)) {
  const names = [...LARGE, ...SMALL].map(({ name }) => `  ${name}`)
  console.error(`No exploration has "${only}" in its name:\n${names.join('\n')}`)
  process.exit(2)
}

const tools = await findTools()
if (typeof tools === 'string') {
  console.error(`The model is not explored: ${tools}`)
  process.exit(isOptional ? 0 : 1)
}

const root = mkdtempSync(join(tmpdir(), 'outcomex-model-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
const explorer = new Explorer(tools, root)
let unexpected = 0

/** What the exploration shows, and whether it is what it must show. */
function judge({ isBroken }: Exploration, { doubt, ...found }: Explored): [string, boolean] {
  if (doubt !== '') return [doubt, false]
  if (!found.isBroken) return [isBroken ? 'NOT FOUND' : 'holds', !isBroken]
  return [isBroken ? 'found' : 'BROKEN', isBroken]
}

async function explore(queue: readonly Exploration[]): Promise<void> {
  for (const exploration of queue) {
    const explored = await explorer.explore(exploration)
    const [verdict, isExpected] = judge(exploration, explored)
    if (!isExpected) unexpected++
    const states = String(explored.states).padStart(9)
    const seconds = (explored.tookMs / 1000).toFixed(1).padStart(6)
    const name = exploration.name.padEnd(NAME_COLUMNS)
    console.log(`${name} ${states} states ${seconds} s  ${verdict}`)
    if (isExpected && words.length === 0) continue
    for (const step of explored.trail) console.log(`    ${step}`)
  }
}

// Two at a time; the large ones would need too much memory together.
await Promise.all(queues.map(explore))
console.log(unexpected === 0 ? 'as expected' : `${unexpected} not as expected`)
process.exit(unexpected === 0 ? 0 : 1)
