import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, type ServeConfig } from '../../../server/config.ts'
import { serviceLinkWarning } from '../../../server/settings/service-links.ts'

// What the environment of a container or a service brings besides the settings of its operator.

const FILES: Readonly<Record<string, string>> = {
  'a.json': '{ "port": 4001 }',
  'quoted.json': `{ "data": "'/x'" }`,
}

type Env = Readonly<Record<string, string>>

function reading(line: string, env: Env) {
  return readConfig(line.split(' ').filter(Boolean), env, (path) => FILES[path] ?? '')
}

function config(line: string, env: Env = {}): ServeConfig {
  const read = reading(line, env)
  assert.ok(read.ok, read.ok ? '' : read.sentence)
  return read.config
}

function sentence(line: string, env: Env = {}): string {
  const read = reading(line, env)
  assert.ok(!read.ok, `accepted: ${line} ${JSON.stringify(env)}`)
  return read.sentence
}

/** What Kubernetes sets for Services named outcomex, outcomex-ops and outcomex-0. */
const SERVICE_LINKS: Env = {
  OUTCOMEX_PORT: 'tcp://10.96.7.1:3000',
  OUTCOMEX_SERVICE_HOST: '10.96.7.1',
  OUTCOMEX_SERVICE_PORT: '3000',
  OUTCOMEX_SERVICE_PORT_HTTP: '3000',
  OUTCOMEX_SERVICE_PORT_WEB_2: '9100',
  OUTCOMEX_PORT_3000_TCP: 'tcp://10.96.7.1:3000',
  OUTCOMEX_PORT_3000_TCP_PROTO: 'tcp',
  OUTCOMEX_PORT_3000_TCP_PORT: '3000',
  OUTCOMEX_PORT_3000_TCP_ADDR: '10.96.7.1',
  OUTCOMEX_PORT_53_UDP: 'udp://10.96.7.1:53',
  OUTCOMEX_OPS_SERVICE_HOST: 'fd00::7',
  OUTCOMEX_OPS_PORT: 'tcp://[fd00::7]:9100',
  OUTCOMEX_OPS_PORT_9100_TCP_ADDR: 'fd00::7',
  OUTCOMEX_0_SERVICE_PORT: '3000',
  OUTCOMEX_0_PORT: 'sctp://10.96.7.1:3000',
}

test('variables that Kubernetes sets for a Service are no settings', () => {
  assert.equal(config('', SERVICE_LINKS).port, 3000)
  assert.equal(config('--port 5', SERVICE_LINKS).port, 5)
  assert.equal(config('', { ...SERVICE_LINKS, OUTCOMEX_PORT: '7' }).port, 7)
  const warning = serviceLinkWarning(SERVICE_LINKS) ?? ''
  assert.match(warning, /^15 variables .* ignored: OUTCOMEX_PORT, OUTCOMEX_SERVICE_HOST, /)
  assert.match(warning, /enableServiceLinks: false/)
  assert.equal(serviceLinkWarning({ OUTCOMEX_PORT: '1', OUTCOMEX_DATA: 'x', PATH: '' }), null)
  const rows: [Env, RegExp][] = [
    [{ OUTCOMEX_PORT: 'tcp://10.96.7.1' }, /^OUTCOMEX_PORT must be a whole number/],
    [{ OUTCOMEX_PORT: 'http://10.96.7.1:80' }, /^OUTCOMEX_PORT must be a whole number/],
    [{ OUTCOMEX_OPS_PORT: '9100' }, /^There is no environment variable OUTCOMEX_OPS_PORT; /],
    [{ OUTCOMEX_PORT_3000: '1' }, /^There is no environment variable OUTCOMEX_PORT_3000; /],
    [{ OUTCOMEX_HOST: 'tcp://10.96.7.1:80' }, /^OUTCOMEX_HOST must be a host name or address/],
  ]
  for (const [env, expected] of rows) assert.match(sentence('', env), expected)
})

