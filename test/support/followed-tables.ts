import { join } from 'node:path'
import { type Connection, openReadOnly } from '../../persistence/database.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import type { CommandFlow } from './command-flow.ts'
import { keyed, newFolder } from './data-folder.ts'
import { fillJournal } from './journal-fill.ts'

/** The read tables that the follower makes of these commands, in a folder of their own. */
export function openTablesOf(flow: CommandFlow): Connection {
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records)
  const follower = new Follower(keyed(dataDir))
  while (follower.step(flow.seq));
  follower.close()
  return openReadOnly(join(dataDir, 'read.db'))
}
