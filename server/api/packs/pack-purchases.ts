// Quotes and purchases of curated packs and their positions, for the caller itself or for one of
// its sub-accounts (rules §8.6). The paths and schemas are those that partner clients expect.

import type { PackIssue } from '../../../engine/core/decide/money/pack-price.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject, type RejectName } from '../../../engine/domain/reject-precedence.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import {
  type PackPosition,
  packPosition,
  packPositionsOf,
} from '../../../persistence/query/read/packs/curated-packs.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { onBehalfOf } from '../../edge/http/access/on-behalf.ts'
import { route } from '../../edge/http/route.ts'
import { bytes32, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refusalStatus, refuse } from '../../messages/refusal.ts'
import { requestOf } from '../portfolio/services.ts'
import { requesterOf, workFor } from '../reads/private-reads.ts'
import { endingIn } from '../reads/sliced-work.ts'
import {
  claimOf,
  packPositionFields,
  positionStatus,
  positionViews,
  reasonViews,
  statusOf,
} from './pack-requests.ts'
import { NOT_ELIGIBLE } from './pack-stakes.ts'
import {
  CURATED_EXAMPLE,
  HASH,
  LISTED_LEG,
  listedLeg,
  listedLegView,
  POSITION_EXAMPLE,
  POSITION_ID,
  packIdOf,
  packUuid,
  seqOfPackId,
} from './pack-views.ts'
import type { PackServices } from './services.ts'
import { PARLAY_TYPE } from './services.ts'

const PAGE_MAX = 50
const PAGE_DEFAULT = 20
const OFFSET_MAX = 5000

const proofs = () => eitherOf(hmac('trading'), sessionOrIdentity())
const ofBody = (body: { onBehalfOf?: number }) => body.onBehalfOf

const amount = (what: string) =>
  means(pattern('^[1-9][0-9]{0,19}$', 'Raw units as decimal text, at least 1.'), what)
const packId = () => packUuid('Id of a curated pack.')
const positionId = () => packUuid('Id of a position.')

/** Each error as code, leg and sentence in one text. */
function reasonLines(issues: readonly PackIssue[]): string[] {
  return reasonViews(issues).map(({ code, legIndex, message }) => {
    return legIndex === undefined ? `${code}: ${message}` : `${code} (leg ${legIndex}): ${message}`
  })
}

/** More than any stake, so larger stakes get the same errors as smaller ones. */
const STAKE_MAX_RAW = 10 ** 15
const stakeOf = (decimal: string) => Math.min(Number(decimal), STAKE_MAX_RAW)

