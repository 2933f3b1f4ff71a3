import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { STP_POLICIES } from '../../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../../engine/domain/order-flags.ts'
import { MS_PER_SEC, type TimeMs } from '../../../../engine/domain/units.ts'
import { isAddress, ZERO_ADDRESS } from '../../../crypto/address.ts'
import { isUint256 } from '../../../crypto/uint256.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { onBehalfOf } from '../../http/access/on-behalf.ts'
import { orderGroupId, orderType } from '../../http/schema/fields.ts'
import { WORDS, WRONG_CHECKSUM } from '../../http/schema/issue-text.ts'
import { compilePrinted } from '../../http/schema/printed-text.ts'
import {
  boolean,
  integer,
  means,
  named,
  number,
  oneOf,
  pattern,
  shownWith,
  text,
  withKeywords,
} from '../../http/schema/scalars.ts'
import { fieldsOf, type Infer, object, optional, schemaOf } from '../../http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from './client-order-id.ts'

// The body of POST /orders (rules §12.4): its shape, and the checks of its fields that do not
// depend on the market.

/** In most languages a type is either text or number, so documents show text alone. */
const NO_RANGE = { minimum: undefined, maximum: undefined }
/** Above 0, in the form for documents; `orderIssues` refuses 0. */
const above0 = (digitsMax: number) => ({ pattern: `^[1-9][0-9]{0,${digitsMax - 1}}$` })

/** A JSON integer up to 2^53 − 1, or decimal text of at most `digitsMax` digits. */
function uint(digitsMax: number, meaning: string) {
  const taken = schemaOf<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    pattern: `^(0|[1-9][0-9]{0,${digitsMax - 1}})$`,
    description: `Text of at most ${digitsMax} digits, or an integer: ${meaning}`,
  })
  return shownWith(taken, { type: 'string', ...NO_RANGE })
}

const AS_STRING = 'a JSON number above 9007199254740991 loses digits; send it as a string'

const SIGNATURE_TYPES =
  'must be 0 for an account that signs itself, 1 for a proxy wallet, 2 for a safe or 3 for EIP-1271'

const account = (meaning: string) => {
  return pattern('^0x[0-9a-fA-F]{40}$', `0x and 40 hex digits: ${meaning}`)
}

const orderOf = named(
  'SignedOrder',
  object({
    salt: means(
      withKeywords(
        shownWith(uint(78, 'positive, below 2^256, as JSON up to 2^53 - 1.'), above0(78)),
        {
          [WORDS]: { maximum: AS_STRING },
        },
      ),
      'Random number that makes this order unique.',
    ),
    maker: optional(account('the account whose balance trades, EIP-55 or lower case.')),
    signer: optional(account('the account that signed; for signature type 0, the maker.')),
    taker: shownWith(account('the zero address, so anyone may fill.'), {
      const: ZERO_ADDRESS,
      pattern: undefined,
    }),
    tokenId: schemaOf<string>({
      ...pattern('^(0|[1-9][0-9]{0,77})$', 'Decimal text: tokens.yes or tokens.no of the market.'),
      [WORDS]: { type: `must be text: ${AS_STRING}` },
    }),
    makerAmount: shownWith(
      uint(16, 'raw units given, collateral for a buy, shares for a sell.'),
      above0(16),
    ),
    takerAmount: shownWith(
      uint(16, 'raw units received; 1 with FOK is the market form.'),
      above0(16),
    ),
    expiration: means(
      uint(16, 'Unix seconds (not milliseconds), at most ten years ahead, 0 for never.'),
      'When the order expires.',
    ),
    nonce: means(
      shownWith(uint(16, '0 alone.'), { const: '0', pattern: undefined }),
      'Field of the struct that this exchange does not use.',
    ),
    feeRateBps: means(
      optional(integer(0, LIMITS.feeBpsMax)),
      'Fee rate in basis points: effectiveFeeRateBps of the owner where the market has fees.',
    ),
    side: means(integer(0, 1), '0 to buy, 1 to sell.'),
    signatureType: means(
      optional(
        schemaOf<number>({
          ...integer(0, 3),
          [WORDS]: {
            minimum: SIGNATURE_TYPES,
            maximum: SIGNATURE_TYPES,
            type: SIGNATURE_TYPES,
          },
        }),
      ),
      'How the signature proves the maker: 0 by its own key, 1 to 3 by the key of its smart ' +
        'wallet, or 3 by the wallet itself if trades settle on an EVM chain. Without a signature ' +
        'it is optional and must be 0.',
    ),
    signature: optional(
      pattern(
        '^0x[0-9a-fA-F]{130}$',
        'r, s, v: 0x and 130 hex digits, 65 bytes, also of a wallet contract; the compact form ' +
          'of EIP-2098, 64 bytes, is not accepted. If absent, the server wallet of onBehalfOf ' +
          'signs, and maker, signer, feeRateBps and ownerId are optional.',
      ),
    ),
    price: means(
      optional(shownWith(number(), { minimum: 0.001, maximum: 0.999 })),
      'Price of one share, 0.001 to 0.999; when present, it must match the amounts.',
    ),
  }),
)

