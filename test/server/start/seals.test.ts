import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SealError, tokenSecretOf, walletKeyOf } from '../../../persistence/seal.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fill, openForTest, TOKEN } from '../../support/open-pipeline.ts'
import { ADMIN_TOKEN, runProgram } from '../../support/server-process.ts'
import { profileFields } from '../../support/specs.ts'

const CLOCK = { nowMs: 1_800_000_000_000 }

test('a sealed secret moved to another token does not open; the start names it', async () => {
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, CLOCK)
  await fill(exchange, 1e12)
  const { pipeline, seal } = exchange
  const [token] = pipeline.clearing.accounts.tokensOf(1)
  assert.equal(token.tokenId, TOKEN)
  const { sealedSecret } = token
  seal.open(sealedSecret, tokenSecretOf(TOKEN, 1))
  const profile = profileFields(2)
  const moved = { tokenId: 'thief', sealedSecret, label: null, scopes: ['trading'] as const }
  await pipeline.change(() => ({ kind: 'createProfile', profileId: 2, profile, token: moved }))
  for (const other of [tokenSecretOf('thief', 2), tokenSecretOf(TOKEN, 2), walletKeyOf(1)]) {
    assert.throws(() => seal.open(sealedSecret, other), SealError)
  }
  await exchange.stop()
  const args = [
    'serve',
    '--data',
    dataDir,
    '--port',
    '0',
    '--admin-token',
    ADMIN_TOKEN,
    '--accept-clock',
  ]
  const { code, stdout, stderr } = await runProgram(args)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^outcomex: The sealed secret of token:thief:2 cannot be opened: it was changed/m,
  )
  assert.doesNotMatch(stdout, /listening/)
})
