// Faults that a run may plant into the protocol of transfers. The invariants must notice each.

export const PLANTED_FAULTS = [
  /** A shard credits a transfer each time that its message arrives. */
  'a credit is repeated',
  /** The keys of requests are not rebuilt from the journal. */
  'a request is debited again after a crash',
  /** A shard gives up a transfer when no outcome arrives, although it may be credited. */
  'a transfer without an outcome is returned',
  /** The numbers of transfers are not rebuilt from the journal. */
  'a number is used again',
  'a reply is sent before its debit is durable',
  'a credit is sent before its debit is durable',
  /** The source takes it as final, although a crash may still lose the command. */
  'an outcome is sent before its command is durable',
  /** An older copy of the message may be credited later. */
  'a refusal is not journaled',
  /** A later number counts as the outcome of the earlier ones. */
  'a credit overtakes another',
  /** The account that sent a refused transfer was frozen meanwhile. */
  'a frozen account gets nothing back',
] as const
export type PlantedFault = (typeof PLANTED_FAULTS)[number]
