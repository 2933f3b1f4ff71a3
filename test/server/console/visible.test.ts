import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visible } from '../../../server/console/page/visible.ts'

// Texts that operators decide by.

test('characters that turn others around or are not seen become marks', () => {
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
