// Bundles the program with everything that it needs, native addons too: nothing of node_modules is
// read when it runs. Packages look for their addons by names made at run time, so here each such
// search is replaced by the file of this platform.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { requireFrom } from './bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { platform, arch } = process
const MODULES = process.versions.modules
const LIBC = platform === 'linux' ? '.glibc' : ''

const EXTRACT = `@msgpackr-extract/msgpackr-extract-${platform}-${arch}`

/** Addons by the package whose search leads to them; paths in node_modules. */
const ADDONS: Readonly<Record<string, string>> = {
  'uws.mjs': `uWebSockets.js/dist/bin/uws_${platform}_${arch}_${MODULES}.node`,
  bindings: 'better-sqlite3/build/Release/better_sqlite3.node',
  'node-gyp-build': `secp256k1/prebuilds/${platform}-${arch}/secp256k1${LIBC}.node`,
  'node-gyp-build-optional-packages': `${EXTRACT}/node.napi${LIBC}.node`,
}
/** Packages that others use only when they are there. */
const ABSENT = ['bufferutil', 'utf-8-validate', 'supports-color', 'esbuild']

function addonOf(name: string): string {
  const path = join(ROOT, 'node_modules', ADDONS[name])
  if (existsSync(path)) return path
  throw new Error(`${path} is not there: this platform has no such addon`)
}

/** Gives what a package exports as the addon itself. */
function exported(name: string): string {
  const addon = `require(${JSON.stringify(addonOf(name))})`
  if (name === 'uws.mjs') return `export default ${addon}`
  return `module.exports = () => ${addon}`
}

const wholeProgram: Plugin = {
  name: 'whole-program',
  setup({ onResolve, onLoad }) {
    const names = Object.keys(ADDONS).map((name) => name.replace('.', '\\.'))
    onResolve({ filter: new RegExp(`^(\\./)?(${names.join('|')})$`) }, ({ path }) => {
      return { path: path.replace('./', ''), namespace: 'addon' }
    })
    onLoad({ filter: /.*/, namespace: 'addon' }, ({ path }) => {
      return { contents: exported(path), resolveDir: ROOT, loader: 'js' }
    })
    onResolve({ filter: new RegExp(`^(${ABSENT.join('|')})$`) }, ({ path }) => {
      return { path, namespace: 'absent' }
    })
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => {
      // Of CommonJS nobody knows the names of its exports before.
      return {
        contents: `throw new Error('${path} is not part of this program')\nmodule.exports = {}`,
      }
    })
    // What a source loads by name becomes a part of the bundle.
    onLoad({ filter: /\/server\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const named = /const (\w+) = createRequire\(import\.meta\.url\)\n/.exec(source)?.[1]
      if (!source.includes('createRequire(import.meta.url)')) return undefined
      const direct = source.replaceAll('createRequire(import.meta.url)(', 'require(')
      const contents =
        named === undefined
          ? direct
          : direct.replaceAll(new RegExp(`\\b${named}\\(`, 'g'), 'require(')
      return { contents, loader: 'ts' }
    })
  },
}

/** Some packages pass the folder they lie in to such a search; a module has no `__dirname`. */
const FOLDER_OF_MODULE = 'const __dirname = import.meta.dirname;'

/** How a bundle becomes whole. Without a native addon a package may run on, but slowly. */
export const WHOLE = {
  external: [],
  loader: { '.node': 'copy' },
  assetNames: '[name]',
  plugins: [wholeProgram],
  banner: { js: requireFrom('import.meta.url') + FOLDER_OF_MODULE },
} satisfies BuildOptions
