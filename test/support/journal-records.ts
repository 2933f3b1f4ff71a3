import type { Clearing } from '../../engine/core/clearing.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import type { Command } from '../../engine/domain/command.ts'
import { encodeControl } from '../../engine/wire/codec.ts'
import type { Durability, JournalTail } from '../../persistence/journal/journal-port.ts'
import { SqliteJournalWriter } from '../../persistence/journal/sqlite-journal.ts'
import {
  JournalHandle,
  type OnCommit,
  startJournalThread,
} from '../../persistence/journal/thread/journal-handle.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'

const NOW_MS = 1_700_000_000_000

/** A small decided command: the first one sets the rules, every later one makes a profile. */
export function recordAt(seq: number): Uint8Array {
  const stamp = { seq, nowMs: NOW_MS + seq }
  if (seq === 1) return encodeControl({ kind: 'rules', version: 1, ...stamp })
  const account = `0x${seq.toString(16).padStart(40, '0')}`
  return encodeControl({
    kind: 'createProfile',
    profileId: seq - 1,
    profile: {
      account,
      username: null,
      displayName: `Profile number ${seq}`,
      client: 'eoa',
      smartWallet: null,
      rank: null,
      feeCapBps: null,
      scopes: ['trading'],
    },
    token: null,
    ...stamp,
  })
}

/** Commits `batches` batches of `perBatch` records without a thread; returns the open writer. */
export function writeBatches(
  dataDir: string,
  batches: number,
  options: { perBatch?: number; durability?: Durability } = {},
): SqliteJournalWriter {
  const perBatch = options.perBatch ?? 3
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, options.durability ?? 'full', tail)
  let seq = tail.seq
  for (let batch = 0; batch < batches; batch++) {
    const records: Uint8Array[] = []
    for (let index = 0; index < perBatch; index++) records.push(recordAt(++seq))
    writer.commit(seq, Buffer.concat(records))
  }
  return writer
}

export interface Recovered {
  readonly tail: JournalTail
  readonly lostRecords: number
  readonly commands: Command[]
  readonly clearing: Clearing
  readonly stateHash: string
}

export function recoverAll(dataDir: string): Recovered {
  const exchange = new Exchange()
  const commands: Command[] = []
  const end = recoverJournal(dataDir, {
    visit: (command) => {
      exchange.apply(command)
      commands.push(command)
    },
  })
  const { clearing } = exchange
  return { ...end, commands, clearing, stateHash: exchange.stateHash() }
}

export interface StartedJournal {
  readonly journal: JournalHandle
  /** The first fault it reports. */
  readonly fault: Promise<string>
  /** Resolves when the journal says that `seq` is durable. */
  readonly durable: (seq: number) => Promise<void>
}

/** A journal thread on a folder. */
export async function startJournal(
  dataDir: string,
  options: {
    durability?: Durability
    pagesMax?: number
    onDurable?: (seq: number) => void
    onCommit?: OnCommit
  } = {},
): Promise<StartedJournal> {
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  let report: (message: string) => void = () => {}
  const fault = new Promise<string>((resolve) => {
    report = resolve
  })
  const { durability = 'full', pagesMax = 0, onDurable, onCommit = () => {} } = options
  const waits: { seq: number; resolve: () => void }[] = []
  const received = (durableSeq: number) => {
    onDurable?.(durableSeq)
    for (const { seq, resolve } of waits) if (seq <= durableSeq) resolve()
  }
  const thread = await startJournalThread({ folder, durability, tail, pagesMax })
  const journal = new JournalHandle(thread, { onDurable: received, onCommit, onFault: report })
  const durable = (seq: number) =>
    new Promise<void>((resolve) => {
      waits.push({ seq, resolve })
      if (seq <= journal.durableSeq) resolve()
    })
  return { journal, fault, durable }
}
