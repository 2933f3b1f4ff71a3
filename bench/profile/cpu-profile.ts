// Reads the files of `node --cpu-prof`: one for each thread, with samples of the stack. JavaScript
// ran; the frames name the TypeScript it was compiled from.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { number, text } from '../../server/edge/http/schema/scalars.ts'
import {
  compile,
  type Infer,
  list,
  openObject,
  optional,
} from '../../server/edge/http/schema/schema.ts'
import { type MapOf, mapsBeside, originalOf } from './source-positions.ts'

const nodeFields = openObject({
  id: number(),
  callFrame: openObject({
    functionName: text(),
    url: text(),
    lineNumber: number(),
    columnNumber: number(),
  }),
  children: optional(list(number())),
})
const shape = compile(
  openObject({ nodes: list(nodeFields), samples: list(number()), timeDeltas: list(number()) }),
)
type Node = Infer<typeof nodeFields>

export interface Frame {
  readonly name: string
  /** Path in the repository; '' for any other file. */
  readonly file: string
  readonly line: number
}

export interface ThreadProfile {
  /** `main`, or the name of the thread's worker file, numbered when there are several. */
  readonly thread: string
  readonly frames: readonly Frame[]
  /** Stacks as indexes of frames, outermost first. */
  readonly stacks: readonly (readonly number[])[]
  /** How long each stack lasted, in microseconds. */
  readonly weightsUs: readonly number[]
}

const OUR_FILE = /\/((?:engine|persistence|server|bench)\/.*)$/
const WORKER_FILE = /\/([a-z]+)\.worker\.[jt]s$/

function frameOf({ callFrame }: Node, mapOf: MapOf): Frame {
  const { functionName } = callFrame
  const { url, lineNumber } = originalOf(callFrame, mapOf)
  const file = url.includes('node_modules') ? '' : (OUR_FILE.exec(url)?.[1] ?? '')
  return { name: functionName || '(anonymous)', file, line: lineNumber + 1 }
}

function stackOf(id: number, parents: ReadonlyMap<number, number>): number[] {
  const ids: number[] = []
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) ids.push(at)
  return ids.reverse()
}

function threadOf(nodes: readonly Node[]): string {
  for (const { callFrame } of nodes) {
    const found = WORKER_FILE.exec(callFrame.url)
    if (found !== null) return found[1]
  }
  return 'main'
}

export function parseProfile(json: string, mapOf: MapOf = mapsBeside()): ThreadProfile {
  const value: unknown = JSON.parse(json)
  if (!shape.holds(value)) throw new Error('this is not a CPU profile')
  const { nodes, samples, timeDeltas } = value
  const parents = new Map<number, number>()
  for (const { id, children } of nodes) for (const child of children ?? []) parents.set(child, id)
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]))
  const weights = new Map<number, number>()
  // A delta is the time before its sample, so a stack lasts until the next sample.
  for (const [index, id] of samples.entries()) {
    weights.set(id, (weights.get(id) ?? 0) + Math.max(0, timeDeltas[index + 1] ?? 0))
  }
  return {
    thread: threadOf(nodes),
    frames: nodes.map((node) => frameOf(node, mapOf)),
    stacks: [...weights.keys()].map((id) =>
      stackOf(id, parents).map((each) => indexOf.get(each) ?? 0),
    ),
    weightsUs: [...weights.values()],
  }
}

/** The threads with a profile in the folder. Threads that run none of our code are left out. */
export function readProfiles(folder: string): ThreadProfile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  const mapOf = mapsBeside()
  const profiles = files
    .sort()
    .map((name) => parseProfile(readFileSync(join(folder, name), 'utf8'), mapOf))
    .filter(({ frames }) => frames.some(({ file }) => file !== ''))
  const counts = new Map<string, number>()
  return profiles.map((profile) => {
    const count = (counts.get(profile.thread) ?? 0) + 1
    counts.set(profile.thread, count)
    return { ...profile, thread: count === 1 ? profile.thread : `${profile.thread} ${count}` }
  })
}

/** All threads in the format of https://www.speedscope.app, which draws the flame graph. */
export function speedscopeOf(name: string, profiles: readonly ThreadProfile[]): string {
  const frames: Frame[] = []
  const threads = profiles.map(({ thread, stacks, weightsUs, frames: own }) => {
    const base = frames.length
    frames.push(...own)
    return {
      type: 'sampled',
      name: thread,
      unit: 'microseconds',
      startValue: 0,
      endValue: weightsUs.reduce((sum, each) => sum + each, 0),
      // The outermost frame is always "(root)", so it is left out.
      samples: stacks.map((stack) => stack.slice(1).map((frame) => base + frame)),
      weights: weightsUs,
    }
  })
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'outcomex',
    shared: { frames },
    profiles: threads,
  })
}
