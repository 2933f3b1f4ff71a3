// The exchange with which a simulated world begins.

import { START_MS, setUp } from '../../bench/workload/setting.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Command } from '../../engine/domain/command.ts'
import { encodeCommand } from '../support/encode-command.ts'
import { partnersOf } from './holders.ts'
import type { Setting } from './script.ts'

/** Of so many profiles one was referred by nobody. */
const UNREFERRED = 6

/** The records of its journal: profiles, money, markets and shares. */
export function youngJournal({ accounts, tracks, takerDelayMs }: Setting): Uint8Array[] {
  const exchange = new Exchange(new OrderTable(64))
  const records: Uint8Array[] = []
  const play = (command: Command) => {
    records.push(encodeCommand(command))
    exchange.apply(command)
  }
  setUp({ accounts, markets: tracks, takerDelayMs }, exchange, (command) => play(referred(command)))
  for (const body of partnersOf()) {
    play({ ...body, seq: exchange.clearing.lastSeq + 1, nowMs: START_MS })
  }
  return records
}

/** The same with one of those before it as the one that referred the new profile. */
function referred(command: Command): Command {
  if (command.kind !== 'createProfile' || command.profileId % UNREFERRED === 1) return command
  return { ...command, referredBy: 1 + (command.profileId % (command.profileId - 1)) }
}
