import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConcepts } from '../../../persistence/search/concepts.ts'
import { Meaning } from '../../../persistence/search/meaning.ts'
import { isOneSlip, slipOf } from '../../../persistence/search/spelling.ts'
import { plainOf, termsOf } from '../../../persistence/search/terms.ts'
import { scaleOf, WordVectors } from '../../../persistence/search/word-vectors.ts'

const concepts = readConcepts()
const vectors = WordVectors.read()
const meaning = new Meaning(vectors, concepts)

function cosine(one: string, other: string): number {
  const [steps, others] = [one, other].map((text) => meaning.of([{ text, weight: 1 }]))
  const sum = steps.reduce((total, step, at) => total + step * others[at], 0)
  return sum * scaleOf(steps) * scaleOf(others)
}

test('concepts are sorted, and no term is listed twice', () => {
  const terms = concepts.map(({ term }) => term)
  assert.ok(terms.length >= 500)
  assert.deepEqual(terms, [...new Set(terms)].sort())
})

test('a term is written as texts are divided, or no text would ever have it', () => {
  for (const { term } of concepts) assert.equal(termsOf(term).map(plainOf).join(' '), term)
})

test('a concept is a few different words, and each of them has a vector', () => {
  for (const { term, words } of concepts) {
    assert.ok(words.length >= 2 && words.length <= 8, term)
    assert.equal(new Set(words).size, words.length, term)
    for (const word of words) assert.ok(vectors.find(word) >= 0, `${term}: ${word} has no vector`)
  }
})

test('names mean what they name', () => {
  assert.ok(cosine('crypto', 'bitcoin') > 0.9)
  assert.ok(cosine('covid', 'pandemic') > 0.8)
  assert.ok(cosine('openai', 'artificial intelligence') > 0.8)
  assert.ok(cosine('FOMC', 'interest rates') > 0.8)
  assert.ok(cosine('bitcoin', 'rain tomorrow') < 0.3)
  assert.ok(cosine('super bowl', 'interest rates') < 0.3)
})

test('a text of unknown words means nothing, and empty words add nothing', () => {
  assert.ok(meaning.of([{ text: 'qxzqx 12345 😀', weight: 1 }]).every((step) => step === 0))
  assert.deepEqual(
    meaning.of([{ text: 'Will the rain be here?', weight: 1 }]),
    meaning.of([{ text: 'rain', weight: 1 }]),
  )
})

test('one slip is a letter added, left out, wrong or swapped', () => {
  const near = [
    'bitcoinn',
    'xbitcoin',
    'bitcon',
    'itcoin',
    'bitcoim',
    'vitcoin',
    'bitcion',
    'ibtcoin',
  ]
  for (const word of near) {
    assert.ok(isOneSlip(word, 'bitcoin') && isOneSlip('bitcoin', word), word)
  }
  for (const word of ['bitcoin', 'bitc', 'bitnioc', 'btcoi', 'coinbit', '']) {
    assert.ok(!isOneSlip(word, 'bitcoin') && !isOneSlip('bitcoin', word), word)
  }
  assert.equal(slipOf('etherum', ['bitcoin', 'ethereum']), 'ethereum')
  assert.equal(slipOf('btd', ['btc']), undefined, 'a short word is near too many others')
})
