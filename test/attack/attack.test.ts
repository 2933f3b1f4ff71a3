import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { nameOf } from '../fuzz/plan.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, headersFor, send } from '../support/exchange-client.ts'
import { figuresOf } from '../support/process-figures.ts'
import { metricsOf, ServerProcess, verify } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { EXEMPT, NOTHING, READS, readsIn } from './around/reads.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { Ground } from './ground.ts'
import { Load } from './load.ts'
import { Peer, Reported } from './peer.ts'
import { type Scene, SceneMaker, SMALL } from './scene.ts'

// A short `make hostile`: each attack runs some cycles on one process with default flags. It checks
// what everyone receives. It checks no times, because these depend on the machine.

/** Far more than a short attack leaves, uncollected garbage included. */
const GROWN_BYTES_MAX = 512 * 2 ** 20
/** Enough time to send every heartbeat before the deadline that all share. */
const REPORTING_MS = 4000
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

/** Waits until balances are counted, so that there is a proof to read. */
async function whenCounted(): Promise<void> {
  await new ExchangeClient(server.baseUrl).admin('/admin/solvency', {})
  await until(async () => (await send(server.baseUrl, 'GET', '/solvency')).status === 200)
}

async function right(load: Load): Promise<void> {
  await load.round()
  assert.deepEqual((await load.figures()).failures, {})
}

/**
 * Lets the load go on until the attacker has paid for most of what the reads of the attack before
 * have cost.
 */
async function whenPaid(load: Load): Promise<void> {
  for (;;) {
    const headers = headersFor(scene.attacker, { method: 'GET', path: '/profiles/me', body: '' })
    const { headers: given } = await fetch(`${server.baseUrl}/profiles/me`, { headers })
    const [left, most] = ['remaining', 'limit'].map((name) =>
      Number(given.get(`ratelimit-${name}`)),
    )
    if (left > most / 2) return
    await load.round()
  }
}

/** Runs the attack from its own addresses while the load goes on. */
async function besieged(attack: Attack, network: number, load: Load): Promise<Ground> {
  await whenPaid(load)
  const instantMs = Date.now() + LIMITS.heartbeatAheadMsMin + REPORTING_MS
  const on = new Ground({ port, scene, network, seconds: 0, rounds: attack.shortRounds, instantMs })
  let isOver = false
  const attacked = async () => {
    await attack.prepare?.(on)
    await attack.run(on)
  }
  const over = attacked().finally(() => {
    isOver = true
  })
  while (!isOver) await load.round()
  await over
  await on.reported.all(attack.meets)
  on.end()
  return on
}

for (const [index, attack] of ATTACKS.entries()) {
  test(`${attack.name}: the attacker meets a bound, and nobody else does`, async () => {
    const load = new Load({ port, traders: scene.traders, markets: scene.markets })
    await right(load)
    const { residentBytes } = figuresOf(server.pid)
    const { reported } = await besieged(attack, index + 1, load)
    const others = Object.keys(reported.counts).filter((name) => !attack.answers.includes(name))
    assert.deepEqual(others, [], JSON.stringify(reported.counts))
    const { [LATE]: _, ...failures } = (await load.figures()).failures
    assert.deepEqual(failures, {})
    await right(load)
    await load.end()
    const grownBytes = figuresOf(server.pid).residentBytes - residentBytes
    assert.ok(grownBytes < GROWN_BYTES_MAX + attack.bytes, `${grownBytes} bytes more`)
  })
}

test('each open or private read is in an attack, or is left out with a reason', async () => {
  const names = READS.map(nameOf)
  for (const name of [...EXEMPT.keys(), ...NOTHING.keys()]) {
    assert.ok(names.includes(name), `${name} is a read that is open or private`)
  }
  await whenCounted()
  const requested = readsIn(scene)
  assert.deepEqual(
    new Set([...requested.map(({ route }) => route), ...EXEMPT.keys()]),
    new Set(names),
  )
  const stated: string[] = []
  const answerTo = async (request: () => string): Promise<string> => {
    const reported = new Reported()
    const peer = new Peer(port, '127.0.0.1', reported)
    await peer.request(request())
    peer.end()
    const [answer] = Object.keys(reported.counts)
    // The reads before cost more than their tokens.
    return answer === '429 RATE_LIMITED' ? answerTo(request) : answer
  }
  for (const { route, request } of requested) {
    const answer = await answerTo(request)
    if (answer !== (NOTHING.get(route) ?? '200')) stated.push(`${route} ${answer}`)
  }
  assert.deepEqual(stated, [])
})

test('the attacks cause no fault, and the journal replays to the last state', async () => {
  const text = await metricsOf(server.baseUrl)
  assert.doesNotMatch(text, /^outcomex_faults_total.* [1-9]/m)
  assert.deepEqual(await server.stop(), await verify(dataDir))
})
