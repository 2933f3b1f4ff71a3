import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../../engine/domain/command-kinds.ts'
import {
  CANCEL_REASONS,
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  RESULT,
} from '../../engine/domain/event.ts'
import { ORDER_TYPES, STP_POLICIES } from '../../engine/domain/order.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { HEAD, KIND } from '../../engine/wire/record-layout.ts'
import { NEWEST, RECORDED, readRecording, recordingNames } from './recording.ts'
import { newExchange, replays } from './replay.ts'

test('this version has a recording with every kind of command and of result', () => {
  assert(recordingNames().includes(NEWEST), `node --import tsx test/golden/record.ts for ${NEWEST}`)
  const seen = new Set<string>()
  const exchange = newExchange()
  const kinds = new Set<number>()
  let fills = 0
  exchange.onEvents = (words, _f64s, count) => {
    for (let record = 0; record < count; record++) {
      const event = eventAt(0, record)
      const kind = eventKind(words, event)
      kinds.add(kind)
      if (kind === EVENT.FILL) fills++
      if (kind === EVENT.DONE) seen.add(`result ${eventCode(words, event)}`)
    }
  }
  for (const record of readRecording(NEWEST).records) {
    const command = decodeCommand(record)
    seen.add(command.kind)
    assert.equal(record[HEAD.kind], KIND[COMMANDS[command.kind].encoding], command.kind)
    if (command.kind === 'cancelOrders') seen.add(CANCEL_REASONS[command.reason])
    if (command.kind === 'placeOrder') {
      seen.add(ORDER_TYPES[command.orderType]).add(STP_POLICIES[command.stp])
      seen.add(`market form ${command.marketForm} ${command.side}`)
    }
    exchange.apply(command)
  }
  const wanted = [
    ...RECORDED,
    ...CANCEL_REASONS,
    ...ORDER_TYPES,
    ...STP_POLICIES,
    ...Object.values(RESULT).map((code) => `result ${code}`),
    ...['market form true 0', 'market form true 1'],
  ]
  assert.deepEqual(
    wanted.filter((each) => !seen.has(each)),
    [],
    'the recording shows every kind',
  )
  assert.deepEqual([...kinds].sort(), Object.values(EVENT))
  assert(fills > 200, `${fills} fills`)
})

for (const name of recordingNames()) replays(name)
