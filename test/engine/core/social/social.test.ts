import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restore } from '../../../../engine/core/capture.ts'
import { decideBookmark, decideFollow } from '../../../../engine/core/decide/social.ts'
import { Bookmarks } from '../../../../engine/core/social/bookmarks.ts'
import { Follows } from '../../../../engine/core/social/follows.ts'
import { BOOKMARK_KINDS } from '../../../../engine/domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../../../engine/domain/social/social-limits.ts'
import { decodeCommand } from '../../../../engine/wire/codec.ts'
import { encodeCommand } from '../../../support/encode-command.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { rejectName } from '../../../support/reject-name.ts'

const random = new Random(freshSeed())
const PEOPLE = 40
const hashedFieldsOf = (state: { hashedFields(): Iterable<unknown> }) =>
  JSON.stringify([...state.hashedFields()])

/** Everything that the lists say, the slow way: a set of pairs. */
function assertSame(follows: Follows, pairs: ReadonlySet<string>): void {
  assert.equal(follows.owners.all, pairs.size)
  for (let one = 1; one <= PEOPLE; one++) {
    const mine = [...pairs].filter((pair) => pair.startsWith(`${one}>`))
    const theirs = [...pairs].filter((pair) => pair.endsWith(`>${one}`))
    assert.deepEqual(
      [follows.owners.of(one), follows.followersOf(one)],
      [mine.length, theirs.length],
    )
    for (let other = 1; other <= PEOPLE; other++) {
      assert.equal(follows.isFollowing(one, other), pairs.has(`${one}>${other}`))
    }
  }
}

test('follows are those of a set of pairs, also after a capture', () => {
  const pairs = new Set<string>()
  let follows = new Follows()
  for (let step = 0; step < 3000; step++) {
    const one = random.between(1, PEOPLE)
    const other = random.between(1, PEOPLE)
    if (one === other) continue
    const pair = `${one}>${other}`
    const ends = pairs.has(pair)
    if (ends && random.chance(0.6)) {
      follows.remove(one, other)
      pairs.delete(pair)
    } else if (!ends) {
      follows.add(one, other)
      pairs.add(pair)
    }
    if (step % 500 !== 0) continue
    const again = new Follows()
    again.restore(follows.capture())
    assert.equal(hashedFieldsOf(again), hashedFieldsOf(follows))
    follows = again
    assertSame(follows, pairs)
  }
  assertSame(follows, pairs)
})

test('the order of follows and bookmarks is not part of the state, nor is an empty list', () => {
  const pairs = [
    [3, 1],
    [1, 2],
    [1, 3],
    [2, 9],
  ] as const
  const forward = new Follows()
  const backward = new Follows()
  for (const [one, other] of pairs) forward.add(one, other)
  for (const [one, other] of [...pairs].reverse()) backward.add(one, other)
  assert.equal(hashedFieldsOf(forward), hashedFieldsOf(backward))
  for (const [one, other] of pairs) forward.remove(one, other)
  assert.deepEqual([...forward.hashedFields()], [])
  assert.equal(forward.capture().length, 0, 'a list without a follow leaves memory')
  const put = { marketId: 7, targetKind: 'clob', seq: 3, putMs: 5 } as const
  const [first, second] = [new Bookmarks(), new Bookmarks()]
  for (const profileId of [2, 1]) first.put(profileId, put)
  for (const profileId of [1, 2]) second.put(profileId, put)
  const hidden = hashedFieldsOf(first)
  first.show(9, true)
  assert.notEqual(hashedFieldsOf(first), hidden, 'the visibility of bookmarks is part of the state')
  first.show(4, true)
  second.show(4, true)
  second.show(9, true)
  assert.equal(hashedFieldsOf(first), hashedFieldsOf(second))
  first.remove(1, 7)
  first.clear(2)
  first.show(4, false)
  first.show(9, false)
  assert.deepEqual([[...first.hashedFields()], first.owners.all], [[], 0])
})

