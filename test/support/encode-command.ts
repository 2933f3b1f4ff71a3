import type { Command } from '../../engine/domain/command.ts'
import { encodeCancel } from '../../engine/wire/cancel-codec.ts'
import { encodeControl } from '../../engine/wire/codec.ts'
import { encodeDecrease } from '../../engine/wire/decrease-codec.ts'
import { encodePlace } from '../../engine/wire/place-codec.ts'
import { encodeRelease } from '../../engine/wire/release-codec.ts'

/** The record of a command of any kind; the exchange itself knows the kind where it encodes. */
export function encodeCommand(command: Command): Uint8Array {
  if (command.kind === 'placeOrder') return encodePlace(command)
  if (command.kind === 'releaseOrder') return encodeRelease(command)
  if (command.kind === 'decreaseOrder') return encodeDecrease(command)
  return command.kind === 'cancelOrders' ? encodeCancel(command) : encodeControl(command)
}
