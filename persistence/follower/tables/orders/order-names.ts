import { assert } from '../../../../engine/domain/assert.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { NAMES_END } from '../accounts/names.ts'
import { eachPaced, type Pace } from '../pace.ts'
import type { Backlog } from './backlog.ts'

// Finds orders by hash, by slot and by client order id, and ended orders by owner, market and
// status. These keys arrive in random order, and a commit writes whole pages. In an index over all
// orders each key would touch a different page: a busy second would rewrite most of the index.
//
//   level 0   8,192 commands a layer    a few dozen warm pages, which receive new names
//   level 1   16 layers of level 0      moved after the last of their commands, in name ranges
//   level 2   16 layers of level 1      likewise
//   level 3   16 layers of level 2      permanent
//
// So a name is written once per level, each time next to its neighbours. A reader searches at most
// about sixty layers, newest first (query/read/orders/user-orders.ts), plus one for every 33
// million commands.
// Invariants: a name is in the layer of its level that covers the command which added it; it moves
// in one transaction, so a reader finds it in one place; `#layers` equals the table of layers.
// Names of the backlog are late, so no layer moves while it may still get one.

const INSERT = 'INSERT OR IGNORE INTO order_names (layer, name, placed_seq) VALUES (?, ?, ?)'
const MOVE = `
INSERT OR IGNORE INTO order_names (layer, name, placed_seq)
SELECT ?, name, placed_seq FROM order_names WHERE layer = ? AND name >= ? AND name < ?`
const CLEAR = 'DELETE FROM order_names WHERE layer = ? AND name >= ? AND name < ?'
/** The key after which a few hundred rows follow those of a key. */
const FORGET_END = `
SELECT name, placed_seq AS placedSeq FROM order_names
WHERE layer = ? AND (name, placed_seq) > (?, ?) ORDER BY name, placed_seq LIMIT 1 OFFSET 255`
const FORGET = `
DELETE FROM order_names WHERE layer = ? AND (name, placed_seq) > (?, ?)
AND (name, placed_seq) <= (?, ?)
AND NOT EXISTS (SELECT 1 FROM order_terms t WHERE t.placed_seq = order_names.placed_seq)`
const LEAST = 'SELECT name FROM order_names WHERE layer = ? ORDER BY name LIMIT 1'
const LAYERS = 'SELECT layer FROM name_layers ORDER BY end_seq LIMIT ?'
const ENTER = 'INSERT INTO name_layers (layer, end_seq) VALUES (?, ?)'
const LEAVE = 'DELETE FROM name_layers WHERE layer = ?'
/** More layers than a journal can have, at 33 million commands each. */
export const LAYERS_MAX = 1 << 16

/** A layer of level i contains the names added by `2 ** LEVEL_BITS[i]` consecutive commands. */
const LEVEL_BITS = [13, 17, 21, 25] as const
export const TOP_LEVEL = LEVEL_BITS.length - 1
const LEVELS = LEVEL_BITS.length

/** The seq of the first command of a layer. */
export function startSeqOf(layer: number): Seq {
  return Math.floor(layer / LEVELS) * 2 ** LEVEL_BITS[levelOf(layer)]
}

/** The number of a layer in the tables. */
export function layerOf(seq: Seq, level: number): number {
  return Math.floor(seq / 2 ** LEVEL_BITS[level]) * LEVELS + level
}

function levelOf(layer: number): number {
  return layer - Math.floor(layer / LEVELS) * LEVELS
}

/** The seq after the last command of a layer. */
export function endSeqOf(layer: number): Seq {
  return (Math.floor(layer / LEVELS) + 1) * 2 ** LEVEL_BITS[levelOf(layer)]
}

/** The layer of the next level that receives this one's names. */
function parentOf(layer: number): number {
  return layerOf(endSeqOf(layer) - 1, levelOf(layer) + 1)
}

/**
 * Steps to move a layer, sixteen times as many for each level above. A step is a few hundred names
 * on every level.
 */
const STEPS = 256
/** One step per this many commands is twice as fast as new layers are created. */
const COMMANDS_PER_STEP = 256

const NO_BACKLOG = { oldestSeq: Number.POSITIVE_INFINITY }

type Row = [name: number, placedSeq: Seq, seq: Seq]
type Key = [name: number, placedSeq: Seq]

interface NameKey {
  readonly name: number
  readonly placedSeq: Seq
}
const LAST_NAME: NameKey = { name: NAMES_END, placedSeq: Number.MAX_SAFE_INTEGER }

/** The names of `from` layers move to `to`; those below `name` have moved. */
interface Move {
  readonly to: number
  readonly from: readonly number[]
  name: number
}