const orderFields = {
  order: means(orderOf, 'The signed fields (EIP-712 struct Order), with their signature.'),
  ownerId: means(
    optional(integer(1)),
    'Id of the profile that owns the order; required with a signature.',
  ),
  orderType: orderType(),
  marketSlug: means(text(), 'Slug of the market that the tokenId belongs to.'),
  clientOrderId: optional(clientOrderIdText()),
  ...fieldsOf(ORDER_FLAGS, ({ request }) => means(optional(boolean()), request)),
  orderGroupId: means(
    optional(orderGroupId()),
    'The open order group of the owner that the order joins.',
  ),
  stpPolicy: means(
    optional(oneOf(...STP_POLICIES)),
    'What to cancel when the order meets one of its own profile; defaults to cancel_maker.',
  ),
  timestamp: means(
    optional(integer(0)),
    'When the client created the order, Unix milliseconds; recvWindow starts here.',
  ),
  recvWindow: means(
    optional(integer(1, LIMITS.recvWindowMsMax)),
    'Maximum age of the order in milliseconds; no limit when absent.',
  ),
}

/** The dependency shown in documents; `bodyIssues` enforces it. */
const NEEDS = { dependentRequired: { recvWindow: ['timestamp'] } }

export const orderBody = shownWith(
  named('OrderRequest', object({ ...orderFields, onBehalfOf: onBehalfOf() })),
  NEEDS,
)

/** An order inside another call; that call names the sub-account (rules §4.8). */
export const replacementBody = shownWith(named('Replacement', object(orderFields)), NEEDS)

export type OrderBody = Infer<typeof orderBody>
type OrderFields = Infer<typeof orderOf>

/** A body with the signature of its order, and therefore all signed fields. */
export type SignedBody = OrderBody & {
  readonly ownerId: ProfileId
  readonly order: OrderFields & Required<Pick<OrderFields, (typeof SIGNED)[number]>>
}

const SIGNED = ['maker', 'signer', 'feeRateBps', 'signatureType', 'signature'] as const

const checker = compilePrinted(orderBody)

export function isOrderBody(value: unknown): value is OrderBody {
  return checker.holds(value)
}

/** False for an order that a server wallet has to sign, once `bodyIssues` found nothing. */
export function isSigned(body: OrderBody): body is SignedBody {
  const { maker, signer, feeRateBps, signatureType, signature } = body.order
  if (signature === undefined || feeRateBps === undefined) return false
  if (signatureType === undefined) return false
  return maker !== undefined && signer !== undefined && body.ownerId !== undefined
}

/** The issues of a value that `isOrderBody` refused. */
export function shapeIssues(value: unknown): Issue[] {
  return checker.issues(value)
}

