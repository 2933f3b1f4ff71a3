// Pairs, redemptions, conversions and withdrawals (rules §6.2 to §6.5).

import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import type { MoveEvent } from '../../../engine/core/moves/move-events.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { parseAddress } from '../../crypto/address.ts'
import { onBehalfOf } from '../../edge/http/access/on-behalf.ts'
import { ofShortfall } from '../../edge/http/refusal-schemas.ts'
import { route } from '../../edge/http/route.ts'
import { address, bytes32, uint256Text } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { integer, means, pattern, rawText, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import type { Moved, MoveRequest, PortfolioServices } from './services.ts'
import { idempotencyKey, type MoneyCall, requestOf } from './services.ts'

const HASH = '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1'

const condition = () => means(bytes32(), 'Condition id of the market.')
const amount = (what: string) =>
  means(pattern('^[1-9][0-9]{0,15}$', 'Raw units as decimal text, at least 1.'), what)
/** Fields in every reply of a move. */
const envelope = {
  hash: means(bytes32(), 'Hash of its transaction on the chain.'),
  userOperationHash: means(text(), 'Always empty: there are no user operations.'),
  transactionId: means(uint256Text(), 'Seq of the command in the journal, as text.'),
  walletAddress: means(address(), 'Account of the profile whose money moved.'),
}
const ENVELOPE_EXAMPLE = {
  hash: HASH,
  userOperationHash: '',
  transactionId: '4711',
  walletAddress: ACCOUNT,
}
const requested = { onBehalfOf: onBehalfOf(), idempotencyKey: idempotencyKey() }
const COMMON = [
  'OVERLOADED',
  'VALIDATION',
  'HELD_BY_WALLETS',
  'WALLET_BUSY',
  'PROFILE_FROZEN',
  'DUPLICATE_CALL',
  'IDEMPOTENCY_KEY_TAKEN',
  'CALL_LIMIT',
  'READ_TIMEOUT',
] as const

const { conditionId: CONDITION } = MARKET_EXAMPLE

/** A whole number of raw units; undefined when it is too large to be represented exactly. */
function rawOf(decimal: string): number | undefined {
  const raw = Number(decimal)
  return raw <= MOVE_LIMITS.amountRawMax ? raw : undefined
}

const TOO_LARGE = { field: 'amount', message: `must be at most ${MOVE_LIMITS.amountRawMax}` }

function shownEnvelope({ seq, event }: Moved, { pipeline, settings }: PortfolioServices) {
  const walletAddress = pipeline.clearing.accounts.accountOf(event.owner)
  assert(walletAddress !== undefined, 'the owner of a move has an account')
  const hash = event.txHash ?? moveHashOf(settings.chainId, seq)
  return { hash, userOperationHash: '', transactionId: String(seq), walletAddress }
}

/** The reply of a move, or the refusal of one that was not made. */
async function reported<View>(
  input: MoneyCall & { readonly body: { readonly amount?: string } },
  services: PortfolioServices,
  move: (request: MoveRequest, amountRaw: number) => Promise<Moved | Reject>,
  view: (event: MoveEvent) => View,
  refusalOf: (reject: Reject) => Refusal | Promise<Refusal> = refuse,
) {
  const request = requestOf(input, services)
  if (request instanceof Refusal) return request
  const amountRaw = rawOf(input.body.amount ?? '0')
  if (amountRaw === undefined) return invalid(TOO_LARGE)
  const moved = await move(request, amountRaw)
  if (moved instanceof Reject) return refusalOf(moved)
  return { ...shownEnvelope(moved, services), ...view(moved.event) }
}

const auth = () => eitherOf(hmac('trading'), sessionOrIdentity()).forServerWallets()
const ofBody = (body: { onBehalfOf?: number }) => body.onBehalfOf

const pairBody = object({
  conditionId: condition(),
  amount: amount('Pairs to create or merge, in raw units; each is worth as much collateral.'),
  ...requested,
})
const pairReply = object({
  ...envelope,
  conditionId: condition(),
  marketId: means(integer(1), 'Id of the market.'),
  amount: means(uint256Text(), 'Pairs created or merged, in raw units.'),
})
const PAIR_EXAMPLE = {
  body: { conditionId: CONDITION, amount: '10000000' },
  reply: { ...ENVELOPE_EXAMPLE, conditionId: CONDITION, marketId: 1, amount: '10000000' },
}
const pairView = (conditionId: string) => (event: MoveEvent) => {
  return { conditionId, marketId: event.marketId, amount: String(Math.abs(event.yesRaw)) }
}

export const splitPosition = route({
  method: 'POST',
  path: '/portfolio/split',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Splits free collateral into equal numbers of YES and NO shares of one market.',
  body: pairBody,
  status: 201,
  reply: pairReply,
  means: 'The pairs are created; the next block contains the transaction.',
  rejects: [
    ...COMMON,
    'MARKET_NOT_FOUND',
    'MARKET_RESOLVED',
    'MARKET_STATUS',
    'POSITION_LIMIT',
    'AMOUNT_TOO_SMALL',
    'CAPACITY',
    'INSUFFICIENT_COLLATERAL',
    'SHARES_OWED',
    'NOT_MINED_YET',
  ],
  example: PAIR_EXAMPLE,
  handle: (input, services: PortfolioServices) => {
    const { conditionId } = input.body
    const move = (request: MoveRequest, raw: number) =>
      services.moves.split(request, conditionId, raw)
    return reported(input, services, move, pairView(conditionId))
  },
})

export const mergePositions = route({
  method: 'POST',
  path: '/portfolio/merge',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Merges equal numbers of free YES and NO shares of one market into collateral.',
  body: pairBody,
  status: 201,
  reply: pairReply,
  means: 'The pairs are merged; the next block contains the transaction.',
  rejects: [
    ...COMMON,
    'MARKET_NOT_FOUND',
    'MARKET_RESOLVED',
    'MARKET_STATUS',
    'INSUFFICIENT_SHARES',
    'SHARES_NOT_MINED',
  ],
  example: PAIR_EXAMPLE,
  handle: (input, services: PortfolioServices) => {
    const { conditionId } = input.body
    const move = (request: MoveRequest, raw: number) =>
      services.moves.merge(request, conditionId, raw)
    return reported(input, services, move, pairView(conditionId))
  },
})

export const convertPositions = route({
  method: 'POST',
  path: '/portfolio/convert',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Converts NO shares of some children of a group into YES of the others and collateral.',
  body: object({
    conditionIds: means(
      list(bytes32(), 1, LIMITS.groupChildrenMax),
      'Condition ids of the children whose NO is given, without repeats.',
    ),
    amount: amount('NO shares of each child to give, in raw units.'),
    ...requested,
  }),
  status: 201,
  reply: object({
    ...envelope,
    conditionIds: means(list(bytes32()), 'The children whose NO was given.'),
    marketId: means(integer(1), 'Id of the group.'),
    amount: means(uint256Text(), 'NO shares of each child given, in raw units.'),
    yesAmount: means(uint256Text(), 'YES shares of each other child received, in raw units.'),
    collateralAmount: means(uint256Text(), 'Collateral received, in raw units.'),
  }),
  means: 'The positions are converted; the next block contains the transaction.',
  rejects: [
    ...COMMON,
    'MARKET_NOT_FOUND',
    'MARKET_NOT_GROUP',
    'GROUP_TOO_SMALL',
    'MARKET_RESOLVED',
    'MARKET_STATUS',
    'CONVERSION_INVALID',
    'CONVERSION_LIMIT',
    'POSITION_LIMIT',
    'AMOUNT_TOO_SMALL',
    'CAPACITY',
    'INSUFFICIENT_SHARES',
    'SHARES_NOT_MINED',
  ],
  example: {
    body: { conditionIds: [CONDITION, HASH], amount: '10000000' },
    reply: {
      ...ENVELOPE_EXAMPLE,
      conditionIds: [CONDITION, HASH],
      marketId: 7,
      amount: '10000000',
      yesAmount: '9900000',
      collateralAmount: '9900000',
    },
  },
  handle: (input, services: PortfolioServices) => {
    const { conditionIds } = input.body
    const move = (request: MoveRequest, raw: number) =>
      services.moves.convert(request, conditionIds, raw)
    return reported(input, services, move, ({ marketId, collateralRaw, converted = [] }) => {
      const yes = converted.find(({ yesRaw }) => yesRaw > 0)
      return {
        conditionIds,
        marketId,
        amount: String(-(converted.at(0)?.noRaw ?? 0)),
        yesAmount: String(yes?.yesRaw ?? 0),
        collateralAmount: String(collateralRaw),
      }
    })
  },
})

export const redeemPositions = route({
  method: 'POST',
  path: '/portfolio/redeem',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Burns all free shares of a resolved market and pays for them.',
  body: object({ conditionId: condition(), ...requested }),
  status: 201,
  reply: object({
    ...envelope,
    conditionId: condition(),
    marketId: means(integer(1), 'Id of the market.'),
    amount: means(
      rawText(),
      'Collateral paid; negative if reversed trades left more owed than due.',
    ),
  }),
  means: 'The shares are redeemed; the next block contains the transaction.',
  rejects: [
    ...COMMON,
    'MARKET_NOT_FOUND',
    'MARKET_NOT_RESOLVED',
    'PAYOUT_NOT_POSTED',
    'NOTHING_TO_REDEEM',
  ],
  example: {
    body: { conditionId: CONDITION },
    reply: { ...ENVELOPE_EXAMPLE, conditionId: CONDITION, marketId: 1, amount: '5000000' },
  },
  handle: (input, services: PortfolioServices) => {
    const { conditionId } = input.body
    const move = (request: MoveRequest) => services.moves.redeem(request, conditionId)
    const view = ({ marketId, collateralRaw }: MoveEvent) => {
      return { conditionId, marketId, amount: String(collateralRaw) }
    }
    return reported(input, services, move, view, (reject) => {
      return reject.name === 'MARKET_NOT_FOUND' ? goneOrUnknown(input, services) : refuse(reject)
    })
  },
})

/** A market leaves memory once nobody holds its shares, so there is nothing to redeem. */
async function goneOrUnknown(
  { body, caller, call }: MoneyCall & { readonly body: { readonly conditionId: string } },
  { archive }: PortfolioServices,
): Promise<Refusal> {
  const isGone = await archive.hadCondition(body.conditionId, requesterOf({ caller, call }))
  if (isGone === undefined) return refuse('READ_TIMEOUT')
  return refuse(isGone ? 'NOTHING_TO_REDEEM' : 'MARKET_NOT_FOUND')
}

/** States what can be withdrawn now, and when the rest can. */
function notMinedYet(reject: Reject): Refusal {
  const withdrawable = String(reject.shortfall?.availableRaw ?? 0)
  const message =
    `${withdrawable} raw units can be withdrawn now. The rest is from trades in no block ` +
    'yet; withdraw it when they are MINED.'
  return refuse(reject, { message, withdrawable })
}

const NO_DESTINATION = {
  field: 'destination',
  message: 'is required unless onBehalfOf names a sub-account',
}

const WITHDRAWABLE = {
  fields: {
    ...ofShortfall.fields,
    withdrawable: means(uint256Text(), 'Raw collateral that can be withdrawn now.'),
  },
  example: { ...ofShortfall.example, withdrawable: '2500000' },
}

export const withdraw = route({
  method: 'POST',
  path: '/portfolio/withdraw',
  auth: eitherOf(hmac('withdrawal'), sessionOrIdentity()).forServerWallets(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Withdraws free collateral to an address of the caller, or to a listed address.',
  body: object({
    amount: amount('Collateral to withdraw, in raw units.'),
    token: means(optional(address()), 'The collateral token of the exchange (default).'),
    destination: means(
      optional(address()),
      'Destination: account or smart wallet of the caller, or a listed address. Default for ' +
        'a sub-account: the smart wallet of the caller, or else its account.',
    ),
    ...requested,
  }),
  status: 201,
  reply: object({
    ...envelope,
    token: means(address(), 'The token that was paid out.'),
    destination: means(address(), 'The destination address.'),
    amount: means(uint256Text(), 'Collateral withdrawn, in raw units.'),
  }),
  means: 'The collateral is debited; the next block contains the transaction.',
  refusalFields: { NOT_MINED_YET: WITHDRAWABLE },
  rejects: [
    ...COMMON,
    'TOKEN_NOT_COLLATERAL',
    'DESTINATION_NOT_ALLOWED',
    'INSUFFICIENT_COLLATERAL',
    'SHARES_OWED',
    'NOT_MINED_YET',
  ],
  example: {
    body: { amount: '5000000', destination: ACCOUNT },
    reply: {
      ...ENVELOPE_EXAMPLE,
      token: MARKET_EXAMPLE.collateralToken.address,
      destination: ACCOUNT,
      amount: '5000000',
    },
  },
  handle: (input, services: PortfolioServices) => {
    const { body, owner, caller } = input
    const { collateral } = services.settings
    if (body.token !== undefined && body.token.toLowerCase() !== collateral.address.toLowerCase()) {
      return refuse('TOKEN_NOT_COLLATERAL')
    }
    const { destination } = body
    if (destination === undefined && owner === caller.profileId) return invalid(NO_DESTINATION)
    if (destination !== undefined && parseAddress(destination) === undefined) {
      return invalid({ field: 'destination', message: WRONG_CHECKSUM })
    }
    const move = (request: MoveRequest, raw: number) =>
      services.moves.withdraw(request, raw, destination)
    const view = (event: MoveEvent) => {
      assert(event.destination !== undefined, 'a withdrawal has a destination')
      const { address: token } = collateral
      return { token, destination: event.destination, amount: String(-event.collateralRaw) }
    }
    return reported(input, services, move, view, (reject) => {
      return reject.name === 'NOT_MINED_YET' ? notMinedYet(reject) : refuse(reject)
    })
  },
})
