import { assert } from '../../engine/domain/assert.ts'
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
import { RECORDED } from './recording.ts'
import { newExchange } from './replay.ts'

const FILLS_MIN = 200
const EVENT_KINDS = new Set<number>(Object.values(EVENT))

const WANTED = [
  ...RECORDED,
  ...CANCEL_REASONS,
  ...ORDER_TYPES,
  ...STP_POLICIES,
  ...Object.values(RESULT).map((code) => `result ${code}`),
  ...Object.values(EVENT).map((kind) => `event ${kind}`),
  'market form true 0',
  'market form true 1',
  `more than ${FILLS_MIN} fills`,
]

/** What the records of a recording do not show: kinds of commands, of events and of results. */
export function missingIn(records: readonly Uint8Array[]): string[] {
  const seen = new Set<string>()
  const exchange = newExchange()
  let fills = 0
  exchange.onEvents = (words, _f64s, count) => {
    for (let record = 0; record < count; record++) {
      const event = eventAt(0, record)
      const kind = eventKind(words, event)
      assert(EVENT_KINDS.has(kind), 'the exchange emits known events')
      seen.add(`event ${kind}`)
      if (kind === EVENT.FILL) fills++
      if (kind === EVENT.DONE) seen.add(`result ${eventCode(words, event)}`)
    }
  }
  for (const record of records) {
    const command = decodeCommand(record)
    seen.add(command.kind)
    if (command.kind === 'cancelOrders') seen.add(CANCEL_REASONS[command.reason])
    if (command.kind === 'placeOrder') {
      seen.add(ORDER_TYPES[command.orderType]).add(STP_POLICIES[command.stp])
      if (command.replacedSlot !== 0) seen.add('REPLACED')
      seen.add(`market form ${command.marketForm} ${command.side}`)
    }
    exchange.apply(command)
  }
  if (fills > FILLS_MIN) seen.add(`more than ${FILLS_MIN} fills`)
  return WANTED.filter((each) => !seen.has(each))
}
