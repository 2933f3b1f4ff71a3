// Who did what, when: a line for each call of a proven operator that could change something. What
// it came to is in the journal for ever; this says who asked for it, and what was refused. Whoever
// proves nothing is counted in metrics: a line each would let anybody write the log.

const BODY_CHARACTERS_MAX = 1000

/** What the gateway saw of one request. */
export interface SeenAct {
  readonly call: {
    readonly method: string
    readonly target: string
    readonly body: Uint8Array
  }
  readonly route: { readonly method: string; readonly lane: string } | null
  readonly caller: { readonly operator?: { readonly name: string } | undefined } | null
  readonly status: number
  readonly refusal: string | null
  readonly from: string
}

/** The fields of its line; null when it is no act of an operator. Its token is never among them. */
export function auditLine({ call, route, caller, status, refusal, from }: SeenAct): object | null {
  if (route === null || route.lane !== 'admin' || route.method === 'GET') return null
  const operator = caller?.operator?.name
  if (operator === undefined) return null
  const { method, target } = call
  const body = Buffer.from(call.body).toString('utf8').slice(0, BODY_CHARACTERS_MAX)
  return { from, operator, method, target, body, status, ...(refusal === null ? {} : { refusal }) }
}
