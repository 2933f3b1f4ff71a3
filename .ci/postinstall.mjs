// uWebSockets.js ships one binary per platform and Node version, 257 MB together. Keeps the one
// that this process would load. Runs after every install, also where only dist/ is shipped, and
// never fails one.
import { readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

try {
  const folder = dirname(createRequire(import.meta.url).resolve('uWebSockets.js'))
  const binaries = readdirSync(folder).filter((name) => /^uws_.*\.node$/.test(name))
  const wanted = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  if (binaries.includes(wanted)) {
    for (const name of binaries) if (name !== wanted) rmSync(join(folder, name))
  }
} catch {
  // Saving space is a courtesy: an install that cannot save it is still an install.
}