/** The client's own id, trimmed; '' when none was given. */
export function clientOrderIdOf(body: OrderBody): string {
  return body.clientOrderId === undefined ? '' : body.clientOrderId.trim()
}

function isPastSafe(value: number | string): boolean {
  return Number(value) > Number.MAX_SAFE_INTEGER
}

/** The fault of the expiration, in Unix seconds; undefined when it is valid. */
function expirationIssue(expiration: number | string, nowMs: TimeMs): string | undefined {
  const sec = Number(expiration)
  const lastSec = Math.floor(nowMs / MS_PER_SEC) + LIMITS.expirationAheadSecMax
  if (sec <= lastSec) return undefined
  const expected = `must be Unix seconds, at most ten years ahead (${lastSec}), or 0 for never`
  const fromMs = Math.floor(sec / MS_PER_SEC)
  if (fromMs > lastSec) return expected
  return `${expected}; ${expiration} looks like milliseconds: send ${fromMs}`
}

function orderIssues(order: OrderFields, nowMs: TimeMs): Issue[] {
  const issues: Issue[] = []
  const say = (field: string, message: string) => issues.push({ field: `order.${field}`, message })
  const salt = String(order.salt)
  if (salt === '0') say('salt', 'must be positive')
  if (!isUint256(salt)) say('salt', 'must be below 2^256')
  const { maker, signer } = order
  if (maker !== undefined && !isAddress(maker)) say('maker', WRONG_CHECKSUM)
  if (signer !== undefined && signer !== maker && !isAddress(signer)) {
    say('signer', WRONG_CHECKSUM)
  }
  if (order.taker !== ZERO_ADDRESS) say('taker', 'must be the zero address')
  if (isPastSafe(order.makerAmount)) say('makerAmount', 'must be at most 9007199254740991')
  if (isPastSafe(order.takerAmount)) say('takerAmount', 'must be at most 9007199254740991')
  const late = expirationIssue(order.expiration, nowMs)
  if (late !== undefined) say('expiration', late)
  if (Number(order.nonce) !== 0) say('nonce', 'must be 0')
  return issues
}

/** Checks the fields that depend on whether the order is signed or a server wallet signs it. */
function signatureIssues({ order, ownerId }: OrderBody, isDelegated: boolean): Issue[] {
  const issues: Issue[] = []
  const say = (field: string, message: string) => issues.push({ field, message })
  if (order.signature === undefined && isDelegated) {
    if ((order.signatureType ?? 0) !== 0)
      say('order.signatureType', 'must be 0 without a signature')
    const { signer } = order
    if (signer !== undefined && signer !== ZERO_ADDRESS && signer !== order.maker) {
      say('order.signer', 'must be absent, zero or the maker without a signature')
    }
    return issues
  }
  for (const field of SIGNED) {
    if (order[field] === undefined) say(`order.${field}`, 'is required')
  }
  if (ownerId === undefined) say('ownerId', 'is required')
  return issues
}

/** The issues of a well-shaped body, for a sub-account or not; empty when it is valid. */
export function bodyIssues(
  body: OrderBody,
  { isDelegated, nowMs }: { readonly isDelegated: boolean; readonly nowMs: TimeMs },
): Issue[] {
  const issues = [...signatureIssues(body, isDelegated), ...orderIssues(body.order, nowMs)]
  const say = (field: string, message: string) => issues.push({ field, message })
  if (body.clientOrderId !== undefined) {
    const issue = clientOrderIdIssue(body.clientOrderId)
    if (issue !== undefined) say('clientOrderId', issue)
  }
  for (const { name, needs } of ORDER_FLAGS) {
    if (needs !== null && body[name] === true && body.orderType !== needs) {
      say(name, `needs orderType ${needs}`)
    }
  }
  if (body.recvWindow !== undefined && body.timestamp === undefined) {
    say('timestamp', 'is required with recvWindow')
  }
  return issues
}
