import assert from 'node:assert/strict'
import { test } from 'node:test'
import { esportPlay, footballPlay } from '../../../../server/demo/play/match-play.ts'
import { at } from '../../../support/json-path.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// The scores of the demo: they rise within a match, and a match ends and begins again.

const SEED = freshSeed()
const ROUNDS = 2000

test('goals of the demo never fall before a match is over', () => {
  const random = new Random(SEED)
  const play = footballPlay(() => random.next())
  let ends = 0
  let before: { goals: number; isFinished: boolean } = { goals: 0, isFinished: false }
  for (let round = 0; round < ROUNDS; round++) {
    const event = play.next()
    const goals = Number(event.homeScore) + Number(event.awayScore)
    const isNew = before.isFinished && !event.isFinished
    if (isNew) ends++
    else assert.ok(goals >= before.goals, `seed ${SEED} round ${round}`)
    if (before.isFinished && !isNew) assert.equal(goals, before.goals, `seed ${SEED}`)
    before = { goals, isFinished: event.isFinished }
  }
  assert.ok(ends > 10)
})

test('a match of esports in the demo is over with two maps of one side', () => {
  const random = new Random(SEED)
  const play = esportPlay(() => random.next())
  let ends = 0
  for (let round = 0; round < ROUNDS; round++) {
    const event = play.next()
    const maps = ['home', 'away'].map((side) => Number(at(event, 'matchScore', side)))
    assert.equal(event.isFinished, Math.max(...maps) === 2, `seed ${SEED} round ${round}`)
    assert.ok(Math.min(...maps) <= 1)
    const { gameScores } = event
    assert.ok(Array.isArray(gameScores))
    const won = gameScores.filter(({ home, away }) => Math.max(home, away) === 13)
    assert.equal(won.length, maps[0] + maps[1], `seed ${SEED} round ${round}`)
    if (event.isFinished) ends++
  }
  assert.ok(ends > 10)
})
