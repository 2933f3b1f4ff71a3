import { api } from '../../server/api.ts'
import { curlText } from '../../server/cli/client.ts'
import { type Plan, planAt } from './plan.ts'
import type { Rendered } from './render.ts'
import { Stage } from './stage.ts'

// Plays a sequence of requests on one stage and stops at the first that breaks anything.

export interface Failure {
  /** Of the request in the sequence; its length when only the end showed it. */
  readonly place: number
  readonly what: string
  /** '' at the end. */
  readonly curl: string
}

export interface Played {
  readonly failure: Failure | null
  readonly statuses: ReadonlyMap<string, number>
}

export function plansOf(seed: number, count: number): Plan[] {
  return Array.from({ length: count }, (_, place) => planAt(api, seed, place))
}

/** Whether a right answer to it may change what is the owner's. */
function mayChangeOwner({ speaker }: Plan): boolean {
  const { role, flaw } = speaker
  return role === 'owner'
    ? flaw === 'none' || flaw === 'scope'
    : role === 'admin' && flaw === 'none'
}

/** `strict` looks at the owner after each request instead of once in a while. */
export async function play(
  dataDir: string,
  plans: readonly Plan[],
  strict = false,
): Promise<Played> {
  const statuses = new Map<string, number>()
  const stage = await Stage.open(dataDir)
  try {
    const failure = await playOn(stage, plans, { strict, statuses })
    if (failure !== null) return { failure, statuses }
    const what = await stage.close()
    const end = what === '' ? null : { place: plans.length, what, curl: '' }
    return { failure: end, statuses }
  } finally {
    stage.end()
  }
}

async function playOn(
  stage: Stage,
  plans: readonly Plan[],
  { strict, statuses }: { strict: boolean; statuses: Map<string, number> },
): Promise<Failure | null> {
  let before = ''
  let curl = ''
  for (const [place, plan] of plans.entries()) {
    const isOwners = mayChangeOwner(plan)
    if (!isOwners && before === '') before = await stage.ownerState()
    const { rendered, status, issue } = await stage.act(plan)
    statuses.set(`${status}`, (statuses.get(`${status}`) ?? 0) + 1)
    curl = curlOf(stage.baseUrl, rendered)
    if (issue !== '') return { place, what: issue, curl }
    const next = plans[place + 1]
    const looks = strict || next === undefined || mayChangeOwner(next)
    if (isOwners || !looks) continue
    const after = await stage.ownerState()
    if (after !== before) return { place, what: `the owner had ${before}, has ${after}`, curl }
    if (next !== undefined && mayChangeOwner(next)) before = ''
  }
  return null
}

/** The request as one command for a shell; what no text can say goes through base64. */
export function curlOf(baseUrl: string, { parts, wireTrick, pathTrick }: Rendered): string {
  const { method, target, body } = parts
  const hidden = new Set(['host', 'content-length'])
  const headers = Object.fromEntries(parts.headers.filter(([name]) => !hidden.has(name)))
  const text = body.toString('utf8')
  const isText = Buffer.from(text).equals(body) && !text.includes('\u0000')
  const line = curlText(baseUrl, { method, path: target, headers, body: isText ? text : '' })
  const data = isText
    ? line
    : `echo ${body.toString('base64')} | base64 -d | ${line} --data-binary @-`
  const asIs = pathTrick === '' ? '' : ' --path-as-is'
  return `${data}${asIs}${wireTrick === '' ? '' : `  # bytes bent: ${wireTrick}`}`
}
