import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { HOUSE_ACCOUNT, PACK_ACCOUNT } from '../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../engine/domain/packs/pack-limits.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient } from '../support/exchange-client.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { recoverAll } from '../support/journal-records.ts'
import { recordedDriver } from '../support/recorded-driver.ts'
import { compileProgram, runProgram, ServerProcess } from '../support/server-process.ts'
import { profileFields } from '../support/specs.ts'
import { until } from '../support/until.ts'

// The server dies while it owes packs. A journal ends with the resolutions; each start counts until
// it is killed, and the last one to its end. No pack is counted twice for a market, or paid twice.

const UNIT = 1_000_000
const STAKE_RAW = 10 * UNIT
const PAYOUT_RAW = 45 * UNIT
const OWNERS = 3
/** Of each owner: more in all than two commands count. */
const PACKS = 180
const LEGS = [500, 400] as const

await compileProgram()

/** Packs of one owner each on YES of two markets; the first splits, and the second says YES. */
function owed() {
  const { driver, records } = recordedDriver()
  for (let profileId = 1; profileId <= OWNERS; profileId++) {
    const profile = profileFields(profileId)
    driver.control({ kind: 'createProfile', profileId, profile, token: null })
    driver.deposit(profileId, PACKS * STAKE_RAW)
  }
  driver.control({ kind: 'fundHouse', collateralRaw: OWNERS * PACKS * (PAYOUT_RAW - STAKE_RAW) })
  const markets = [driver.addMarket(), driver.addMarket()]
  const legs = markets.map((marketId, at) => ({ marketId, outcome: 0, priceTicks: LEGS[at] }))
  const packIds: number[] = []
  for (let made = 0; made < OWNERS * PACKS; made++) {
    const terms = { stakeRaw: STAKE_RAW, payoutRaw: PAYOUT_RAW, legs }
    driver.control({ kind: 'createPack', profileId: 1 + (made % OWNERS), ...terms })
    packIds.push(driver.clearing.lastSeq)
  }
  for (const [at, marketId] of markets.entries()) {
    const payoutNumerators = [1, at === 0 ? 1 : 0] as const
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
  }
  return { records, packIds, markets }
}

/** How often each pack was counted for each market, and what it was paid. */
function countedIn(dataDir: string) {
  const counted: string[] = []
  const paid: [packId: number, paidRaw: number][] = []
  for (const command of recoverAll(dataDir).commands) {
    if (command.kind !== 'countPacks') continue
    for (const { packId, paidRaw } of command.packs) {
      counted.push(`${packId} of ${command.marketId}`)
      if (paidRaw !== null) paid.push([packId, paidRaw])
    }
  }
  return { counted, paid }
}

test('packs that are owed survive every death, and each is paid once', async () => {
  const dataDir = newFolder()
  const { records, packIds, markets } = owed()
  fillJournal(dataDir, records)
  const args = ['--market-threads', '0', '--accept-clock']
  for (const fault of ['mid-packs:1', 'mid-packs:3']) {
    const { signal } = await runProgram(['serve', '--data', dataDir, '--port', '0', ...args], {
      fault,
    })
    assert.equal(signal, 'SIGKILL', fault)
    verifyFolder(dataDir)
    const { counted, paid } = countedIn(dataDir)
    console.log(JSON.stringify({ fault, counted: counted.length, paid: paid.length }))
  }
  const before = countedIn(dataDir).counted.length
  assert(before < packIds.length * 2, 'some packs are still owed')
  const server = await ServerProcess.start({ dataDir, args })
  after(() => server.signal('SIGKILL'))
  const client = new ExchangeClient(server.baseUrl)
  const isPaid = async () => {
    return JSON.stringify(await client.get(`/parlay/positions/${packIds.at(-1)}`)).includes('"WON"')
  }
  await until(isPaid)
  await server.stop()
  const { counted, paid } = countedIn(dataDir)
  const due = markets.flatMap((marketId) => packIds.map((packId) => `${packId} of ${marketId}`))
  assert.deepEqual([...counted].sort(), due.sort(), 'each market counts once for each pack')
  // A split leaves the other leg: ⌊10 · 0.9 ÷ 0.4⌋.
  const expected = packIds.map((packId) => [packId, 22_500_000])
  assert.deepEqual(
    [...paid].sort(([a], [b]) => a - b),
    expected,
  )
  const { ledger, packs } = recoverAll(dataDir).clearing
  assert.equal(packs.count, 0)
  assert.equal(ledger.freeRaw(PACK_ACCOUNT), 0)
  assert.equal(ledger.freeRaw(HOUSE_ACCOUNT), OWNERS * PACKS * (PAYOUT_RAW - 22_500_000))
  for (let owner = 1; owner <= OWNERS; owner++) {
    assert.equal(ledger.freeRaw(owner), PACKS * 22_500_000)
  }
  assert(packIds.length > 2 * PACK_LIMITS.countedMax, 'one market takes several commands')
})
