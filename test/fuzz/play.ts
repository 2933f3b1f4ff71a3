import { api } from '../../server/api/routes.ts'
import { curlText } from '../../server/cli/client.ts'
import { type Plan, planAt } from './plan.ts'
import type { Rendered } from './render.ts'
import { OWN_PROOF_SMUGGLES } from './smuggle.ts'
import { Stage } from './stage.ts'
import { Tally } from './tally.ts'

// Plays a sequence of requests on one stage and stops at the first failure.

export interface Failure {
  /** The place of the request in the sequence; its length when only the end shows the failure. */
  readonly place: number
  readonly what: string
  /** Empty when only the end shows the failure. */
  readonly curl: string
}

export interface Played {
  readonly failure: Failure | null
  readonly tally: Tally
}

export function plansOf(seed: number, count: number): Plan[] {
  return Array.from({ length: count }, (_, place) => planAt(api, seed, place))
}

/** Whether a right answer may change what the owner has. */
function mayChangeOwner({ speaker, edits }: Plan): boolean {
  const { role, flaw } = speaker
  if (role !== 'owner') return role === 'admin' && flaw === 'none'
  const isProven = flaw === 'none' || flaw === 'scope'
  return (
    isProven || edits.some((edit) => edit.at === 'smuggle' && OWN_PROOF_SMUGGLES.has(edit.name))
  )
}

/** `strict` checks the owner's state after each request instead of once in a while. */
export async function play(
  dataDir: string,
  plans: readonly Plan[],
  strict = false,
): Promise<Played> {
  const tally = new Tally()
  const stage = await Stage.open(dataDir)
  try {
    const failure = await playOn(stage, plans, { strict, tally })
    if (failure !== null) return { failure: await explained(stage, failure), tally }
    const what = await stage.close().catch(String)
    const end = what === '' ? null : { place: plans.length, what, curl: '' }
    return { failure: end === null ? null : await explained(stage, end), tally }
  } finally {
    stage.end()
  }
}

/** The last words of a process say more than the request without an answer. */
async function explained(stage: Stage, failure: Failure): Promise<Failure> {
  const words = await stage.lastWords()
  return words === '' ? failure : { ...failure, what: `${words}\n${failure.what}` }
}

async function playOn(
  stage: Stage,
  plans: readonly Plan[],
  { strict, tally }: { strict: boolean; tally: Tally },
): Promise<Failure | null> {
  const seen = { before: '', curl: '' }
  for (const [place, plan] of plans.entries()) {
    const next = plans[place + 1]
    const what = await step(stage, { plan, next, strict, tally, seen }).catch(String)
    if (what !== '') return { place, what, curl: seen.curl }
  }
  return null
}

interface Step {
  readonly plan: Plan
  readonly next: Plan | undefined
  readonly strict: boolean
  readonly tally: Tally
  readonly seen: { before: string; curl: string }
}

/** Plays one request; gives what it broke, or ''. */
async function step(stage: Stage, { plan, next, strict, tally, seen }: Step): Promise<string> {
  const isOwners = mayChangeOwner(plan)
  if (!isOwners && seen.before === '') {
    await stage.prepare()
    seen.before = await stage.ownerState()
  }
  const outcome = await stage.act(plan)
  const { rendered, issue } = outcome
  tally.add(plan, rendered, outcome)
  seen.curl = curlOf(stage.baseUrl, rendered)
  if (issue !== '') return issue
  const endsBusyTime = next !== undefined && mayChangeOwner(next)
  if (isOwners || !(strict || next === undefined || endsBusyTime)) return ''
  const after = await stage.ownerState()
  if (after !== seen.before) return difference(seen.before, after)
  if (endsBusyTime) seen.before = ''
  return ''
}

const AROUND = 300

/** Shows where two long texts begin to differ. */
function difference(before: string, after: string): string {
  let at = 0
  while (before[at] === after[at]) at++
  const part = (text: string) => text.slice(Math.max(0, at - AROUND), at + AROUND)
  return `the owner had …${part(before)}… and has …${part(after)}…`
}

/** The request as one shell command; a body that is not text goes through base64. */
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
  return `${data}${asIs}${wireTrick === '' ? '' : `  # wire trick: ${wireTrick}`}`
}
