import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profileOfCode, referralCodeOf } from '../../../server/api/referrals/referrals.ts'
import { freshSeed, Random } from '../../support/random.ts'

const LETTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const LAST = 2_147_483_647

test('a code names its profile, in any letter case', () => {
  const random = new Random(freshSeed())
  const ids = [
    1,
    35,
    36,
    1295,
    1296,
    LAST,
    ...Array.from({ length: 500 }, () => random.spread(LAST)),
  ]
  for (const profileId of ids.filter((id) => id > 0)) {
    const code = referralCodeOf(profileId)
    assert.equal(profileOfCode(code), profileId, code)
    assert.equal(profileOfCode(` ${code.toLowerCase()} `), profileId, code)
  }
})

test('a code with one wrong letter is nobody’s', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 200; round++) {
    const code = referralCodeOf(1 + random.below(LAST))
    const at = random.below(code.length)
    for (const letter of LETTERS) {
      if (letter === code[at]) continue
      const wrong = code.slice(0, at) + letter + code.slice(at + 1)
      assert.equal(profileOfCode(wrong), undefined, `${code} ${wrong}`)
    }
  }
})

test('any other text is no code', () => {
  const long = referralCodeOf(LAST)
  for (const text of [
    '',
    ' ',
    '0',
    '00',
    '1',
    'é1',
    '1.',
    `${long}0`,
    '-1',
    '1\u0000',
    'ZZZZZZZ',
    'x'.repeat(128),
  ]) {
    assert.equal(profileOfCode(text), undefined, JSON.stringify(text))
  }
})
