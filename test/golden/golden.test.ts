import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANCEL_REASONS, EVENT, EVENT_WORDS, RESULT } from '../../engine/domain/event.ts'
import { ORDER_TYPES, STP_POLICIES } from '../../engine/domain/order.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { KINDS, NEWEST, readRecording, recordingNames } from './recording.ts'
import { newExchange, replays } from './replay.ts'

test('this version has a recording, and it holds every kind of command and of answer', () => {
  assert(recordingNames().includes(NEWEST), `node --import tsx test/golden/record.ts for ${NEWEST}`)
  const seen = new Set<string>()
  const exchange = newExchange()
  let fills = 0
  exchange.onEvents = (words, _f64s, count) => {
    for (let word = 0; word < count * EVENT_WORDS; word += EVENT_WORDS) {
      if ((words[word] & 0xff) === EVENT.FILL) fills++
      if ((words[word] & 0xff) === EVENT.STP_CANCEL) seen.add('STP_CANCEL')
      if ((words[word] & 0xff) === EVENT.NOT_OPEN) seen.add('NOT_OPEN')
      if ((words[word] & 0xff) === EVENT.DONE) seen.add(`result ${(words[word] >>> 8) & 0xff}`)
    }
  }
  for (const record of readRecording(NEWEST).records) {
    const command = decodeCommand(record)
    seen.add(command.kind)
    if (command.kind === 'cancelOrders') seen.add(CANCEL_REASONS[command.reason])
    if (command.kind === 'placeOrder') {
      seen.add(ORDER_TYPES[command.orderType]).add(STP_POLICIES[command.stp])
      seen.add(`market form ${command.marketForm} ${command.side}`)
    }
    exchange.apply(command)
  }
  const wanted = [
    ...Object.entries(KINDS).flatMap(([kind, isShown]) => (isShown ? [kind] : [])),
    ...CANCEL_REASONS,
    ...ORDER_TYPES,
    ...STP_POLICIES,
    ...Object.values(RESULT).map((code) => `result ${code}`),
    ...['STP_CANCEL', 'NOT_OPEN', 'market form true 0', 'market form true 1'],
  ]
  assert.deepEqual(
    wanted.filter((each) => !seen.has(each)),
    [],
    'what the recording does not show',
  )
  assert(fills > 300, `${fills} fills`)
})

for (const name of recordingNames()) replays(name)
