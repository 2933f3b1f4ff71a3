import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { banner } from '../../../server/start/banner.ts'
import { VERSION } from '../../../server/version.ts'

const parts = { baseUrl: 'http://127.0.0.1:3000', dataDir: './data', demo: true, program: 'x.js' }

test('the banner names address, data folder and version, and what to type next', () => {
  const shown = banner(parts)
  for (const output of [VERSION, 'http://127.0.0.1:3000', resolve('data')]) {
    assert.ok(shown.includes(output), output)
  }
  assert.match(shown, /^ +node x[.]js order --as 0 --market rain-tomorrow --buy yes 10@0[.]65$/m)
  const linked = banner({ ...parts, program: '/usr/bin/outcomex', dataDir: './other' })
  assert.match(linked, /^ +outcomex order --as 0 .*10@0[.]65 --data [.]\/other$/m)
  assert.match(banner({ ...parts, demo: false }), /^ +node x[.]js admin --url http/m)
  assert.doesNotMatch(shown, /^ +log /m)
  assert.match(banner({ ...parts, log: 'db1:5432; safe' }), /^ +log +db1:5432; safe$/m)
  const compiled = banner({ ...parts, program: resolve('dist/main.js') })
  assert.match(compiled, /^ +[.]\/outcomex order --as 0 /m)
})
