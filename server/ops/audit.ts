// The audit log: one line for each call of an authenticated operator that could change something.
// The journal keeps the changes permanently; the line records who made the call, and what was
// refused. Unauthenticated calls are only counted in metrics, because a line for each would let
// anyone fill the log.

const ORACLE_PATH = '/admin/oracle/prices'
const BODY_CHARACTERS_MAX = 1000

/** The parts of an ended request that the line needs. */
export interface SeenAct {
  readonly call: {
    readonly method: string
    readonly target: string
    readonly body: Uint8Array
  }
  readonly route: {
    readonly method: string
    readonly path: string
    readonly rateClass: string
  } | null
  readonly caller: { readonly operator?: { readonly name: string } | undefined } | null
  readonly status: number
  readonly refusal: string | null
  readonly from: string
}

/** The fields of the line, never the token; null when the call is not an operator action. */
export function auditLine({ call, route, caller, status, refusal, from }: SeenAct): object | null {
  if (route === null || route.rateClass !== 'admin' || route.method === 'GET') return null
  const operator = caller?.operator?.name
  if (operator === undefined) return null
  // An oracle reports every second; the journal has every report.
  if (route.path === ORACLE_PATH && refusal === null) return null
  const { method, target } = call
  const body = Buffer.from(call.body).toString('utf8').slice(0, BODY_CHARACTERS_MAX)
  return { from, operator, method, target, body, status, ...(refusal === null ? {} : { refusal }) }
}
