// Opens one folder in a process of its own, as a start of the server does, says how long it took
// and ends as a kill would, so that the folder stays as it was.

import { openFolder } from './traded-folder.ts'

const startMs = performance.now()
const { recovered } = await openFolder(process.argv[2])
const seconds = (performance.now() - startMs) / 1000
process.send?.({ seconds, ...recovered }, () => process.exit(0))
