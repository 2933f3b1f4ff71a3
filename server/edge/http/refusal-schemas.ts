// The body of each refusal for documents: the four common fields and its own.

import { STATUS_CODES } from 'node:http'
import type { RestrictedMode } from '../../../engine/domain/markets/trading-window.ts'
import {
  REJECT,
  type RejectField,
  type RejectName,
} from '../../../engine/domain/reject-precedence.ts'
import { invalid, refusalStatus, refuse } from '../../messages/refusal.ts'
import { type Components, type Node, pascal } from './components.ts'
import { address, isoTime, orderId, orderStatus, scope, uint256Text } from './schema/fields.ts'
import { boolean, integer, means, named, nullable, oneOf, pattern, text } from './schema/scalars.ts'
import { type Fields, list, object, optional, type Schema } from './schema/schema.ts'

/** The own fields of a refusal, with an example. */
export interface OwnFields {
  readonly fields: Fields
  readonly example: Readonly<Record<string, unknown>>
}

const RESTRICTED = ['post_only', 'cancel_only', 'disabled'] as const

const ofMode = (mode: RestrictedMode) => ({
  fields: {
    mode: means(optional(oneOf(...RESTRICTED)), 'The mode in force.'),
    resumeAt: means(optional(nullable(isoTime())), 'When the mode ends; null when unknown.'),
  },
  example: { mode, resumeAt: '2026-01-01T00:05:00.000Z' },
})

const ofScope = (missing: string) => ({
  fields: { scope: means(scope(), 'The scope that the API token lacks.') },
  example: { scope: missing },
})

/** The fields that identify the previously accepted order. */
export const ofEarlierOrder = {
  fields: {
    orderId: means(optional(orderId()), 'The previously accepted order.'),
    orderStatus: means(optional(orderStatus()), 'The current status of that order.'),
  },
  example: { orderId: '7c9e6679-7425-40de-944b-e07fc1f90ae7', orderStatus: 'LIVE' },
}

const domain = () =>
  named(
    'OrderDomain',
    object({
      name: means(text(), 'The name of the EIP-712 domain.'),
      version: means(text(), 'The version of the domain.'),
      chainId: means(integer(1), 'The chain of the exchange contract.'),
      verifyingContract: means(address(), 'The exchange contract of the market.'),
    }),
  )

const DOMAIN_EXAMPLE = {
  name: 'Limitless CTF Exchange',
  version: '1',
  chainId: 8453,
  verifyingContract: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
}

const RAW = pattern('^(0|-?[1-9][0-9]{0,15})$', 'Integer as decimal text.')

export const ofShortfall = {
  fields: {
    available: means(
      optional(RAW),
      'Free raw units; below 0 after a failed settlement reversed proceeds.',
    ),
    required: means(optional(uint256Text()), 'Raw units that the call needs.'),
  },
  example: { available: '2500000', required: '6500000' },
}

const ofSigned = () =>
  object({
    text: means(text(), 'The text that the server signed before the body; truncated when long.'),
    bodyBytes: means(integer(0), 'Length of the body.'),
    bodySha256: means(text(), 'SHA-256 of the body, as hex.'),
  })

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A readiness check, as GET /ready returns it. */
export const check = () =>
  object({
    name: means(text(), 'The part of the exchange that was checked.'),
    ok: means(boolean(), 'True when the check passes.'),
    detail: means(text(), 'Why the check fails; empty when it passes.'),
  })

const tokens = () =>
  object({
    yes: means(uint256Text(), 'Token of the YES outcome.'),
    no: means(uint256Text(), 'Token of the NO outcome.'),
  })

const AMOUNT_RULES = [
  ...(['AMOUNT_ZERO', 'SIZE_MAX', 'MARKET_FORM', 'SIZE_STEP', 'PRICE_TICK'] as const),
  'PRICE_RANGE',
] as const

const ofAmounts = means(
  optional(nullable(text())),
  'Collateral per share implied by the amounts, rounded down; null without a price.',
)

type Described = {
  readonly [Name in RejectName as [RejectField<Name>] extends [never] ? never : Name]: {
    readonly fields: Readonly<Record<RejectField<Name>, Schema>>
    readonly example: Readonly<Record<string, unknown>>
  }
}

