import { existsSync } from 'node:fs'
import { rebuildReadTables } from '../../../persistence/follower/follower-handle.ts'
import { DataFolderError } from '../../../persistence/snapshot/recovery.ts'
import { faultRequested } from '../../settings/fault.ts'
import { command, EXIT, Failure } from '../../shell.ts'
import { progressLines } from '../progress.ts'
import { folderOf, OFFLINE_ROWS, offlineHelp } from './verify.ts'

const ABOUT = 'Makes the read tables of a data folder again from its journal.'

export const rebuildCommand = command({
  about: ABOUT,
  flags: OFFLINE_ROWS,
  help: () => offlineHelp('rebuild', ABOUT),
  isKnown: (error) => error instanceof DataFolderError,
  async work(args, shell) {
    const { dataDir, keyFile } = folderOf('rebuild', args, shell)
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
})
