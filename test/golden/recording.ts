import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Command } from '../../engine/domain/command.ts'
import { eachRecord } from '../../engine/wire/codec.ts'

// A recording is the records of a journal, and the state hash after each record. Every later
// version must replay every recording, so none is ever changed or deleted.

/**
 * Raise it, and record again, when commands get a kind, a field or a meaning that the newest
 * recording does not show.
 */
const FORMAT = 11

/** Named by the version of the rules that decided it and by the form of its commands. */
export const NEWEST = `rules-${RULES_VERSION}-format-${FORMAT}`

/**
 * The compiler demands every kind. False: the kind is newer than the newest recording. The next
 * recording, of another format, shows it.
 */
export const KINDS: Readonly<Record<Command['kind'], boolean>> = {
  rules: true,
  setAdminToken: true,
  createProfile: true,
  editProfile: true,
  createToken: true,
  revokeToken: true,
  touchToken: true,
  login: true,
  logout: true,
  createMarket: true,
  lockMarket: true,
  archiveMarket: true,
  splitPosition: true,
  mergePositions: true,
  redeemPositions: true,
  convertPositions: true,
  withdraw: true,
  fundPool: true,
  drainPool: true,
  approvePool: true,
  buyFromPool: true,
  sellToPool: true,
  rewardMinute: true,
  creditRewards: true,
  payRewards: true,
  fundRewards: true,
  createPack: true,
  offerPack: true,
  acceptPackOffer: true,
  endPackOffers: true,
  countPacks: true,
  fundHouse: true,
  curatePack: true,
  removeCuratedPack: true,
  followProfile: true,
  unfollowProfile: true,
  putBookmark: true,
  removeBookmark: true,
  clearBookmarks: true,
  showBookmarks: true,
  resolveMarkets: true,
  adjustBalance: true,
  placeOrder: true,
  cancelOrders: true,
  logoutEverywhere: true,
  mineBlock: true,
  retrySettlement: true,
  settleTrade: true,
  failSettlement: true,
  createSubAccount: true,
  leavePartner: true,
  approveSpenders: true,
  submitApprovals: true,
  settleApprovals: true,
  addWithdrawalAddress: true,
  removeWithdrawalAddress: true,
  putTradingWindow: true,
  endTradingWindow: true,
  armHeartbeat: true,
  disarmHeartbeat: true,
  fireHeartbeat: true,
  fireHeartbeats: true,
  releaseOrder: true,
  freezeProfile: true,
  unfreezeProfile: true,
  revokeTokens: true,
  addOperator: true,
  removeOperator: true,
  createGroup: true,
  editMarket: true,
  unlockMarket: true,
  flagMarket: true,
  openSlot: true,
  failSlot: true,
  postPayouts: true,
  createSeries: true,
  editSeries: true,
  endSeries: true,
  reportPrice: true,
  decideBoundary: true,
  putMarketPage: true,
  removeMarketPage: true,
  putPropertyKey: true,
  removePropertyKey: true,
  putMatch: true,
  removeMatch: true,
  scoreMatches: true,
}

export interface Recording {
  readonly records: readonly Uint8Array[]
  readonly hashes: readonly string[]
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const RECORDS = '.records.gz'

export function recordingNames(): string[] {
  const files = readdirSync(pathOf('.'))
  const named = files.filter((file) => file.endsWith(RECORDS))
  return named.map((file) => file.slice(0, -RECORDS.length)).sort()
}

export function readRecording(name: string): Recording {
  const records: Uint8Array[] = []
  eachRecord(gunzipSync(readFileSync(pathOf(`${name}${RECORDS}`))), (record) => {
    records.push(record)
  })
  const hashes = readFileSync(pathOf(`${name}.hashes.txt`), 'utf8')
    .trimEnd()
    .split('\n')
  assert.equal(hashes.length, records.length, 'a recording holds a hash for each record')
  return { records, hashes }
}

/** Refuses a name that is taken: a recording is never written over. */
export function writeRecording(name: string, { records, hashes }: Recording): void {
  const path = pathOf(`${name}${RECORDS}`)
  assert(!existsSync(path), `${name} is recorded already; raise FORMAT in test/golden/recording.ts`)
  writeFileSync(path, gzipSync(Buffer.concat(records), { level: 9 }), { flag: 'wx' })
  writeFileSync(pathOf(`${name}.hashes.txt`), `${hashes.join('\n')}\n`, { flag: 'wx' })
}
