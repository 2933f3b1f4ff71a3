// The HTTP library ships one binary per platform and Node version. This script keeps the binaries
// of this platform only, so that one folder serves Node 20 and 22. It runs after every install,
// also where only dist/ is shipped, and never makes an install fail.
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

try {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('uWebSockets.js'))), 'bin')
  const binaries = readdirSync(folder).filter((name) => /^uws_.*\.node$/.test(name))
  const wanted = new RegExp(`^uws_${process.platform}_${process.arch}_[0-9]+[.]node$`)
  if (binaries.some((name) => wanted.test(name))) {
    for (const name of binaries) if (!wanted.test(name)) rmSync(join(folder, name))
  }
} catch {
  // Saving space is optional: an install that cannot save it still succeeds.
}
