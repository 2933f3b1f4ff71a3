import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogAddressError, parseLogAddress } from '../../../persistence/log/log-address.ts'

test('an address names servers, database, user and encryption', () => {
  assert.deepEqual(parseLogAddress('postgres://a,b/outcomex'), {
    hosts: [
      { host: 'a', port: 5432 },
      { host: 'b', port: 5432 },
    ],
    user: 'outcomex',
    password: undefined,
    database: 'outcomex',
    tls: 'disable',
  })
  const text = 'postgresql://u%40x:p%3Aw:2@[::1]:6000,db.example:6001/x%20y?sslmode=verify-full'
  assert.deepEqual(parseLogAddress(text), {
    hosts: [
      { host: '::1', port: 6000 },
      { host: 'db.example', port: 6001 },
    ],
    user: 'u@x',
    password: 'p:w:2',
    database: 'x y',
    tls: 'verify-full',
  })
})

test('anything else is refused', () => {
  for (const text of [
    'a,b',
    'http://a/b',
    'postgres://a',
    'postgres:///b',
    'postgres://a:b:c/d',
    'postgres://a/b?sslmode=maybe',
    'postgres://a/b?connect_timeout=3',
    'postgres://a/b/c',
  ]) {
    assert.throws(() => parseLogAddress(text), LogAddressError, text)
  }
})
