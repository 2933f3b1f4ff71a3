import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisTimes, dayTime, visible } from '../../../server/console/page/format.ts'

// Times and texts as people read them.

const at = (hour: number, minute = 0, second = 0): number =>
  new Date(2026, 4, 3, hour, minute, second).getTime() / 1000

test('an axis of hours names the day at its first mark and where a new day begins', () => {
  const marks = [at(18), at(21), at(24), at(27)]
  assert.deepEqual(axisTimes(marks, 10_800), ['18:00\n3 May', '21:00', '00:00\n4 May', '03:00'])
})

test('an axis of seconds shows them, and an axis of days shows no time', () => {
  assert.deepEqual(axisTimes([at(9, 5), at(9, 5, 30)], 30), ['09:05:00\n3 May', '09:05:30'])
  assert.deepEqual(axisTimes([at(0), at(24)], 86_400), ['3 May', '4 May'])
})

test('a time of a list has no seconds unless they are requested', () => {
  const atMs = at(9, 5, 30) * 1000
  assert.equal(dayTime(atMs), '3 May 2026, 09:05')
  assert.equal(dayTime(atMs, 'medium'), '3 May 2026, 09:05:30')
  assert.equal(dayTime('no time'), 'Invalid Date')
})

test('characters that reverse others or are not seen become marks', () => {
  assert.equal(visible('pay \u202Eecila\u202C'), 'pay \uFFFDecila\uFFFD')
  assert.equal(
    visible('a\u2066b\u2069c\u200Bd\u0000e\nf\uFEFFg'),
    'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg',
  )
  assert.equal(
    visible('Regnet es in Österreich? 雨 <b> مطر'),
    'Regnet es in Österreich? 雨 <b> مطر',
  )
})