test('bookmarks are those of a slow list, also after a capture', () => {
  const slow = new Map<number, number[]>()
  let bookmarks = new Bookmarks()
  let seq = 2 ** 33
  for (let step = 0; step < 2000; step++) {
    const profileId = random.between(1, 5)
    const marketId = random.between(1, 90)
    const list = slow.get(profileId) ?? []
    const isThere = list.includes(marketId)
    if (random.chance(0.01)) {
      bookmarks.clear(profileId)
      slow.delete(profileId)
    } else if (isThere) {
      bookmarks.remove(profileId, marketId)
      slow.set(
        profileId,
        list.filter((each) => each !== marketId),
      )
    } else {
      const targetKind = random.pick(BOOKMARK_KINDS)
      bookmarks.put(profileId, { marketId, targetKind, seq: ++seq, putMs: seq * 2 })
      slow.set(profileId, [...list, marketId])
      const kept = { marketId, targetKind, seq, putMs: seq * 2 }
      assert.deepEqual(bookmarks.find(profileId, marketId), kept)
    }
    if (step % 400 === 0) {
      const again = new Bookmarks()
      again.restore(bookmarks.capture())
      assert.equal(hashedFieldsOf(again), hashedFieldsOf(bookmarks))
      bookmarks = again
    }
    const held = bookmarks.of(profileId).map((each) => each.marketId)
    assert.deepEqual(held, slow.get(profileId) ?? [])
    const all = [...slow.values()].reduce((sum, each) => sum + each.length, 0)
    assert.equal(bookmarks.owners.all, all)
  }
})

test('a profile follows so many at most, others that exist, and never itself', () => {
  const driver = new ExchangeDriver()
  const { clearing } = driver
  const [ann, ben] = [driver.addAccount(0), driver.addAccount(0)]
  const why = (one: number, other: number) => rejectName(decideFollow(clearing, one, other))
  assert.equal(why(ann, ben), 'NONE')
  assert.equal(why(ann, ann), 'FOLLOW_OF_SELF')
  assert.equal(why(ann, 99), 'PROFILE_NOT_FOUND')
  const { follows } = clearing.social
  const most = SOCIAL_LIMITS.followsPerProfileMax
  // Profiles of these ids need not be there to be counted.
  for (let at = 0; at < most; at++) follows.add(ann, 1_000_000 - at)
  assert.equal(why(ann, ben), 'FOLLOW_LIMIT')
  assert.equal(why(ann, 99), 'PROFILE_NOT_FOUND')
  assert.throws(() => follows.add(ann, ben), /a profile follows fewer profiles than the limit/)
  assert.equal(why(ben, ann), 'NONE')
  follows.remove(ann, 1_000_000)
  assert.equal(why(ann, ben), 'NONE')
  assert.equal(follows.owners.of(ann), most - 1)
})

test('a profile has so many bookmarks at most', () => {
  const driver = new ExchangeDriver()
  const { clearing } = driver
  const { bookmarks } = clearing.social
  const why = () => rejectName(decideBookmark(clearing, 1))
  for (let marketId = 1; marketId <= SOCIAL_LIMITS.bookmarksPerProfileMax; marketId++) {
    assert.equal(why(), 'NONE')
    bookmarks.put(1, { marketId, targetKind: 'clob', seq: marketId, putMs: 1 })
  }
  assert.equal(why(), 'BOOKMARK_LIMIT')
  assert.equal(rejectName(decideBookmark(clearing, 2)), 'NONE')
  bookmarks.remove(1, 50)
  assert.equal(why(), 'NONE')
})

test('commands of follows and bookmarks travel, replay and restore, and move no money', () => {
  const driver = new ExchangeDriver()
  const model = new ExchangeDriver()
  driver.onCommand = (command) => model.exchange.apply(decodeCommand(encodeCommand(command)))
  const ids = Array.from({ length: 6 }, () => driver.addAccount(1_000_000))
  driver.addMarket()
  const { fundedRaw } = driver.clearing.ledger
  const { follows, bookmarks } = driver.clearing.social
  for (let step = 0; step < 400; step++) {
    const profileId = random.pick(ids)
    const followedId = random.pick(ids)
    const marketId = random.between(1, 30)
    driver.nowMs += 1000
    if (random.chance(0.5) && profileId !== followedId) {
      const isThere = follows.isFollowing(profileId, followedId)
      const kind = isThere ? 'unfollowProfile' : 'followProfile'
      driver.control({ kind, profileId, followedId })
    } else if (bookmarks.find(profileId, marketId) !== undefined) {
      driver.control({ kind: 'removeBookmark', profileId, marketId })
    } else if (random.chance(0.1)) {
      driver.control({ kind: 'showBookmarks', profileId, isPublic: random.chance(0.5) })
    } else if (random.chance(0.03)) driver.control({ kind: 'clearBookmarks', profileId })
    else {
      const targetKind = random.pick(BOOKMARK_KINDS)
      driver.control({ kind: 'putBookmark', profileId, marketId, targetKind })
      assert.equal(bookmarks.find(profileId, marketId)?.seq, driver.clearing.lastSeq)
    }
  }
  const hash = driver.exchange.stateHash()
  assert.equal(model.exchange.stateHash(), hash, 'records say it all')
  assert.equal(driver.clearing.ledger.fundedRaw, fundedRaw)
  const state = packed(driver.exchange)
  // A thread has one exchange: the restored one takes the place of both.
  assert.equal(restore(unpacked(state)).stateHash(), hash)
})
