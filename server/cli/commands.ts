import type { Commands, LazyCommand } from '../command-line.ts'

/** The commands that need neither `serve` nor a list of all. */
export const commands: Commands = {
  verify: {
    about: 'Checks a data folder; prints its seq, its state hash and a verdict.',
    load: async () => (await import('./folder/verify.ts')).verifyCommand,
  },
  'verify-proof': {
    about: 'Checks a proof of balances, the reply of GET /solvency/proof in a file.',
    load: async () => (await import('./verify-proof.ts')).verifyProofCommand,
  },
  rebuild: {
    about: 'Makes the read tables of a data folder again from its journal.',
    load: async () => (await import('./folder/rebuild.ts')).rebuildCommand,
  },
  backup: {
    about: 'Copies a data folder, also while its exchange trades, or brings a copy up to date.',
    load: async () => (await import('./folder/backup.ts')).backupCommand,
  },
  restore: {
    about: 'Makes a data folder of a backup.',
    load: async () => (await import('./folder/backup.ts')).restoreCommand,
  },
  archive: {
    about: 'Moves old commands of the journal, sealed into segments, to another place.',
    load: async () => (await import('./folder/archive.ts')).archiveCommand,
  },
  key: {
    about: 'Seals the key of a data folder under a new server key; the old one opens nothing then.',
    load: async () => (await import('./folder/key.ts')).keyCommand,
  },
  replay: {
    about: 'Prints the state of an exchange as it was behind a command.',
    load: async () => (await import('./folder/replay.ts')).replayCommand,
  },
  export: {
    about: 'Writes trades, orders or balances of a data folder as CSV to standard output.',
    load: async () => (await import('./folder/export.ts')).exportCommand,
  },
  admin: {
    about: 'Calls the admin API.',
    load: async () => (await import('./admin/admin.ts')).adminCommand(),
  },
  join: {
    about: 'Makes the data folder of a new node of a cluster from that of another node.',
    load: async () => (await import('./folder/join.ts')).joinCommand,
  },
  cluster: {
    about: 'Shows the nodes of a cluster, hands over its lead, or removes a node.',
    load: async () => (await import('./cluster.ts')).clusterCommand,
  },
  chain: {
    about: 'Creates contracts on an EVM chain, shows them, compares balances with them.',
    load: async () => (await import('./chain/chain.ts')).chainCommand,
  },
  order: {
    about: 'Signs and sends an order as a demo trader.',
    load: async () => (await import('./order/order.ts')).orderCommand,
  },
  load: {
    about: 'Sends a load of signed orders to a running exchange, and measures it.',
    load: async () => (await import('./load/load.ts')).loadCommand,
  },
  top: {
    about: 'Shows rates, latencies, queues and the busiest markets of a running exchange.',
    load: async () => (await import('./top/top.ts')).topCommand,
  },
}

/** Every command; main gives `serve`. */
export function allCommands(serve: LazyCommand): Commands {
  const all: Commands = {
    serve,
    ...commands,
    completion: {
      about: 'Prints a script that completes the command line: bash, zsh or fish.',
      load: async () => (await import('./completion.ts')).completionCommand(all),
    },
  }
  return all
}
