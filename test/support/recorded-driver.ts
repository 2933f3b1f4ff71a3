import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { encodeCommand } from './encode-command.ts'
import { ExchangeDriver } from './exchange-driver.ts'

/** A driver whose commands are a journal from its first record on. */
export function recordedDriver(): { driver: ExchangeDriver; records: Uint8Array[] } {
  const driver = new ExchangeDriver()
  const records: Uint8Array[] = []
  driver.onCommand = (command) => records.push(encodeCommand(command))
  driver.control({ kind: 'rules', version: RULES_VERSION })
  return { driver, records }
}