export class OrderNames {
  readonly #backlog: Pick<Backlog, 'oldestSeq'>
  readonly #insert: Statement<[layer: number, name: number, placedSeq: Seq]>
  readonly #move: Statement<[to: number, from: number, first: number, end: number]>
  readonly #clear: Statement<[layer: number, first: number, end: number]>
  readonly #least: Statement<[layer: number], { name: number }>
  readonly #forgetEnd: Statement<[layer: number, name: number, placedSeq: Seq], NameKey>
  readonly #forget: Statement<[layer: number, ...after: Key, ...to: Key]>
  readonly #enter: Statement<[layer: number, endSeq: Seq]>
  readonly #leave: Statement<[layer: number]>
  readonly #layers: Set<number>
  /** By the level that the names leave. */
  readonly #moves: (Move | null)[] = Array.from({ length: TOP_LEVEL }, () => null)
  /** The newest command that added a name. */
  #seq = Number.NEGATIVE_INFINITY
  #rows: Row[] = []

  constructor(connection: Connection, backlog: Pick<Backlog, 'oldestSeq'> = NO_BACKLOG) {
    this.#backlog = backlog
    this.#insert = connection.prepare(INSERT)
    this.#move = connection.prepare(MOVE)
    this.#clear = connection.prepare(CLEAR)
    this.#least = connection.prepare(LEAST)
    this.#forgetEnd = connection.prepare(FORGET_END)
    this.#forget = connection.prepare(FORGET)
    this.#enter = connection.prepare(ENTER)
    this.#leave = connection.prepare(LEAVE)
    const layers = connection.prepare<[number], { layer: number }>(LAYERS).all(LAYERS_MAX)
    this.#layers = new Set(layers.map(({ layer }) => layer))
  }

  /** The command `seq` added a name of the order. */
  add(name: number, placedSeq: Seq, seq: Seq): void {
    this.#rows.push([name, placedSeq, seq])
  }

  /**
   * Deletes the names of orders that are gone from the layers that begin up to `seq`, a few hundred
   * in a step. A layer in which orders remain stays.
   */
  *forget(seq: Seq): Generator<undefined, void> {
    for (const layer of this.#layers) {
      if (startSeqOf(layer) > seq) continue
      let after: NameKey = { name: Number.MIN_SAFE_INTEGER, placedSeq: 0 }
      while (after.name < NAMES_END) {
        const end = this.#forgetEnd.get(layer, after.name, after.placedSeq) ?? LAST_NAME
        this.#forget.run(layer, after.name, after.placedSeq, end.name, end.placedSeq)
        after = end
        yield
      }
      const isMoving = this.#moves.some((move) => move?.to === layer || move?.from.includes(layer))
      if (isMoving || endSeqOf(layer) > seq || this.#least.get(layer) !== undefined) continue
      this.#layers.delete(layer)
      this.#leave.run(layer)
    }
  }

  /** Runs inside the chunk's transaction, after all tables that add names. */
  flush(pace: Pace): void {
    const before = this.#seq
    eachPaced(this.#rows, pace, (row) => this.#write(row))
    this.#rows = []
    const commands = Number.isFinite(before) ? this.#seq - before : COMMANDS_PER_STEP
    const steps = Math.ceil(commands / COMMANDS_PER_STEP)
    for (let level = 0; level < TOP_LEVEL; level++) {
      for (let step = 0; step < steps; step++) {
        const move = this.#moves[level] ?? this.#nextMove(level)
        if (move === null) break
        this.#moves[level] = this.#step(move, level, pace) ? null : move
      }
    }
  }

  #write([name, placedSeq, seq]: Row): void {
    if (seq > this.#seq) this.#seq = seq
    const layer = layerOf(seq, 0)
    this.#know(layer)
    this.#insert.run(layer, name, placedSeq)
  }

  #know(layer: number): void {
    if (this.#layers.has(layer)) return
    this.#layers.add(layer)
    this.#enter.run(layer, endSeqOf(layer))
  }

  /** The oldest layers of a level whose parent gets no new names any more; null if none. */
  #nextMove(level: number): Move | null {
    const untilSeq = Math.min(this.#seq, this.#backlog.oldestSeq)
    const due = [...this.#layers].filter(
      (layer) => levelOf(layer) === level && endSeqOf(parentOf(layer)) <= untilSeq,
    )
    if (due.length === 0) return null
    const to = Math.min(...due.map(parentOf))
    const from = due.filter((layer) => parentOf(layer) === to)
    // A process that ended midway has moved the lowest names.
    const least = from.map((layer) => this.#least.get(layer)?.name ?? NAMES_END)
    this.#know(to)
    return { to, from, name: Math.min(...least) }
  }

  /** Returns true when all names have moved. */
  #step(move: Move, level: number, pace: Pace): boolean {
    const end = Math.min(NAMES_END, move.name + Math.ceil(NAMES_END / (STEPS * 16 ** level)))
    for (const layer of move.from) {
      const { changes } = this.#move.run(move.to, layer, move.name, end)
      if (changes > 0) this.#clear.run(layer, move.name, end)
      pace.look()
    }
    move.name = end
    if (end < NAMES_END) return false
    for (const layer of move.from) {
      assert(this.#least.get(layer) === undefined, 'a removed layer is empty')
      this.#layers.delete(layer)
      this.#leave.run(layer)
    }
    return true
  }
}
