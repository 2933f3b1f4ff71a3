import type { Command } from './command.ts'

// Every kind of command, once. The family says which part of the state applies it, and each family
// has one function that must answer for all of its kinds. The encoding names the record that holds
// it (engine/wire/record-layout.ts). The owner is the thread whose answer completes it: main alone,
// or the thread of its market.
//
// A journal outlives the version that wrote it: no kind is ever renamed or removed.

function ofMarket<const Encoding extends string>(encoding: Encoding) {
  return { family: 'orders', encoding, owner: 'market' } as const
}

function ofMain<const Family extends string>(family: Family) {
  return { family, encoding: 'CONTROL', owner: 'main' } as const
}

const ACCOUNTS = ofMain('accounts')
const MARKETS = ofMain('markets')
const MOVES = ofMain('moves')
const REWARDS = ofMain('rewards')
const PACKS = ofMain('packs')
const MATCHES = ofMain('matches')
const SOCIAL = ofMain('social')
const SETTLEMENT = ofMain('settlement')
const TRANSACTIONS = ofMain('transactions')
const EXCHANGE = ofMain('exchange')
const MODES = ofMain('modes')
const HEARTBEATS = ofMain('heartbeats')
const ORDER_GROUPS = ofMain('orderGroups')
const FREEZES = ofMain('freezes')
const OPERATORS = ofMain('operators')
const PAGES = ofMain('pages')
const PROPERTIES = ofMain('properties')

export const COMMANDS = {
  placeOrder: ofMarket('PLACE'),
  releaseOrder: ofMarket('RELEASE'),
  cancelOrders: ofMarket('CANCEL'),
  decreaseOrder: ofMarket('DECREASE'),

  rules: EXCHANGE,
  setAdminToken: EXCHANGE,
  adjustBalance: EXCHANGE,

  createProfile: ACCOUNTS,
  editProfile: ACCOUNTS,
  createSubAccount: ACCOUNTS,
  leavePartner: ACCOUNTS,
  approveSpenders: ACCOUNTS,
  submitApprovals: ACCOUNTS,
  settleApprovals: ACCOUNTS,
  createToken: ACCOUNTS,
  revokeToken: ACCOUNTS,
  revokeTokens: ACCOUNTS,
  touchToken: ACCOUNTS,
  login: ACCOUNTS,
  logout: ACCOUNTS,
  logoutEverywhere: ACCOUNTS,
  addWithdrawalAddress: ACCOUNTS,
  removeWithdrawalAddress: ACCOUNTS,

  createMarket: MARKETS,
  createGroup: MARKETS,
  editMarket: MARKETS,
  lockMarket: MARKETS,
  unlockMarket: MARKETS,
  flagMarket: MARKETS,
  resolveMarkets: MARKETS,
  postPayouts: MARKETS,
  archiveMarket: MARKETS,
  createSeries: MARKETS,
  editSeries: MARKETS,
  endSeries: MARKETS,
  openSlot: MARKETS,
  failSlot: MARKETS,
  reportPrice: MARKETS,
  decideBoundary: MARKETS,

  splitPosition: MOVES,
  mergePositions: MOVES,
  redeemPositions: MOVES,
  convertPositions: MOVES,
  withdraw: MOVES,
  followChain: MOVES,
  fundPool: MOVES,
  drainPool: MOVES,
  approvePool: MOVES,
  buyFromPool: MOVES,
  sellToPool: MOVES,

  rewardMinute: REWARDS,
  creditRewards: REWARDS,
  payRewards: REWARDS,
  fundRewards: REWARDS,

  createPack: PACKS,
  offerPack: PACKS,
  acceptPackOffer: PACKS,
  endPackOffers: PACKS,
  countPacks: PACKS,
  fundHouse: PACKS,
  curatePack: PACKS,
  removeCuratedPack: PACKS,

  putMatch: MATCHES,
  removeMatch: MATCHES,
  scoreMatches: MATCHES,

  followProfile: SOCIAL,
  unfollowProfile: SOCIAL,
  putBookmark: SOCIAL,
  removeBookmark: SOCIAL,
  clearBookmarks: SOCIAL,
  showBookmarks: SOCIAL,

  mineBlock: SETTLEMENT,
  retrySettlement: SETTLEMENT,
  settleTrade: SETTLEMENT,
  failSettlement: SETTLEMENT,

  submitTransaction: TRANSACTIONS,
  endTransaction: TRANSACTIONS,

  putTradingWindow: MODES,
  endTradingWindow: MODES,

  armHeartbeat: HEARTBEATS,
  disarmHeartbeat: HEARTBEATS,
  fireHeartbeat: HEARTBEATS,
  fireHeartbeats: HEARTBEATS,

  createOrderGroup: ORDER_GROUPS,
  closeOrderGroup: ORDER_GROUPS,
  resetOrderGroup: ORDER_GROUPS,
  removeOrderGroup: ORDER_GROUPS,

  freezeProfile: FREEZES,
  unfreezeProfile: FREEZES,

  addOperator: OPERATORS,
  removeOperator: OPERATORS,

  putMarketPage: PAGES,
  removeMarketPage: PAGES,

  putPropertyKey: PROPERTIES,
  removePropertyKey: PROPERTIES,
} as const satisfies Readonly<Record<Command['kind'], object>>

type Commands = typeof COMMANDS
export type CommandKind = keyof Commands
export type Family = Commands[CommandKind]['family']

type KindWhere<Row> = { [K in CommandKind]: Commands[K] extends Row ? K : never }[CommandKind]
type CommandWhere<Row> = Extract<Command, { kind: KindWhere<Row> }>

/** The commands of one family. */
export type CommandOf<F extends Family> = CommandWhere<{ readonly family: F }>

export function isOf<F extends Family>(family: F, command: Command): command is CommandOf<F> {
  return COMMANDS[command.kind].family === family
}

/** Whether a market thread must receive the command. */
export function concernsBook(
  command: Command,
): command is CommandWhere<{ readonly owner: 'market' }> {
  return COMMANDS[command.kind].owner === 'market'
}

function isKind(kind: unknown): kind is CommandKind {
  return typeof kind === 'string' && Object.hasOwn(COMMANDS, kind)
}

/** A kind that is not in the table is of a later version. */
export function isControlKind(kind: unknown): kind is KindWhere<{ readonly encoding: 'CONTROL' }> {
  return isKind(kind) && COMMANDS[kind].encoding === 'CONTROL'
}
