// Bundles the program with everything it needs, including native addons, so it reads nothing from
// node_modules at run time. Packages look up their addons by names computed at run time, so each
// such lookup is replaced by the file of this platform.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { requireFrom } from './bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { platform, arch } = process
const MODULES = process.versions.modules
const LIBC = platform === 'linux' ? '.glibc' : ''

/** Addons by the package that looks them up; paths in node_modules. */
const ADDONS: Readonly<Record<string, string>> = {
  'uws.mjs': `uWebSockets.js/dist/bin/uws_${platform}_${arch}_${MODULES}.node`,
  bindings: 'better-sqlite3/build/Release/better_sqlite3.node',
  'node-gyp-build': `secp256k1/prebuilds/${platform}-${arch}/secp256k1${LIBC}.node`,
}
/** Packages that others use only when present. */
const ABSENT = ['bufferutil', 'utf-8-validate', 'supports-color', 'esbuild']

function addonOf(name: string): string {
  const path = join(ROOT, 'node_modules', ADDONS[name])
  if (existsSync(path)) return path
  throw new Error(`${path} does not exist: this platform has no such addon`)
}

/** The source of a package that exports the addon itself. */
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
      // The names of CommonJS exports are unknown in advance.
      return {
        contents: `throw new Error('${path} is not part of this program')\nmodule.exports = {}`,
      }
    })
    // Modules that a source loads by name become part of the bundle.
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

/** Some packages pass their own folder to such a lookup; a module has no `__dirname`. */
const FOLDER_OF_MODULE = 'const __dirname = import.meta.dirname;'

/** The options of a complete bundle. Some packages run without their addon, but slowly. */
export const WHOLE = {
  external: [],
  loader: { '.node': 'copy' },
  assetNames: '[name]',
  plugins: [wholeProgram],
  banner: { js: requireFrom('import.meta.url') + FOLDER_OF_MODULE },
} satisfies BuildOptions
