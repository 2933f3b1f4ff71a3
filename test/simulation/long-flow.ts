import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '../../engine/domain/command.ts'
import { freshSeed } from '../support/random.ts'
import { BrokenWorld, playScript, replayLine } from './run-seed.ts'
import { MANY, type Many, scriptOf } from './script.ts'
import { addTo } from './totals.ts'

/** Steps of one world; a little less than half of the steps become commands. */
const STEPS = 20_000
/** How many times as many commands are played until everything was seen. */
const MORE_WORLDS = 4

/** Commands on accounts, markets and settlement; orders and cancels come by themselves. */
const KINDS: readonly Command['kind'][] = [
  ...(['createProfile', 'editProfile', 'createSubAccount'] as const),
  ...(['submitApprovals', 'settleApprovals'] as const),
  ...(['createToken', 'revokeToken', 'touchToken', 'login', 'logout'] as const),
  ...(['logoutEverywhere', 'createMarket', 'lockMarket', 'resolveMarkets'] as const),
  ...(['postPayouts', 'archiveMarket'] as const),
  ...(['createGroup', 'editMarket', 'unlockMarket', 'flagMarket'] as const),
  ...(['createSeries', 'editSeries', 'endSeries', 'openSlot', 'failSlot'] as const),
  ...(['reportPrice', 'decideBoundary'] as const),
  ...(['adjustBalance', 'mineBlock', 'retrySettlement', 'settleTrade'] as const),
  ...(['failSettlement', 'putTradingWindow', 'endTradingWindow', 'armHeartbeat'] as const),
  ...(['disarmHeartbeat', 'fireHeartbeats', 'releaseOrder', 'decreaseOrder'] as const),
  ...(['freezeProfile', 'unfreezeProfile'] as const),
  ...(['createOrderGroup', 'closeOrderGroup', 'resetOrderGroup', 'removeOrderGroup'] as const),
  ...(['addWithdrawalAddress', 'removeWithdrawalAddress', 'withdraw'] as const),
  ...(['splitPosition', 'mergePositions', 'redeemPositions', 'convertPositions'] as const),
  ...(['rewardMinute', 'creditRewards', 'payRewards'] as const),
]
/** How orders end that replace others. */
const REPLACED = ['order replaced', 'order not replaced'] as const
/** Packs, and what became of them and of offers; what referrals earn. */
const PLAYS: readonly string[] = [
  ...(['fundHouse', 'createPack', 'offerPack', 'acceptPackOffer', 'endPackOffers'] as const),
  'countPacks',
  'house pays out',
  'pack on a group',
  'pack on a slot',
  'pack of many legs',
  'offer accepted in part',
  'offer taken back',
  'offer expired',
  'void leg',
  'pack won against the house',
  'pack lost against the house',
  'pack refunded',
  ...(['curatePack', 'removeCuratedPack'] as const),
  'curated pack bought',
  'curated pack over',
  'pack won against a maker',
  'pack lost against a maker',
  'pack ends while frozen',
  'another rate of referrals',
  'referral credited',
  'referral paid',
  'referral waits for a payout',
  'referral in shares paid out',
]
/** The answers to partners about the orders and cancels that they send for others. */
const ANSWERS = [
  'order NONE',
  'order NO_SERVER_WALLET',
  'order ALLOWANCE_MISSING',
  'order NOT_SUB_ACCOUNT',
  'order SCOPE_MISSING_DELEGATED_SIGNING',
  'order OVERLOADED',
  'order DUPLICATE_CLIENT_ORDER_ID',
  'cancel NONE',
  'cancel ORDER_NOT_OPEN',
  'cancel ORDER_NOT_FOUND',
  'cancel NOT_SUB_ACCOUNT',
  'call API_KEY_INVALID',
  'call HMAC_INVALID',
  'call NOT_SUB_ACCOUNT',
]

const TROUBLE = { refusals: 0, overloads: 0, crashes: 0, replaced: 0, rejected: 0 }

/** Plays worlds whose markets and sessions live briefly, until so many markets have been. */
export function testLives(marketsMin: number): void {
  test(`every invariant holds while ${marketsMin} markets and sessions come and go`, async () => {
    const kinds = new Map<string, number>()
    let [lives, crashes] = [0, 0]
    let seed = freshSeed()
    for (; lives < marketsMin; seed++) {
      const passed = await playOrExplain(seed, 'lives')
      addTo(kinds, passed.kinds)
      crashes += passed.crashes
      lives = Math.min(kinds.get('createMarket') ?? 0, kinds.get('login') ?? 0)
      console.log(`seed ${seed}: ${lives} so far, ${kinds.get('archiveMarket')} archived`)
    }
    const archived = kinds.get('archiveMarket') ?? 0
    assert(archived > marketsMin / 2, `${archived} markets left memory`)
    assert(crashes > 0, 'worlds crash')
  })
}

/**
 * Plays worlds for at least so many commands; a broken one prints the line that replays it. This is
 * the short form of `make sim`.
 */
export function testLongFlow(commandsMin: number): void {
  test(`every invariant holds through ${commandsMin} commands and all machine faults`, async () => {
    const totals = { commands: 0, fills: 0, releases: 0, reversals: 0, ...TROUBLE }
    const reported = new Map<string, number>()
    const unseen = () => {
      const never = [...KINDS, ...REPLACED, ...PLAYS, ...ANSWERS].filter(
        (each) => !reported.has(each),
      )
      const seen = (what: string, count: number, min: number) => count > min || never.push(what)
      seen('full queues of accounts', totals.rejected, 0)
      seen('full rings', totals.overloads, 0)
      seen('fills', totals.fills, commandsMin / 10)
      seen('delayed takers', totals.releases, commandsMin / 500)
      seen('failed trades', totals.reversals, commandsMin / 1000)
      seen('refused orders', totals.refusals, commandsMin / 20)
      seen('replaced orders', totals.replaced, commandsMin / 1000)
      seen('crashes', totals.crashes, commandsMin / 10_000)
      return never
    }
    // What is rare may take some worlds more.
    const isOver = ({ commands }: typeof totals) =>
      commands >= (unseen().length === 0 ? commandsMin : commandsMin * MORE_WORLDS)
    let seed = freshSeed()
    for (; !isOver(totals); seed++) {
      const passed = await playOrExplain(seed)
      totals.commands += passed.commands
      totals.fills += passed.fills
      totals.releases += passed.releases
      totals.reversals += passed.reversals
      totals.refusals += passed.refusals
      totals.overloads += passed.overloads
      totals.crashes += passed.crashes
      totals.replaced += passed.replaced
      totals.rejected += passed.rejected
      addTo(reported, passed.kinds)
      addTo(reported, passed.reported)
      // A line for each world shows the test runner that the file makes progress on a slow machine.
      console.log(`seed ${seed}: ${totals.commands} commands so far`)
    }
    assert.deepEqual(unseen(), [], 'worlds see enough of everything')
  })
}

/** Plays a world; a broken one prints the line that replays it. */
export async function playOrExplain(seed: number, many?: Many, steps = STEPS) {
  try {
    return (await playScript(scriptOf(seed, steps, many && MANY[many]))).totals
  } catch (broken) {
    if (!(broken instanceof BrokenWorld)) throw broken
    console.log(`make sim SEED=${seed} STEPS=${broken.step + 1}`)
    console.log(await replayLine(seed, broken, {}, many))
    throw broken
  }
}
