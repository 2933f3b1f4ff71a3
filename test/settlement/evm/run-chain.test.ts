import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { anvilSkip } from '../../support/anvil.ts'
import { newFolder } from '../../support/data-folder.ts'
import { noteProgress } from '../../support/progress.ts'

// `make run CHAIN=1`, without the build.

const SCRIPT = fileURLToPath(new URL('../../run-chain.ts', import.meta.url))
const skip = anvilSkip

test('a local exchange settles a trade, and Ctrl-C leaves no process behind', {
  skip,
}, async () => {
  const words = ['--import', 'tsx', SCRIPT, join(newFolder(), 'chain'), '--port', '0']
  // A group of its own, as a terminal makes one for a command.
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  assert.ok(pid !== undefined)
  const exit = once(child, 'exit')
  let log = ''
  child.stderr.on('data', (part) => {
    log += part
  })
  try {
    const found = new Map<string, string>()
    for await (const line of createInterface({ input: child.stdout })) {
      noteProgress()
      const [, name, value] = /(console|RPC|by transaction) +(\S+)/.exec(line) ?? []
      if (name !== undefined) found.set(name, value)
      if (name === 'by transaction') break
    }
    const hash = found.get('by transaction')
    assert.ok(hash !== undefined, log)
    const [url, rpc] = [String(found.get('console')), String(found.get('RPC'))]
    const receipt = await fetch(rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getTransactionReceipt',
        params: [hash],
      }),
    })
    assert.match(await receipt.text(), new RegExp(`"transactionHash":"${hash}"`))
    process.kill(-pid, 'SIGINT')
    assert.deepEqual(await exit, [0, null], log)
    assert.throws(() => process.kill(-pid, 0), { code: 'ESRCH' })
    for (const each of [url, rpc]) await assert.rejects(fetch(each), each)
  } finally {
    child.kill('SIGTERM')
    await exit
  }
})
