// Replies that an edge thread sends again without the core, while they are fresh. The core gave
// each of them with a reply of its own (KEEP in edge-layout.ts). Invariant: `#bytes` is the length
// of all bodies, and both it and the number of targets stay within their bounds.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { timeText } from '../../messages/iso-text.ts'
import type { Freshness, Versions } from '../../messages/versions.ts'
import {
  AcceptedCodings,
  CODINGS,
  type Coding,
  isCompressible,
} from '../http/caching/compressed.ts'
import { knownTag, type Tags, tagsBeside } from '../http/caching/entity-tag.ts'
import { FLAG, KEEP } from './edge-layout.ts'

/** A reply with its head, and the head of the 304 for callers that have its bytes. */
interface Variant {
  readonly head: string
  readonly body: Uint8Array
}

interface Target {
  readonly path: number
  readonly freshness: Freshness
  readonly variants: Map<Coding | null, Variant>
  /** Null when the bytes have no tag. */
  readonly tags: Tags | null
  /** Of the 304, without its tag. */
  readonly unchangedHead: string
}

/** What is sent: a 304 has no body. */
export interface Found {
  /** The number of its path in metrics. */
  readonly path: number
  readonly head: string
  readonly body: Uint8Array | null
}

const NOT_MODIFIED = '304 Not Modified'
const ETAG = '\r\netag: '
/** Lines of a head that a 304 does not have. */
const OF_BODY = /^(content-type|content-encoding|etag): /

export class KeptReplies {
  readonly #versions: Versions
  readonly #accepted = new AcceptedCodings()
  /** Oldest first. */
  readonly #targets = new Map<string, Target>()
  #bytes = 0
  #isStopped = false

  constructor(versions: Versions) {
    this.#versions = versions
  }

  get bytes(): number {
    return this.#bytes
  }

  get targets(): number {
    return this.#targets.size
  }

  /** Takes the KEEP between `at` and `end`. */
  take(commands: Buffer, at: number, end: number): void {
    const targetAt = at + KEEP.texts
    const headAt = targetAt + commands.readUInt16LE(at + KEEP.targetBytes)
    const bodyAt = headAt + commands.readUInt32LE(at + KEEP.headBytes)
    const target = commands.toString('utf8', targetAt, headAt)
    const head = commands.toString('utf8', headAt, bodyAt)
    const freshness: Freshness = {
      subject: commands.readUInt32LE(at + KEEP.subject),
      version: commands.readInt32LE(at + KEEP.version),
      fromMs: commands.readDoubleLE(at + KEEP.fromMs),
      untilMs: commands.readDoubleLE(at + KEEP.untilMs),
      isTime: (commands[at + KEEP.flags] & FLAG.TIME) !== 0,
    }
    const coding = CODINGS[commands[at + KEEP.coding]] ?? null
    const path = commands.readUInt32LE(at + KEEP.path)
    // The ring is reused.
    const body = new Uint8Array(commands.subarray(bodyAt, end))
    const known = this.#targets.get(target)
    const isSame = known !== undefined && isSameAge(known.freshness, freshness)
    this.#keep(target, isSame ? known : newTarget(path, freshness, head), coding, { head, body })
  }

  #keep(target: string, kept: Target, coding: Coding | null, variant: Variant): void {
    if (this.#isStopped) return
    if (this.#targets.get(target) !== kept) this.#forget(target)
    this.#bytes += variant.body.length - (kept.variants.get(coding)?.body.length ?? 0)
    kept.variants.set(coding, variant)
    this.#targets.set(target, kept)
    const { bytesMax, targetsMax } = LIMITS.keptReplies
    for (const oldest of this.#targets.keys()) {
      if (this.#bytes <= bytesMax && this.#targets.size <= targetsMax) break
      this.#forget(oldest)
    }
  }

  #forget(target: string): void {
    const known = this.#targets.get(target)
    if (known === undefined) return
    for (const { body } of known.variants.values()) this.#bytes -= body.length
    this.#targets.delete(target)
  }

  /** Answers nothing from now on. */
  stop(): void {
    this.#isStopped = true
    this.#targets.clear()
    this.#bytes = 0
  }

  /** The answer to a GET of the target; null when the core must answer. */
  find(target: string, headers: ReadonlyMap<string, string>, nowMs: number): Found | null {
    const kept = this.#targets.get(target)
    if (kept === undefined) return null
    if (!this.#versions.isFresh(kept.freshness, nowMs)) {
      this.#forget(target)
      return null
    }
    const { path, tags, variants } = kept
    const ifNoneMatch = headers.get('if-none-match') ?? ''
    const tag = tags === null || ifNoneMatch === '' ? null : knownTag(ifNoneMatch, tags)
    if (tag !== null) return { path, head: `${kept.unchangedHead}${ETAG}${tag}`, body: null }
    const plain = variants.get(null)
    if (kept.freshness.isTime === true) {
      if (plain === undefined) return null
      return { path, head: plain.head, body: Buffer.from(timeText(nowMs)) }
    }
    const coding = this.#accepted.of(headers.get('accept-encoding') ?? '')
    // Bytes that are never compressed are the answer for every coding.
    const isPlain = coding === null || (plain && !isCompressible(plain.body.length))
    const variant = variants.get(coding) ?? (isPlain ? plain : undefined)
    return variant === undefined ? null : { path, ...variant }
  }
}

function isSameAge(one: Freshness, other: Freshness): boolean {
  return (
    one.subject === other.subject &&
    one.version === other.version &&
    one.untilMs === other.untilMs &&
    one.fromMs === other.fromMs
  )
}

function newTarget(path: number, freshness: Freshness, head: string): Target {
  const lines = head.split('\r\n').slice(1)
  const etag = lines.find((line) => line.startsWith('etag: '))?.slice('etag: '.length)
  const rest = lines.filter((line) => !OF_BODY.test(line))
  const unchangedHead = [NOT_MODIFIED, ...rest].join('\r\n')
  const tags = etag === undefined ? null : tagsBeside(etag)
  return { path, freshness, variants: new Map(), tags, unchangedHead }
}
