// Sets the repository up: checks the Node version, installs what package-lock.json names, and
// prints a failure in full. A success prints nothing, but a slow install prints one line.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const WANTED_MAJORS = [20, 22]
const PATIENCE_MS = 5_000

const [major] = process.versions.node.split('.')
if (!WANTED_MAJORS.includes(Number(major))) {
  const hint = 'install one from https://nodejs.org or run `nvm install 22`'
  console.error(
    `outcomex needs Node ${WANTED_MAJORS.join(' or ')}; this is ${process.version}: ${hint}.`,
  )
  process.exit(1)
}

const env = { ...process.env }
// An addon without a prebuilt binary is compiled. When headers lie beside this Node they are used,
// so that nothing is downloaded.
const nodeRoot = dirname(dirname(process.execPath))
if (!env.npm_config_nodedir && existsSync(join(nodeRoot, 'include/node/node.h'))) {
  env.npm_config_nodedir = nodeRoot
}

const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], { env, shell: false })
const stated = []
npm.stdout.on('data', (bytes) => stated.push(bytes))
npm.stderr.on('data', (bytes) => stated.push(bytes))
const slow = setTimeout(() => {
  console.log('Installing dependencies; compiling the native ones takes about a minute...')
}, PATIENCE_MS)

npm.on('error', (error) => finish(1, `npm could not be started: ${error.message}`))
npm.on('close', (code) => finish(code ?? 1, Buffer.concat(stated).toString()))

function finish(code, report) {
  clearTimeout(slow)
  if (code === 0) {
    writeFileSync('node_modules/.installed', `${process.version}\n`)
    return
  }
  console.error(report)
  console.error(
    'The install failed. Node 20 or 22, make and a C++ compiler are needed: is one missing?',
  )
  process.exit(1)
}
