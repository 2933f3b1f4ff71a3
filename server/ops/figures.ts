// The figures of two samples of GET /metrics: the current values, and the changes in between.

export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Labels that a series must have. */
export type Labels = Readonly<Record<string, string>>

export interface Look {
  readonly atMs: number
  readonly series: readonly Series[]
}

const LINE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/gi

/** Parses the text format of Prometheus; malformed lines are skipped. */
export function seriesOf(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inner = '', value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const labels = [...inner.matchAll(LABEL)].map(([, label, stated]) => [label, stated])
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }]
  })
}

/** `bound` is in the unit of the metric, and infinite for the last bucket. */
export interface Bucket {
  readonly bound: number
  readonly count: number
}

export class Figures {
  readonly #before: ReadonlyMap<string, readonly Series[]>
  readonly #now: ReadonlyMap<string, readonly Series[]>
  readonly #seconds: number

  constructor(before: Look, now: Look) {
    this.#before = byName(before.series)
    this.#now = byName(now.series)
    // If the clock was reset, everything was added since then.
    const spanMs = now.atMs < before.atMs ? now.atMs : now.atMs - before.atMs
    this.#seconds = Math.max(0.001, spanMs / 1000)
  }

  /** The sum of the current values of the series; 0 for none. */
  now(name: string, labels: Labels = {}): number {
    return sumOf(this.#now, name, labels)
  }

  /** The increase since the previous sample; a restarted server counts from 0. */
  added(name: string, labels: Labels = {}): number {
    const [now, before] = [this.now(name, labels), sumOf(this.#before, name, labels)]
    return now >= before ? now - before : now
  }

  perSecond(name: string, labels: Labels = {}): number {
    return this.added(name, labels) / this.#seconds
  }

  /** The number of new values at or below each bound, by rising bounds. */
  #upTo(name: string, labels: Labels): Bucket[] {
    const bucket = `${name}_bucket`
    const bounds = new Set(matching(this.#now, bucket, labels).map((each) => each.labels.le))
    const added = [...bounds].map((le) => {
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
      return { bound, count: this.added(bucket, { ...labels, le }) }
    })
    return added.sort((a, b) => a.bound - b.bound)
  }

  /** The bound below which a fraction of the new values lies; null when there are none. */
  quantile(name: string, part: number, labels: Labels = {}): number | null {
    const added = this.#upTo(name, labels)
    const all = added.at(-1)?.count ?? 0
    if (all === 0) return null
    const found = added.find(({ count }) => count >= all * part)
    return found?.bound ?? null
  }

  /** The new values of a histogram by bucket: the number between a bound and the next. */
  buckets(name: string, labels: Labels = {}): Bucket[] {
    let below = 0
    return this.#upTo(name, labels).map(({ bound, count }) => {
      const own = Math.max(0, count - below)
      below = count
      return { bound, count: own }
    })
  }

  /** The values of a label, in order of appearance. */
  valuesOf(name: string, label: string): string[] {
    const found = (this.#now.get(name) ?? []).map(({ labels }) => labels[label])
    return [...new Set(found.filter((value) => value !== undefined))]
  }
}

function byName(series: readonly Series[]): Map<string, Series[]> {
  const found = new Map<string, Series[]>()
  for (const each of series) found.set(each.name, [...(found.get(each.name) ?? []), each])
  return found
}

function matching(all: ReadonlyMap<string, readonly Series[]>, name: string, wanted: Labels) {
  const names = Object.entries(wanted)
  return (all.get(name) ?? []).filter(({ labels }) =>
    names.every(([label, value]) => labels[label] === value),
  )
}

function sumOf(all: ReadonlyMap<string, readonly Series[]>, name: string, wanted: Labels): number {
  return matching(all, name, wanted).reduce((sum, { value }) => sum + value, 0)
}