/** Fields that a refusal has in every call; those of a single call are declared in its route. */
const OWN: Described = {
  FEE_RATE_MISMATCH: {
    fields: {
      expectedFeeRateBps: means(optional(integer(0, 1000)), 'The rate to sign, in basis points.'),
    },
    example: { expectedFeeRateBps: 300 },
  },
  POST_ONLY_MODE: ofMode('post_only'),
  CANCEL_ONLY_MODE: ofMode('cancel_only'),
  TRADING_DISABLED: ofMode('disabled'),
  SCOPE_MISSING_TRADING: ofScope('trading'),
  SCOPE_MISSING_ACCOUNT_CREATION: ofScope('account_creation'),
  SCOPE_MISSING_DELEGATED_SIGNING: ofScope('delegated_signing'),
  SCOPE_MISSING_WITHDRAWAL: ofScope('withdrawal'),
  MARKET_NOT_FOUND: {
    fields: {
      markets: means(optional(list(text())), 'Slugs of the markets of the named group.'),
    },
    example: {},
  },
  INSUFFICIENT_COLLATERAL: ofShortfall,
  INSUFFICIENT_SHARES: ofShortfall,
  ALLOWANCE_TOO_SMALL: ofShortfall,
  LIQUIDITY_SHORT: ofShortfall,
  POOL_FUNDS_SHORT: ofShortfall,
  NOT_MINED_YET: ofShortfall,
  SIGNATURE_INVALID: {
    fields: {
      domain: means(optional(domain()), 'The domain that the server verified against.'),
      signedDomain: means(optional(domain()), 'The domain that the order was signed for.'),
      recoveredSigner: means(
        optional(nullable(address())),
        'The account recovered from the signature; null for none.',
      ),
    },
    example: { domain: DOMAIN_EXAMPLE },
  },
  HMAC_INVALID: {
    fields: { signed: means(optional(ofSigned()), 'The text that the server signed.') },
    example: {
      signed: {
        text: '2026-01-01T00:00:00.000Z\nGET\n/orders\n',
        bodyBytes: 0,
        bodySha256: EMPTY_SHA256,
      },
    },
  },
  ORDER_RELEASE_IN_PROGRESS: {
    fields: {
      reason: means(optional(oneOf('ORDER_RELEASE_IN_PROGRESS')), 'Same as code.'),
      retryable: means(optional(boolean()), 'True: retrying the same cancel may succeed shortly.'),
    },
    example: { reason: 'ORDER_RELEASE_IN_PROGRESS', retryable: true },
  },
  NOT_READY: {
    fields: {
      ready: means(optional(boolean()), 'False; only in replies of GET /ready.'),
      seq: means(optional(integer(0)), 'Sequence number of the newest durable command.'),
      checks: means(optional(list(check())), 'One entry per part of the exchange.'),
    },
    example: {},
  },
  TOKEN_NOT_IN_MARKET: {
    fields: { tokens: means(optional(tokens()), 'The two tokens of the market.') },
    example: {},
  },
  AMOUNTS_INVALID: {
    fields: {
      rule: means(optional(oneOf(...AMOUNT_RULES)), 'The rule that the amounts violate.'),
      impliedPrice: ofAmounts,
      nearestPrices: means(
        optional(list(text())),
        'The one or two valid prices nearest to the implied price.',
      ),
    },
    example: { rule: 'PRICE_TICK', impliedPrice: '0.6505', nearestPrices: ['0.65', '0.651'] },
  },
  PRICE_MISMATCH: { fields: { impliedPrice: ofAmounts }, example: { impliedPrice: '0.65' } },
  DUPLICATE_ORDER: ofEarlierOrder,
  DUPLICATE_CLIENT_ORDER_ID: ofEarlierOrder,
}

function hasOwnFields(name: RejectName): name is keyof Described {
  return name in OWN
}

const NOTHING: OwnFields = { fields: {}, example: {} }

/** The extra fields of a refusal; `own` are those that only this call's route adds. */
export function ownFieldsOf(name: RejectName, own: OwnFields | undefined): OwnFields {
  return own ?? (hasOwnFields(name) ? OWN[name] : NOTHING)
}

const ISSUE_EXAMPLE = invalid({ field: 'limit', message: 'must be at least 1' })
const MESSAGE = { type: 'string', description: 'Why the call was refused, in a sentence.' }

const ISSUES = {
  type: 'array',
  description: 'Validation errors, by field.',
  items: object({
    field: means(
      { type: 'string' },
      'The path of the field, with dots between names; body for the whole body.',
    ),
    message: means({ type: 'string' }, 'What is wrong with the field.'),
  }),
}

/** A refusal for documents. */
export interface ShownRefusal {
  readonly name: RejectName
  readonly code: string
  readonly sentence: string
  readonly schema: Node
  readonly example: Node
}

/** The schema and the example of a refusal; `own` are the fields that only this call adds. */
export function refusalOf(
  name: RejectName,
  own: OwnFields | undefined,
  components: Components,
): ShownRefusal {
  const { fields, example } = ownFieldsOf(name, own)
  const isValidation = name === 'VALIDATION'
  const body: { readonly code: string } = JSON.parse(
    (isValidation ? ISSUE_EXAMPLE : refuse(name)).body,
  )
  const status = refusalStatus(name)
  const whole = object({
    message: isValidation ? ISSUES : MESSAGE,
    error: means(text(), `The HTTP name of the status, ${STATUS_CODES[status]}.`),
    statusCode: means(integer(status, status), 'The HTTP status of this reply.'),
    code: means({ const: body.code }, 'The stable code for programs.'),
    ...fields,
  })
  const schema = components.print(whole, `${pascal(body.code.toLowerCase())}Refusal`)
  const { sentence } = REJECT[name]
  return { name, code: body.code, sentence, schema, example: { ...body, ...example } }
}

/** The most codes whose names still make up the name of a schema. */
const NAMED_CODES_MAX = 3

/**
 * One schema for several refusals of a status. Their constant codes distinguish them; with a
 * discriminator, generated Rust clients would expect a refusal without its code. A choice of many
 * codes is named after its call.
 */
export function refusalChoice(
  refusals: readonly ShownRefusal[],
  call: string,
  components: Components,
): { readonly name: string; readonly schema: Node } {
  const byCode = new Map(refusals.map(({ code, schema }) => [code, schema]))
  const codes = [...byCode.keys()].map((code) => pascal(code.toLowerCase()))
  const name = codes.length > NAMED_CODES_MAX ? call : codes.join('Or')
  const [first] = refusals
  if (byCode.size === 1) return { name, schema: first.schema }
  return { name, schema: components.choice([...byCode.values()], `${name}Refusal`) }
}
