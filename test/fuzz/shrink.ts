import type { Json } from '../../server/edge/http/schema/schema.ts'
import type { Edit, Plan } from './plan.ts'
import { WANTED } from './values.ts'

// Finds smaller requests that break the same thing.

/** Plans that are one step smaller, the largest step first. */
export function* smaller(plan: Plan): Generator<Plan> {
  for (const [index] of plan.edits.entries()) {
    yield { ...plan, edits: plan.edits.filter((_, at) => at !== index) }
  }
  if (plan.speaker.proof !== 'none') {
    yield { ...plan, speaker: { role: 'nobody', proof: 'none', flaw: 'none' } }
  }
  if (plan.speaker.flaw !== 'none') yield { ...plan, speaker: { ...plan.speaker, flaw: 'none' } }
  for (const query of withoutEach(plan.query)) yield { ...plan, query }
  for (const body of smallerJson(plan.body)) yield { ...plan, body }
  for (const [index, edit] of plan.edits.entries()) {
    for (const less of smallerEdit(edit)) {
      yield { ...plan, edits: plan.edits.map((each, at) => (at === index ? less : each)) }
    }
  }
}

function* withoutEach(
  fields: Readonly<Record<string, Json>>,
): Generator<Readonly<Record<string, Json>>> {
  for (const name of Object.keys(fields)) {
    yield Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))
  }
}

function* smallerJson(value: Json | undefined): Generator<Json> {
  if (typeof value === 'string' && value.length > 1) {
    yield value.slice(0, value.length >> 1)
    yield value.slice(value.length >> 1)
    yield value.slice(1)
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index] of value.entries()) yield value.filter((_, at) => at !== index)
    return
  }
  const entries = Object.entries(value)
  for (const [name, each] of entries) {
    // A wanted order stays whole: half of one is no order.
    if (name === WANTED) continue
    const others = entries.filter(([other]) => other !== name)
    yield Object.fromEntries(others)
    for (const less of smallerJson(each)) yield Object.fromEntries([...others, [name, less]])
  }
}

function* smallerEdit(edit: Edit): Generator<Edit> {
  if (edit.at === 'param') for (const raw of halves(edit.raw)) yield { ...edit, raw }
  if (edit.at === 'query') for (const pair of halves(edit.pair)) yield { ...edit, pair }
  if (edit.at !== 'body' && edit.at !== 'whole') return
  for (const value of smallerJson(edit.value)) yield { ...edit, value }
}

function* halves(text: string): Generator<string> {
  if (text.length < 2) return
  yield text.slice(0, text.length >> 1)
  yield text.slice(text.length >> 1)
  yield text.slice(0, -1)
  yield text.slice(1)
}

/** Whether a sequence breaks what the first one broke; each try plays it again. */
export type Breaks = (plans: readonly Plan[]) => Promise<boolean>

/**
 * Finds, within `tries`, the shortest sequence and the smallest last request in it. Most failing
 * requests fail alone; these cost one try to isolate.
 */
export async function shrunk(
  plans: readonly Plan[],
  breaks: Breaks,
  tries: number,
): Promise<readonly Plan[]> {
  let left = tries
  let best = plans
  const isBroken = async (candidate: readonly Plan[]): Promise<boolean> => {
    if (left-- <= 0) return false
    if (!(await breaks(candidate))) return false
    best = candidate
    return true
  }
  if (!(await isBroken(plans.slice(-1)))) {
    for (let part = plans.length >> 1; part >= 1 && left > tries / 2; part >>= 1) {
      for (let at = 0; at < best.length - 1 && left > tries / 2; ) {
        const end = Math.min(at + part, best.length - 1)
        const dropped = [...best.slice(0, at), ...best.slice(end)]
        if (!(await isBroken(dropped))) at += part
      }
    }
  }
  for (let found = true; found && left > 0; ) {
    found = false
    const last = best.at(-1)
    if (last === undefined) return best
    for (const less of smaller(last)) {
      found = await isBroken([...best.slice(0, -1), less])
      if (found || left <= 0) break
    }
  }
  return best
}
