import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@limitless-exchange/sdk'
import { demoOf, folder, MARKET, run, step } from './stranger.ts'

// Every command of the binary, as a stranger types it.

/** Those that ask a running exchange; `walk` sends orders. */
export async function askExchange(baseUrl: string): Promise<void> {
  step('top, admin, verify-proof')
  assert.match(run('top', '--once'), /^busiest .*\n.* {2}[a-z0-9-]+$/m)
  assert.match(run('admin', 'market', 'of-a-stranger', 'A market'), /"slug": "of-a-stranger"/)
  assert.match(run('admin', 'lock', 'of-a-stranger'), /"LOCKED"/)
  const [{ tokenId, secret }] = demoOf(join(folder, 'data')).traders
  const client = new Client({ baseURL: baseUrl, hmacCredentials: { tokenId, secret } })
  const proof = join(folder, 'proof.json')
  writeFileSync(proof, JSON.stringify(await client.http.get('/solvency/proof')))
  assert.match(run('verify-proof', proof), /^The proof holds: /m)
}

function seqOf(output: string): number {
  return Number(/^seq (\d+)/m.exec(output)?.[1])
}

/** Those that read or copy a folder whose exchange was killed. */
export function useFolder(): void {
  step('verify, rebuild, replay, export')
  const sound = run('verify')
  assert.match(sound, /^The folder is sound/m)
  const seq = seqOf(sound)
  assert.match(run('rebuild'), new RegExp(`^read tables seq ${seq}$`, 'm'))
  const now = run('replay')
  const state = /^state [0-9a-f]{64}$/m
  assert.equal(state.exec(now)?.[0], state.exec(sound)?.[0])
  assert.match(now, new RegExp(`^market ${MARKET}: FUNDED, `, 'm'))
  const changed = run('replay', '--until', String(seq), '--diff', '1')
  assert.match(changed, new RegExp(`^\\+ market ${MARKET}: FUNDED, `, 'm'))
  for (const what of ['trades', 'orders']) {
    assert.match(run('export', '--csv', what), new RegExp(`,${MARKET},`), what)
  }
  assert.match(run('export', '--csv', 'balances'), new RegExp(`,YES of ${MARKET},`))
  step('backup, restore, key rotate')
  const backup = join(folder, 'backup')
  const restored = join(folder, 'restored')
  const [key, newKey] = [join(folder, 'data', 'server.key'), join(folder, 'new.key')]
  assert.match(run('backup', '--to', backup), /^The backup is whole/m)
  const fromBackup = ['--from', backup, '--key-file', key]
  assert.match(run('restore', ...fromBackup, '--data', restored), /^The folder is whole/m)
  run('key', 'rotate', '--data', restored, '--key-file', key, '--new-key-file', newKey)
  const again = run('verify', '--data', restored, '--key-file', newKey)
  assert.equal(state.exec(again)?.[0], state.exec(sound)?.[0])
}

/** A shell that is not on this machine cannot say whether the script is right. */
export function complete(): void {
  step('completion')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = run('completion', shell)
    assert.match(script, /verify-proof/, shell)
    // fish reads no script from its standard input.
    const file = join(folder, `completion.${shell}`)
    writeFileSync(file, script)
    try {
      execFileSync(shell, ['-n', file], { stdio: 'pipe' })
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!isAbsent) throw error
      step(`${shell} is not here to check its script`)
    }
  }
}
