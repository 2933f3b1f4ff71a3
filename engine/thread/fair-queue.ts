// A queue that shares one worker's time fairly: first between groups of callers (an address, a
// partner), then between the owners within a group (profiles). The one with the least time so far
// is next, so a thousand owners of one group delay another group only as much as one of them. The
// cost of an item is known only after it ran, so a group is charged its last item's cost in advance
// and the difference afterwards. A group or owner that was idle starts level with the others.
// Invariants: items of one owner keep their order; `count` is the number of waiting items.

export interface Share {
  readonly group: string
  readonly owner: number
}

/** Minimum charge per item, so that owners with zero-cost items alternate. */
const LEAST_MS = 0.01

interface Timed {
  /** Time used so far, on the scale of its siblings. */
  servedMs: number
  /** Items that wait or are with the worker. */
  waiting: number
  underWay: number
}

/** Entries, of which the one with the least time is next. */
class LeastServed<Key, Entry extends Timed> {
  readonly entries = new Map<Key, Entry>()
  /** The time of the last selected entry. A new entry starts from here. */
  #nowMs = 0

  entered(key: Key, make: () => Entry): Entry {
    const known = this.entries.get(key)
    const entry = known ?? make()
    if (known === undefined) this.entries.set(key, entry)
    if (entry.waiting === 0 && entry.underWay === 0) {
      entry.servedMs = Math.max(entry.servedMs, this.#nowMs)
    }
    entry.waiting++
    return entry
  }

  next(): Entry | undefined {
    let least: Entry | undefined
    for (const [key, entry] of this.entries) {
      if (entry.waiting > 0) {
        if (least === undefined || entry.servedMs < least.servedMs) least = entry
      } else if (entry.underWay === 0 && entry.servedMs <= this.#nowMs) this.entries.delete(key)
    }
    if (least !== undefined) this.#nowMs = Math.max(this.#nowMs, least.servedMs)
    return least
  }
}

interface Line<T> extends Timed {
  readonly items: T[]
}

interface Group<T> extends Timed {
  readonly lines: LeastServed<number, Line<T>>
  /** The cost of its last item. */
  lastMs: number
}

interface Taken<T> {
  readonly group: Group<T>
  readonly line: Line<T>
  readonly paidMs: number
}

export class FairQueue<T> {
  readonly #groups = new LeastServed<string, Group<T>>()
  readonly #shareOf: (item: T) => Share
  readonly #taken = new Map<T, Taken<T>>()
  #count = 0

  constructor(shareOf: (item: T) => Share) {
    this.#shareOf = shareOf
  }

  get count(): number {
    return this.#count
  }

  put(item: T): void {
    const share = this.#shareOf(item)
    const group = this.#groups.entered(share.group, () => {
      return { servedMs: 0, waiting: 0, underWay: 0, lines: new LeastServed(), lastMs: 0 }
    })
    const line = group.lines.entered(share.owner, () => {
      return { servedMs: 0, waiting: 0, underWay: 0, items: [] }
    })
    line.items.push(item)
    this.#count++
  }

  /** Takes the next item. The caller reports its cost to `done`. */
  next(): T | undefined {
    const group = this.#groups.next()
    const line = group?.lines.next()
    const item = line?.items.shift()
    if (group === undefined || line === undefined || item === undefined) return undefined
    this.#count--
    const paidMs = Math.max(group.lastMs, LEAST_MS)
    this.#taken.set(item, { group, line, paidMs })
    for (const each of [group, line]) {
      each.waiting--
      each.underWay++
      each.servedMs += paidMs
    }
    return item
  }

  /** Charges the cost of an item. Items that were not taken from this queue are ignored. */
  done(item: T, costMs: number): void {
    const taken = this.#taken.get(item)
    if (taken === undefined) return
    this.#taken.delete(item)
    const { group, line, paidMs } = taken
    const moreMs = Math.max(costMs, LEAST_MS) - paidMs
    for (const each of [group, line]) {
      each.underWay--
      each.servedMs += moreMs
    }
    group.lastMs = costMs
  }

  /** Removes an item that no caller waits for any more. Returns false if it is not in the queue. */
  drop(item: T): boolean {
    const share = this.#shareOf(item)
    const group = this.#groups.entries.get(share.group)
    const line = group?.lines.entries.get(share.owner)
    const at = line?.items.indexOf(item) ?? -1
    if (group === undefined || line === undefined || at < 0) return false
    line.items.splice(at, 1)
    line.waiting--
    group.waiting--
    this.#count--
    return true
  }

  /**
   * The item to drop for a new item of this share when the queue is full: the newest item of the
   * largest group's longest line, if that group is larger than the share's group would become;
   * otherwise the newest item of the own group's longest line, if that is longer than the owner's
   * line would become; otherwise none.
   */
  giveWayTo({ group: name, owner }: Share): T | undefined {
    const own = this.#groups.entries.get(name)
    const largest = largestOf(this.#groups.entries.values())
    if (largest !== undefined && largest.waiting > (own?.waiting ?? 0) + 1) {
      return largestOf(largest.lines.entries.values())?.items.at(-1)
    }
    const longest = own === undefined ? undefined : largestOf(own.lines.entries.values())
    const ownLine = own?.lines.entries.get(owner)?.waiting ?? 0
    return longest !== undefined && longest.waiting > ownLine + 1 ? longest.items.at(-1) : undefined
  }
}

function largestOf<Entry extends Timed>(entries: Iterable<Entry>): Entry | undefined {
  let largest: Entry | undefined
  for (const each of entries) if (each.waiting > (largest?.waiting ?? 0)) largest = each
  return largest
}
