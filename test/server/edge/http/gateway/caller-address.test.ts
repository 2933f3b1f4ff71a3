import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS_RATES, RateLimiter } from '../../../../../server/edge/http/access/rate-limit.ts'
import { CallerAddresses } from '../../../../../server/edge/http/gateway/caller-address.ts'

// Which address the rate limiter counts for a call. Time stands still here.

const ONCE = { perSecond: 1, burst: 1 }
const SOCKET_ADDRESS = '127.0.0.1'
const response = { getRemoteAddressAsText: () => new TextEncoder().encode(SOCKET_ADDRESS).buffer }

const addresses = (addressHeader: string) => {
  const addressLimiter = new RateLimiter<string>({ ...ADDRESS_RATES, public: ONCE })
  return new CallerAddresses({ addressLimiter, addressHeader })
}

const callWith = (headers: ReadonlyMap<string, string>) => {
  return { method: 'GET', target: '/time', headers }
}

test('the caller is the address that the nearest proxy added to its header', () => {
  const callers = addresses('x-forwarded-for')
  for (const [stated, isNew] of [
    ['203.0.113.7', true],
    ['203.0.113.7', false],
    // The caller may have written the earlier entries.
    ['10.1.1.1, 198.51.100.1, 203.0.113.7', false],
    ['203.0.113.7, 198.51.100.1', true],
    // An IPv6 network of 64 bits is one caller, in every spelling of its addresses.
    ['2001:db8:1:2::3', true],
    ['2001:0DB8:0001:0002:ffff::9%eth0', false],
    ['::', true],
    ['::1', false],
    ['::ffff:203.0.113.9', true],
    ['::FFFF:cb00:7109', false],
    // An entry that is no address leaves the socket's address as the caller.
    ['unknown', true],
    ['203.0.113.9, 999.1.1.1', false],
    ['203.0.113.9,', false],
    ['', false],
  ] as const) {
    const headers = new Map([['x-forwarded-for', stated]])
    assert.equal(
      callers.waitSec(callers.keyOf(response, callWith(headers)), 'public', 1000) === 0,
      isNew,
      stated,
    )
  }
  const long = new Map([['x-forwarded-for', '2001:db8:1:2::3']])
  assert.equal(callers.of(response, callWith(long)), '2001:0db8:0001:0002:0000:0000:0000:0003')
  assert.equal(callers.of(response, callWith(new Map())), SOCKET_ADDRESS)
})

test('without a trusted proxy no header names the caller', () => {
  const callers = addresses('')
  const headers = new Map([
    ['x-forwarded-for', '203.0.113.7'],
    ['forwarded', 'for=203.0.113.7'],
  ])
  assert.equal(callers.of(response, callWith(headers)), SOCKET_ADDRESS)
})
