import type { Scope } from './command.ts'

// The makers of the rows of refusals: one for each status that several share.

/** How a refusal is answered over HTTP. */
export interface Answer {
  readonly status: number
  /** Seconds in `Retry-After`. */
  readonly retryAfterSec?: number
  /** The text of `code` where the API has another word than the name of the refusal. */
  readonly code?: string
  /** Further fields of its body, the same each time. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface Row<Field extends string> {
  readonly answer: Answer
  readonly sentence: string
  /** Its own fields of the body; server/edge/http/refusal-schemas.ts has their forms. */
  readonly fields: readonly Field[]
}

export function answered(answer: Answer) {
  return <Field extends string = never>(sentence: string, ...fields: Field[]): Row<Field> => {
    return { answer, sentence, fields }
  }
}

export const bad = answered({ status: 400 })
export const unproven = answered({ status: 401 })
export const forbidden = answered({ status: 403 })
export const notFound = answered({ status: 404 })
export const conflict = answered({ status: 409 })
export const notPayable = answered({ status: 422 })
export const tooEarly = answered({ status: 425 })
export const notNow = answered({ status: 503, retryAfterSec: 1 })

/** One code for clients, whichever scope it is. */
export function lacks(scope: Scope): Row<'scope'> {
  const sentence = `This call needs the scope ${scope}; derive a token with it.`
  return answered({ status: 403, code: 'SCOPE_MISSING', extra: { scope } })(sentence, 'scope')
}
