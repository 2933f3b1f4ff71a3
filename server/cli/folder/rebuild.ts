import { existsSync } from 'node:fs'
import { rebuildReadTables } from '../../../persistence/follower/follower-handle.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import type { CommandSpec } from '../../command-line.ts'
import { faultRequested } from '../../settings/fault.ts'
import { EXIT, Failure } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { folderOf, OFFLINE_ROWS, STOPPED } from './verify.ts'

export const rebuildCommand: CommandSpec = {
  flags: OFFLINE_ROWS,
  notes: STOPPED,
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    // A rebuild makes a missing folder, and a typing error in its name must not do that.
    if (!existsSync(dataDir)) throw new Failure(`${dataDir}: there is no such data folder.`)
    const fault = faultRequested(shell.env)
    if (fault !== null) shell.warn(fault)
    const seq = rebuildReadTables(dataDir, {
      keyFile,
      onProgress: progressLines('read tables', shell),
    })
    shell.say(`read tables seq ${seq}`)
    return EXIT.OK
  },
}
