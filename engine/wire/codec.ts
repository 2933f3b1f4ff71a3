import { Packr } from 'msgpackr/pack'
import { assert, fault } from '../domain/assert.ts'
import type { Command, ControlCommand, NewMarket } from '../domain/command.ts'
import { isControlKind } from '../domain/command-kinds.ts'
import type { Seq } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import type { TimeMs } from '../domain/units.ts'
import { decodeCancel } from './cancel-codec.ts'
import { decodeDecrease } from './decrease-codec.ts'
import { blankPlace, decodePlaceInto } from './place-codec.ts'
import { viewOf, wholeViewOf, writeHead } from './record-head.ts'
import { CONTROL, HEAD, KIND, padTo8 } from './record-layout.ts'
import { decodeRelease } from './release-codec.ts'
import { type OwnFields, ownFields, wholeFields } from './shared-fields.ts'

// Encodes commands. Records and `moreTypes` are off, so that the bytes depend only on the command.
// Decoded bytes are copied out of the batch: a token's secret must not keep a megabyte of journal
// alive.
const packr = new Packr({
  useRecords: false,
  moreTypes: false,
  structuredClone: false,
  copyBuffers: true,
})

/** Packs typed arrays and plain values. They are unpacked as copies. */
const statePackr = new Packr({
  useRecords: false,
  moreTypes: true,
  structuredClone: false,
  copyBuffers: true,
})

export function packState(part: unknown): Uint8Array {
  return statePackr.pack(part)
}

/**
 * Unpacks parts of a state that were packed one by one; `names` are all of `Parts`. `Parts` is what
 * was packed: a checksum and a format number around the bytes prove it.
 */
export function unpackParts<Parts>(
  names: readonly (keyof Parts)[],
  bytesOf: (name: keyof Parts) => Uint8Array,
): Parts {
  const parts = names.map((name) => [name, statePackr.unpack(bytesOf(name))])
  return Object.fromEntries(parts) as Parts
}

/** The record of a control command; null if it exceeds the record limit. */
export function packControl(command: ControlCommand): Uint8Array | null {
  const { seq: _seq, nowMs: _nowMs, ...body } = command
  const packed = packr.pack(body.kind === 'createGroup' ? packedGroup(body) : body)
  const bytes = padTo8(CONTROL.msgpack + packed.length)
  if (bytes > LIMITS.recordBytesMax) return null
  const record = new Uint8Array(bytes)
  const view = viewOf(record)
  writeHead(view, KIND.CONTROL, command)
  if ('marketId' in command) view.setUint32(HEAD.market, command.marketId, true)
  view.setUint32(CONTROL.msgpackBytes, packed.length, true)
  record.set(packed, CONTROL.msgpack)
  return record
}

/** For commands with a separate length limit. */
export function encodeControl(command: ControlCommand): Uint8Array {
  const record = packControl(command)
  assert(record !== null, 'a control command fits a record')
  return record
}

type GroupBody = Omit<Extract<ControlCommand, { kind: 'createGroup' }>, 'seq' | 'nowMs'>

/**
 * A group whose children omit the fields they share with the group: its labels would otherwise be
 * repeated for each of 255 children. Older versions refuse this kind.
 */
interface PackedGroup extends Omit<GroupBody, 'kind' | 'markets'> {
  readonly kind: 'createGroupShared'
  readonly group: NewMarket
  readonly children: readonly (Omit<NewMarket, 'market'> & { readonly market: OwnFields })[]
}

function packedGroup({ markets: [group, ...rest], ...body }: GroupBody): PackedGroup {
  const children = rest.map((child) => {
    return { ...child, market: ownFields(child.market, group.market) }
  })
  return { ...body, kind: 'createGroupShared', group, children }
}

function unpackedGroup({ group, children, ...body }: PackedGroup): GroupBody {
  const rest = children.map((child) => {
    return { ...child, market: wholeFields(child.market, group.market) } as unknown as NewMarket
  })
  return { ...body, kind: 'createGroup', markets: [group, ...rest] }
}

/** Decodes one record. The journal's checksum has already detected any damage. */
export function decodeCommand(record: Uint8Array): Command {
  const view = viewOf(record)
  switch (view.getUint8(HEAD.kind)) {
    case KIND.PLACE:
    case KIND.REPLACE: {
      const order = blankPlace()
      decodePlaceInto(record, order)
      return order
    }
    case KIND.RELEASE:
      return decodeRelease(record)
    case KIND.CANCEL:
      return decodeCancel(record)
    case KIND.DECREASE:
      return decodeDecrease(record)
    case KIND.CONTROL: {
      const packedBytes = view.getUint32(CONTROL.msgpackBytes, true)
      assert(CONTROL.msgpack + packedBytes <= record.length, 'a control body fits its record')
      const bytes = record.subarray(CONTROL.msgpack, CONTROL.msgpack + packedBytes)
      const packed = packr.unpack(bytes) as ControlCommand | PackedGroup
      const body = packed.kind === 'createGroupShared' ? unpackedGroup(packed) : packed
      // An unknown kind would be ignored, and the state would continue without the command.
      assert(isControlKind(body.kind), 'a control command has a known kind')
      const seq = view.getFloat64(HEAD.seq, true)
      const nowMs = view.getFloat64(HEAD.nowMs, true)
      return { ...body, seq, nowMs }
    }
    default:
      return fault('a record has a known kind')
  }
}

export function recordSeq(record: Uint8Array): Seq {
  return wholeViewOf(record).getFloat64(record.byteOffset + HEAD.seq, true)
}

export function recordMs(record: Uint8Array): TimeMs {
  return wholeViewOf(record).getFloat64(record.byteOffset + HEAD.nowMs, true)
}

/** The time of the last record of a batch. */
export function lastRecordMs(batch: Uint8Array): TimeMs {
  let lastMs = 0
  eachRecord(batch, (record) => {
    lastMs = recordMs(record)
  })
  return lastMs
}

/** Calls `visit` for each record of a batch, in order. */
export function eachRecord(batch: Uint8Array, visit: (record: Uint8Array) => void): void {
  const view = viewOf(batch)
  let at = 0
  while (at < batch.length) {
    const bytes = view.getUint32(at + HEAD.bytes, true)
    assert(bytes >= 32 && bytes % 8 === 0, 'a record has a head')
    assert(at + bytes <= batch.length, 'a record fits its batch')
    visit(batch.subarray(at, at + bytes))
    at += bytes
  }
}
