// The HTTP library ships one binary per platform and Node version. Keeps those of this platform, so
// that the same folder serves Node 20 and 22. Runs after every install, also where only dist/ is
// shipped, and never fails one.
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
  // Saving space is a courtesy: an install that cannot save it is still an install.
}
