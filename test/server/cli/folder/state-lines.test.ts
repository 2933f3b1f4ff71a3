import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../../engine/core/exchange.ts'
import { nativeSha256 } from '../../../../engine/thread/native-sha256.ts'
import { decodeCommand } from '../../../../engine/wire/codec.ts'
import { KeptLines, type Line } from '../../../../server/cli/folder/state-line.ts'
import { stateLines } from '../../../../server/cli/folder/state-lines.ts'
import { NEWEST, RECORDED, readRecording } from '../../../golden/recording.ts'
import { newExchange } from '../../../golden/replay.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// The lines of a state against its hash, over a journal with every kind of command.

/** Of each kind of command the first ones are looked at, and one in so many of the others. */
const [FIRST, LATER] = [8, 8]
/** So many states are compared with one another. */
const KEPT = 24

/** The hash of all but the last seq and its time, which every command changes. */
function hashOf(exchange: Exchange): string {
  const { clearing } = exchange
  const { lastSeq, lastNowMs } = clearing
  clearing.lastSeq = 0
  clearing.lastNowMs = 0
  const hash = exchange.stateHash(nativeSha256)
  clearing.lastSeq = lastSeq
  clearing.lastNowMs = lastNowMs
  return hash
}

const textOf = (lines: readonly Line[]) => lines.map(([, text]) => text).join('\n')

function stateOf(exchange: Exchange) {
  const lines = [...stateLines(exchange.clearing)]
  return { seq: exchange.clearing.lastSeq, hash: hashOf(exchange), lines, text: textOf(lines) }
}

test('a command changes some line of the state if and only if it changes the hash', () => {
  const random = new Random(freshSeed())
  const exchange = newExchange()
  let known = stateOf(exchange)
  const seen = new Map<string, number>()
  const changing = new Set<string>()
  for (const record of readRecording(NEWEST).records) {
    const command = decodeCommand(record)
    const times = seen.get(command.kind) ?? 0
    seen.set(command.kind, times + 1)
    if (times >= FIRST && !random.chance(1 / LATER)) {
      exchange.apply(command)
      continue
    }
    const before = known.seq === exchange.clearing.lastSeq ? known : stateOf(exchange)
    exchange.apply(command)
    const now = stateOf(exchange)
    const { lines } = now
    const what = `${command.kind}, seq ${command.seq}`
    assert.equal(now.text !== before.text, now.hash !== before.hash, what)
    assert.equal(new Set(lines.map(([name]) => name)).size, lines.length, `${what}: names`)
    assert.equal(now.text.split('\n').length, lines.length, `${what}: no line has an end inside`)
    if (now.hash !== before.hash) changing.add(command.kind)
    known = now
  }
  const still = RECORDED.filter((kind) => !changing.has(kind))
  assert.deepEqual(still, [], 'each kind changes the state somewhere in the recording')
})

test('a diff leads from one state to the other, and is empty only between equal ones', () => {
  const random = new Random(freshSeed())
  const { records } = readRecording(NEWEST)
  const stops = new Set(Array.from({ length: KEPT }, () => random.between(1, records.length)))
  const exchange = newExchange()
  const states: { hash: string; lines: readonly Line[] }[] = []
  for (const [index, record] of records.entries()) {
    exchange.apply(decodeCommand(record))
    if (!stops.has(index + 1)) continue
    states.push({ hash: hashOf(exchange), lines: [...stateLines(exchange.clearing)] })
  }
  for (const before of states) {
    const after = random.pick(states)
    const kept = new KeptLines()
    kept.keep(before.lines)
    const diff = [...kept.changedTo(after.lines)]
    kept.close()
    assert.equal(diff.length === 0, before.hash === after.hash)
    const now = new Set(before.lines.map(([, text]) => text))
    for (const each of diff.filter((text) => text.startsWith('- '))) {
      assert.ok(now.delete(each.slice(2)), each)
    }
    for (const each of diff.filter((text) => text.startsWith('+ '))) now.add(each.slice(2))
    assert.deepEqual([...now].sort(), after.lines.map(([, text]) => text).sort())
  }
})