test('a flag that is given makes its variable irrelevant', () => {
  assert.equal(config('--port 5', { OUTCOMEX_PORT: 'x' }).port, 5)
  assert.equal(config('--demo=false', { OUTCOMEX_DEMO: 'yes' }).demo, false)
  assert.equal(config('--config a.json', { OUTCOMEX_CONFIG: '"gone' }).port, 4001)
  assert.equal(config('--host ::1', { OUTCOMEX_HOST: "'::1'" }).host, '::1')
  assert.match(sentence('--port x', { OUTCOMEX_PORT: '1' }), /^--port must be/)
  assert.match(sentence('--host ::1', { OUTCOMEX_PORT: 'x' }), /^OUTCOMEX_PORT must be/)
})

test('a path, a host or a token is not taken with what a shell would have removed', () => {
  const quoted = /has quotes around it; remove them, because the value is used as it is/
  const rows: [Env, RegExp][] = [
    [{ OUTCOMEX_DATA: '"/x"' }, /^OUTCOMEX_DATA: '"\/x"' has quotes around it; /],
    [{ OUTCOMEX_DATA: "'/x'" }, quoted],
    [{ OUTCOMEX_KEY_FILE: '"/x"' }, quoted],
    [{ OUTCOMEX_CONFIG: '"a.json"' }, quoted],
    [{ OUTCOMEX_HOST: '"127.0.0.1"' }, quoted],
    [{ OUTCOMEX_TRACE: '"/x"' }, quoted],
    [{ OUTCOMEX_TLS_CERT: '"cert.pem"', OUTCOMEX_TLS_KEY: 'key.pem' }, quoted],
    [{ OUTCOMEX_DOMAIN_NAME: '"My Exchange"' }, quoted],
    [{ OUTCOMEX_IDENTITY_KEY: '"jwks.json"' }, quoted],
    [{ OUTCOMEX_IDENTITY_ISSUER: '"me"', OUTCOMEX_IDENTITY_KEY: 'jwks.json' }, quoted],
    [{ OUTCOMEX_ADMIN_TOKEN: '"sixteen--letters"' }, quoted],
    [{ OUTCOMEX_DATA: '/x ' }, /^OUTCOMEX_DATA: '\/x ' begins or ends with a space; /],
    [
      { OUTCOMEX_DATA: '/x\r' },
      /^OUTCOMEX_DATA: '\/x\\x0d' holds a control character; .* line ends of Windows/,
    ],
    [{ OUTCOMEX_HOST: '::1\n' }, /^OUTCOMEX_HOST: '.*' holds a control character/],
    [{ OUTCOMEX_DATA: '~/x' }, /^OUTCOMEX_DATA: '.*' begins with ~; .* write the whole path/],
    [{ OUTCOMEX_DATA: '$HOME/x' }, /^OUTCOMEX_DATA: '.*' begins with [$]; .* write the whole path/],
    [
      { OUTCOMEX_CHAIN_KEY: 'a, ~/b' },
      /^OUTCOMEX_CHAIN_KEY: '.*' holds ~.b, which begins with ~; /,
    ],
    [
      { OUTCOMEX_CHAIN_KEY: 'a,"b"' },
      /^OUTCOMEX_CHAIN_KEY: '.*' holds "b", which has quotes around it; /,
    ],
    [{ OUTCOMEX_CHAIN_KEY: 'a,,b' }, /^OUTCOMEX_CHAIN_KEY must be the paths of files/],
    [{ OUTCOMEX_HOST: 'two words' }, /^OUTCOMEX_HOST must be a host name or address/],
    [{ OUTCOMEX_HOST: 'http://::1' }, /^OUTCOMEX_HOST must be a host name or address/],
  ]
  for (const [env, expected] of rows) assert.match(sentence('', env), expected)
  assert.match(sentence('--data="/x"'), /^--data: '"\/x"' has quotes/)
  assert.match(sentence('--config quoted.json'), /^"data" in quoted.json: .* has quotes/)
  const token = sentence('', { OUTCOMEX_ADMIN_TOKEN: '"sixteen--letters"' })
  assert.match(token, /^OUTCOMEX_ADMIN_TOKEN: the value has quotes/)
  assert.doesNotMatch(token, /sixteen/)
  for (const path of ['./~', 'a b', "it's", '/a$b', '"', "x'y'"]) {
    assert.equal(config('', { OUTCOMEX_DATA: path }).dataDir, path)
  }
})