export const quoteListedPack = route({
  method: 'POST',
  path: '/parlay/partner/quote',
  auth: proofs().forSubAccounts(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Prices a curated pack for a stake, and lists all its errors.',
  body: object({
    onBehalfOf: onBehalfOf(),
    packId: packId(),
    stakeAmount: amount('Raw collateral to stake.'),
  }),
  reply: object({
    eligible: means(boolean(), 'Whether the pack can be bought for this stake.'),
    parlayType: means(oneOf(PARLAY_TYPE), 'Always curated: operators chose the legs.'),
    rawMultiplier: means(nullable(number(0)), 'Payout per stake without vig; null if unpriced.'),
    multiplier: means(nullable(number(0)), 'Payout per stake, rounded down; null if unpriced.'),
    potentialPayout: means(nullable(uint256Text()), 'Payout, raw; null if unpriced.'),
    collateralRequired: means(
      nullable(uint256Text()),
      'Raw collateral that would be reserved: stake and winnings; null if unpriced.',
    ),
    vigPercent: means(number(0), 'Part of the fair payout that is kept, in percent.'),
    maxStake: means(uint256Text(), 'Maximum stake of one pack, raw.'),
    legs: means(list(listedLeg()), 'The legs, each with the price of the shares that it needs.'),
    ineligibleReasons: means(
      list(text()),
      'All errors, each as code and sentence; empty if the pack can be bought.',
    ),
  }),
  means: 'The pack at the current book prices.',
  rejects: ['OVERLOADED', 'PACK_NOT_FOUND'],
  example: {
    body: { packId: CURATED_EXAMPLE.id, stakeAmount: '10000000' },
    reply: {
      eligible: true,
      parlayType: PARLAY_TYPE,
      rawMultiplier: 5,
      multiplier: 4.5,
      potentialPayout: '45000000',
      collateralRequired: '45000000',
      vigPercent: PACK_LIMITS.vigPercent,
      maxStake: String(PACK_LIMITS.stakeMaxRaw),
      legs: [LISTED_LEG],
      ineligibleReasons: [],
    },
  },
  handle: async ({ body, owner, caller, call }, services: PackServices) => {
    const { packs, pipeline, slices } = services
    const curatedId = seqOfPackId('curated', body.packId)
    const legs = packs.listedLegs(curatedId)
    if (legs.length === 0) return pipeline.refused(REJECT.PACK_NOT_FOUND).then(refuse)
    const steps = packs.quoting({ legs, stakeRaw: stakeOf(body.stakeAmount) }, owner)
    const work = workFor(requesterOf({ caller, call }), pipeline)
    const quote = await slices.run(work, steps)
    if (quote === null) return refuse('OVERLOADED')
    const { issues, multipliers, payoutRaw } = quote
    const pays = multipliers === null ? null : String(payoutRaw)
    const id = packIdOf('curated', curatedId)
    return {
      eligible: issues.length === 0,
      parlayType: PARLAY_TYPE,
      rawMultiplier: multipliers?.fair ?? null,
      multiplier: multipliers?.net ?? null,
      potentialPayout: pays,
      collateralRequired: pays,
      vigPercent: PACK_LIMITS.vigPercent,
      maxStake: String(quote.stakeMaxRaw),
      legs: quote.legs.flatMap(({ outcome, priceTicks, bookTicks }, legIndex) => {
        const { market } = legs[legIndex]
        if (market === undefined) return []
        const price = bookTicks === null ? {} : { priceTicks }
        return [listedLegView(market, { packId: id, legIndex, outcome, ...price }, packs)]
      }),
      ineligibleReasons: reasonLines(issues),
    } as const
  },
})

/** Refusals that clients handle themselves, or that do not show whether a purchase was made. */
const KNOWN: ReadonlySet<RejectName> = new Set([
  'INTENT_EXPIRED',
  'PRICE_DRIFTED',
  'IDEMPOTENCY_KEY_TAKEN',
])

const NOT_SUBMITTED = { submissionState: 'NOT_SUBMITTED' }

/** The refusal of a purchase. It shows whether nothing was bought and its key may be reused. */
function notBought(refused: RejectName, extra: Readonly<Record<string, unknown>> = {}): Refusal {
  const status = refusalStatus(refused)
  const isKnown = KNOWN.has(refused) || status >= 500 || status === 429
  return refuse(refused, isKnown ? extra : { ...NOT_SUBMITTED, ...extra })
}

const NOTHING_BOUGHT = {
  fields: {
    submissionState: means(
      optional(oneOf('NOT_SUBMITTED')),
      'True if nothing was bought and the key may be reused.',
    ),
  },
  example: { submissionState: 'NOT_SUBMITTED' },
}
const NO_PACK = NOT_ELIGIBLE.PACK_NOT_ELIGIBLE

/** Additional fields in the refusals of a purchase. */
const OF_PURCHASE = {
  VALIDATION: NOTHING_BOUGHT,
  BODY_MALFORMED: NOTHING_BOUGHT,
  PROFILE_FROZEN: NOTHING_BOUGHT,
  PACK_CAPACITY: NOTHING_BOUGHT,
  PACK_NOT_FOUND: NOTHING_BOUGHT,
  PACK_LIMIT: NOTHING_BOUGHT,
  PACK_NOT_ELIGIBLE: {
    fields: { ...NO_PACK.fields, ...NOTHING_BOUGHT.fields },
    example: { ...NO_PACK.example, ...NOTHING_BOUGHT.example },
  },
  PRICE_DRIFTED: {
    fields: {
      payoutAmount: means(uint256Text(), 'Current payout of the pack, raw.'),
      minPayoutAmount: means(uint256Text(), 'Requested minimum payout, raw.'),
    },
    example: { payoutAmount: '44000000', minPayoutAmount: '44550000' },
  },
}

const DEADLINE_HOURS = PACK_LIMITS.deadlineAheadMaxMs / (3600 * MS_PER_SEC)
const TOO_FAR = {
  field: 'deadline',
  message: `must be at most ${DEADLINE_HOURS} hours ahead, in Unix seconds`,
}

/** The result of a purchase: the id of the pack, or the refusal. */
async function bought(
  input: Parameters<typeof requestOf>[0] & { readonly body: PurchaseBody },
  services: PackServices,
): Promise<number | Refusal> {
  const { body, caller, call } = input
  const { packs, pipeline, slices, clock } = services
  const deadlineMs = Number(body.deadline) * MS_PER_SEC
  if (deadlineMs > clock() + PACK_LIMITS.deadlineAheadMaxMs) {
    return notBought('VALIDATION', { message: [TOO_FAR] })
  }
  const request = requestOf(input, services)
  if (request instanceof Refusal) return request
  const { packId: id, stakeAmount, minPayoutAmount, deadline } = body
  const curatedId = seqOfPackId('curated', id)
  const legs = packs.listedLegs(curatedId)
  const work = workFor(requesterOf({ caller, call }), pipeline)
  const read = await slices.run(work, endingIn(packs.reading(legs), true))
  if (read === null) return refuse('OVERLOADED')
  const payoutMinRaw = Number(minPayoutAmount)
  const purchase = { curatedId, stakeRaw: stakeOf(stakeAmount), payoutMinRaw, deadlineMs }
  const stated = ['listed pack', curatedId, stakeAmount, minPayoutAmount, deadline]
  const made = await packs.buy(request, purchase, stated)
  if (typeof made === 'number') return made
  if (made instanceof Reject) return notBought(made.name)
  if ('payoutRaw' in made) {
    return notBought('PRICE_DRIFTED', { payoutAmount: String(made.payoutRaw), minPayoutAmount })
  }
  return notBought('PACK_NOT_ELIGIBLE', { ineligibleReasons: reasonViews(made.issues) })
}

interface PurchaseBody {
  readonly packId: string
  readonly stakeAmount: string
  readonly minPayoutAmount: string
  readonly deadline: string
  readonly idempotencyKey: string
}

export const buyListedPack = route({
  method: 'POST',
  path: '/parlay/partner/buy',
  auth: proofs().forServerWallets(),
  onBehalfIn: ofBody,
  rateClass: 'trade',
  about: 'Buys a curated pack at current prices; repeating the same body returns the first pack.',
  body: object({
    onBehalfOf: onBehalfOf(),
    packId: packId(),
    stakeAmount: amount('Raw collateral to stake.'),
    minPayoutAmount: amount('Minimum payout of the pack, raw; otherwise nothing is bought.'),
    deadline: means(
      pattern('^[1-9][0-9]{0,11}$', 'Unix seconds as decimal text.'),
      `Deadline of the purchase, at most ${DEADLINE_HOURS} hours ahead.`,
    ),
    idempotencyKey: means(
      pattern('^[!-~]{1,128}$', '1 to 128 printable characters without spaces.'),
      'Key of this purchase, valid for a day: the same body again returns the first pack.',
    ),
  }),
  status: 201,
  reply: object({
    status: positionStatus(),
    position: means(packPositionFields(), 'The current state of the purchased position.'),
  }),
  means: 'The pack is bought; the next block contains the purchase.',
  refusalFields: OF_PURCHASE,
  links: {
    read: {
      to: 'GET /parlay/partner/positions/:id',
      about: 'Reads the purchased position.',
      params: { id: '/position/id' },
    },
    claim: {
      to: 'POST /parlay/partner/positions/:id/claim',
      about: 'Claims the payment of the position after it won.',
      params: { id: '/position/id' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'HELD_BY_WALLETS',
    'PROFILE_FROZEN',
    'CALL_LIMIT',
    'PACK_CAPACITY',
    'PACK_NOT_FOUND',
    'INTENT_EXPIRED',
    'PACK_LIMIT',
    'PACK_NOT_ELIGIBLE',
    'PRICE_DRIFTED',
    'IDEMPOTENCY_KEY_TAKEN',
    'READ_TIMEOUT',
  ],
  ofWrongForm: NOT_SUBMITTED,
  example: {
    body: {
      packId: CURATED_EXAMPLE.id,
      stakeAmount: '10000000',
      minPayoutAmount: '44550000',
      deadline: '1767225720',
      idempotencyKey: 'order-4711',
    },
    reply: { status: 'ACTIVE' as const, position: POSITION_EXAMPLE },
  },
  handle: async (input, services: PackServices) => {
    const made = await bought(input, services)
    if (made instanceof Refusal) return made
    const { owner, caller, call } = input
    const requester = requesterOf({ caller, call })
    const row = await services.reads.read(packPosition, { owner, packId: made }, requester)
    // The purchase was made: the same body again returns it.
    if (row === undefined || row === null) return refuse('READ_TIMEOUT')
    const views = await positionViews([row], services, requester)
    if (views instanceof Refusal) return views
    return { status: views[0].status, position: views[0] }
  },
})

export const packPositionsOfOwner = route({
  method: 'GET',
  path: '/parlay/partner/positions',
  auth: proofs().forSubAccounts(),
  rateClass: 'private',
  about: 'Lists the curated packs bought by the caller or one of its sub-accounts; newest first.',
  query: {
    limit: means(defaulted(integer(1, PAGE_MAX), PAGE_DEFAULT), 'Maximum positions per page.'),
    offset: means(defaulted(integer(0, OFFSET_MAX), 0), 'Number of positions to skip.'),
  },
  reply: object({
    data: means(list(packPositionFields()), 'The positions of this page.'),
    total: means(integer(0), 'Number of positions on all pages.'),
    limit: means(integer(1), 'Maximum positions per page.'),
    offset: means(integer(0), 'Number of positions skipped.'),
  }),
  means: 'A page of positions; empty for a profile that bought none.',
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { limit: 20, offset: 0 },
    reply: { data: [POSITION_EXAMPLE], total: 1, limit: 20, offset: 0 },
  },
  handle: async ({ query, owner, caller, call }, services: PackServices) => {
    const { limit, offset } = query
    const requester = requesterOf({ caller, call })
    const found = await services.reads.read(packPositionsOf, { owner, limit, offset }, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const data = await positionViews(found.rows, services, requester)
    return data instanceof Refusal ? data : { data, total: found.total, limit, offset }
  },
})

export const packPositionOfOwner = route({
  method: 'GET',
  path: '/parlay/partner/positions/:id',
  auth: proofs().forSubAccounts(),
  rateClass: 'private',
  about: 'Returns one curated pack that the caller or one of its sub-accounts bought.',
  params: { id: positionId() },
  reply: packPositionFields(),
  means: 'The current position.',
  rejects: ['PACK_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { id: POSITION_ID }, reply: POSITION_EXAMPLE },
  handle: async ({ params, owner, caller, call }, services: PackServices) => {
    const requester = requesterOf({ caller, call })
    const request = { owner, packId: seqOfPackId('position', params.id) }
    const row = await services.reads.read(packPosition, request, requester)
    if (row === undefined) return refuse('READ_TIMEOUT')
    if (row === null) return refuse('PACK_NOT_FOUND')
    const views = await positionViews([row], services, requester)
    return views instanceof Refusal ? views : views[0]
  },
})

const claimReply = () =>
  object({
    parlayId: positionId(),
    status: means(
      oneOf('CLAIMED', 'CLAIM_PENDING'),
      'CLAIMED once the payment is in a block; CLAIM_PENDING before.',
    ),
    txHash: means(bytes32(), 'Hash of the payment, the same for every call.'),
    transactionId: means(uint256Text(), 'Seq of the payment in the journal, as text.'),
    userOperationHash: means(
      nullable(text()),
      'Always null: the embedded chain has no user operations.',
    ),
  })
const CLAIM_EXAMPLE = {
  parlayId: POSITION_ID,
  status: 'CLAIMED' as const,
  txHash: HASH,
  transactionId: '4799',
  userOperationHash: null,
}

/** The result of a claim. A claim changes nothing. */
async function claimed(
  { owner, caller, call, id }: Claim,
  services: PackServices,
): Promise<Refusal | ReturnType<typeof claimView>> {
  const requester = requesterOf({ caller, call })
  const request = { owner, packId: seqOfPackId('position', id) }
  const row = await services.reads.read(packPosition, request, requester)
  if (row === undefined) return refuse('READ_TIMEOUT')
  if (row === null) return refuse('PACK_NOT_FOUND')
  const claim = claimOf(row, services)
  if (claim === null) return refuse('PACK_NOT_WON', { status: statusOf(row) })
  return claimView(row, claim)
}

type Claim = Parameters<typeof requesterOf>[0] & { readonly owner: number; readonly id: string }

function claimView(
  row: PackPosition,
  { seq, txHash }: { readonly seq: Seq; readonly txHash: string },
) {
  return {
    parlayId: packIdOf('position', row.packId),
    status: row.isPaymentMined ? ('CLAIMED' as const) : ('CLAIM_PENDING' as const),
    txHash,
    transactionId: String(seq),
    userOperationHash: null,
  }
}

const NOT_WON = {
  PACK_NOT_WON: {
    fields: { status: means(positionStatus(), 'Status of the position.') },
    example: { status: 'ACTIVE' },
  },
}

export const claimPack = route({
  method: 'POST',
  path: '/parlay/partner/positions/:id/claim',
  auth: proofs().forSubAccounts(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Returns the payment of a position that won; it was paid automatically, and only once.',
  params: { id: positionId() },
  body: object({ onBehalfOf: onBehalfOf() }),
  reply: claimReply(),
  means: 'The payment of the position.',
  refusalFields: NOT_WON,
  rejects: ['PACK_NOT_FOUND', 'PACK_NOT_WON', 'READ_TIMEOUT'],
  example: { params: { id: POSITION_ID }, body: {}, reply: CLAIM_EXAMPLE },
  handle: ({ params: { id }, owner, caller, call }, services: PackServices) =>
    claimed({ owner, caller, call, id }, services),
})

export const confirmPackClaim = route({
  method: 'POST',
  path: '/parlay/partner/positions/:id/claim/confirm',
  auth: proofs().forSubAccounts(),
  onBehalfIn: ofBody,
  rateClass: 'private',
  about: 'Verifies that a transaction paid a position that won.',
  params: { id: positionId() },
  body: object({
    onBehalfOf: onBehalfOf(),
    txHash: means(bytes32(), 'Hash to verify as the payment of the position.'),
  }),
  reply: claimReply(),
  means: 'The transaction is the payment of the position.',
  refusalFields: NOT_WON,
  rejects: ['VALIDATION', 'PACK_NOT_FOUND', 'PACK_NOT_WON', 'READ_TIMEOUT'],
  example: { params: { id: POSITION_ID }, body: { txHash: HASH }, reply: CLAIM_EXAMPLE },
  handle: async ({ params: { id }, body, owner, caller, call }, services: PackServices) => {
    const claim = await claimed({ owner, caller, call, id }, services)
    if (claim instanceof Refusal) return claim
    if (claim.txHash === body.txHash.toLowerCase()) return claim
    return invalid({
      field: 'txHash',
      message: `must be ${claim.txHash}, which paid this position`,
    })
  },
})
