import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient } from '../support/exchange-client.ts'
import { figuresOf } from '../support/process-figures.ts'
import { metricsOf, ServerProcess, verify } from '../support/server-process.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { Ground } from './ground.ts'
import { Load } from './load.ts'
import { type Scene, SceneMaker, SMALL } from './scene.ts'

// A short `make hostile`: each attack takes some turns on one process with default flags. It checks
// what everyone is told. It checks no times, because these depend on the machine.

/** Far more than a short attack leaves, uncollected garbage included. */
const GROWN_BYTES_MAX = 512 * 2 ** 20
/** A busy machine may answer late where an answer has a deadline. */
const LATE = 'orders 503 READ_TIMEOUT'

const dataDir = newFolder()
let server: ServerProcess
let scene: Scene
let port: number

before(async () => {
  server = await ServerProcess.start({ dataDir })
  port = Number(new URL(server.baseUrl).port)
  scene = await new SceneMaker(new ExchangeClient(server.baseUrl), SMALL).make()
})
after(() => server.signal('SIGKILL'))

async function right(load: Load): Promise<void> {
  await load.round()
  assert.deepEqual((await load.figures()).failures, {})
}

/** Runs the attack from its own addresses while the load goes on. */
async function besieged(attack: Attack, network: number, load: Load): Promise<Ground> {
  const on = new Ground({ port, scene, network, seconds: 0, turns: attack.shortTurns })
  let isOver = false
  const over = attack.run(on).finally(() => {
    isOver = true
  })
  while (!isOver) await load.round()
  await over
  await on.told.all(attack.meets)
  on.end()
  return on
}

for (const [index, attack] of ATTACKS.entries()) {
  test(`${attack.name}: the attacker meets a bound, and nobody else does`, async () => {
    const load = new Load({ port, traders: scene.traders, markets: scene.markets })
    await right(load)
    const { residentBytes } = figuresOf(server.pid)
    const { told } = await besieged(attack, index + 1, load)
    const others = Object.keys(told.counts).filter((name) => !attack.answers.includes(name))
    assert.deepEqual(others, [], JSON.stringify(told.counts))
    const { [LATE]: _, ...failures } = (await load.figures()).failures
    assert.deepEqual(failures, {})
    await right(load)
    await load.end()
    const grownBytes = figuresOf(server.pid).residentBytes - residentBytes
    assert.ok(grownBytes < GROWN_BYTES_MAX + attack.bytes, `${grownBytes} bytes more`)
  })
}

test('the attacks cause no fault, and the journal replays to the last state', async () => {
  const text = await metricsOf(server.baseUrl)
  assert.doesNotMatch(text, /^outcomex_faults_total.* [1-9]/m)
  assert.deepEqual(await server.stop(), await verify(dataDir))
})
