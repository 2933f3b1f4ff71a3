import { STATUS_CODES } from 'node:http'
import type { Role } from '../../engine/domain/operator.ts'
import { REJECT, Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'

/** What is wrong with one field of a request. */
export interface Issue {
  readonly field: string
  readonly message: string
}

export type Extra = Readonly<Record<string, unknown>>

/** A refusal in wire form, with its body encoded. */
export class Refusal {
  readonly name: RejectName
  readonly status: number
  /** 0 sends no `Retry-After`. */
  readonly retryAfterSec: number
  readonly body: string
  /** The RateLimit headers of the limit that was hit, where the gateway does not know it. */
  readonly limitLines: string

  constructor(name: RejectName, message: unknown, extra: Extra, retrySec = 0, limitLines = '') {
    const { answer } = REJECT[name]
    const { status: statusCode, code = name } = answer
    const error = STATUS_CODES[statusCode] ?? 'Error'
    const body = { message, error, statusCode, code, ...answer.extra, ...extra }
    this.name = name
    this.limitLines = limitLines
    this.status = statusCode
    this.retryAfterSec = Math.max(retrySec, answer.retryAfterSec ?? 0)
    this.body = JSON.stringify(body)
  }

  /** The same refusal with additional fields. */
  with(extra: Extra): Refusal {
    const { message } = JSON.parse(this.body)
    return new Refusal(this.name, message, extra, this.retryAfterSec, this.limitLines)
  }

  /** The body nested in another reply; its first field replaces `Retry-After`. */
  get innerBody(): string {
    const { retryAfterSec, body } = this
    return retryAfterSec > 0 ? `{"retryAfterSec":${retryAfterSec},${body.slice(1)}` : body
  }
}

const NO_EXTRA: Extra = {}

// A refusal without extras is always the same, so a flood of refusals encodes nothing.
const plain = new Map<Reject, Refusal>()
for (const reject of Object.values(REJECT)) {
  plain.set(reject, new Refusal(reject.name, reject.sentence, NO_EXTRA))
}

/** Builds the reply of a refusal; `extra` fields follow the usual four. */
export function refuse(stated: RejectName | Reject, extra?: Extra, retryAfterSec = 0): Refusal {
  const reject = stated instanceof Reject ? stated : REJECT[stated]
  const known = extra === undefined && retryAfterSec === 0 ? plain.get(reject) : undefined
  if (known !== undefined) return known
  const { name, sentence, shortfall } = reject
  if (shortfall === null) return new Refusal(name, sentence, extra ?? NO_EXTRA, retryAfterSec)
  const { availableRaw, requiredRaw } = shortfall
  const numbers = `Required: ${requiredRaw} raw units; available: ${availableRaw}.`
  const both = { available: String(availableRaw), required: String(requiredRaw), ...extra }
  return new Refusal(name, `${sentence} ${numbers}`, both, retryAfterSec)
}

/** The refusal of a caller that exceeded a rate limit of a route, which these lines describe. */
export function tooOften(retryAfterSec: number, limitLines: string): Refusal {
  const { name, sentence } = REJECT.RATE_LIMITED
  return new Refusal(name, sentence, NO_EXTRA, retryAfterSec, limitLines)
}

/** The view of the result, or the reply of its refusal. */
export function refusedOr<Made, View>(
  made: Made | Reject,
  view: (made: Made) => View,
): View | Refusal {
  return made instanceof Reject ? refuse(made) : view(made)
}

/** Names the required role and the operator's own. */
export function roleMissing(needed: Role, { role }: { readonly role: Role }): Refusal {
  const roles = `This call needs the role ${needed}, and yours is ${role}`
  return refuse('ROLE_MISSING', { message: `${roles}; ask an operator with that role.` })
}

/** A request may have hundreds of faults, and the reply must not grow with it. */
const ISSUES_REPORTED_MAX = 10

/** The field of an issue that concerns the whole input. */
const WHOLE = 'body'

/** A refusal that lists the faults of the request by field; no field is empty. */
export function invalid(...issues: Issue[]): Refusal {
  const reported = issues.slice(0, ISSUES_REPORTED_MAX)
  const left = issues.length - reported.length
  if (left > 0) {
    const message = `${left} more faults are not listed, starting with this one; fix those above`
    reported.push({ field: issues[ISSUES_REPORTED_MAX].field, message })
  }
  const named = reported.map(({ field, message }) => ({
    field: field === '' ? WHOLE : field,
    message,
  }))
  return new Refusal('VALIDATION', named, NO_EXTRA)
}

export function refusalStatus(reject: RejectName): number {
  return REJECT[reject].answer.status
}
