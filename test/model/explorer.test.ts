import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { type Exploration, LARGE, SMALL } from './explorations.ts'
import { Explorer, findTools, MODEL, verdictOf } from './explorer.ts'

const tools = await findTools()
const skip = typeof tools === 'string' ? tools : false
const ALL = [...LARGE, ...SMALL]

test('every constant of the model is defined there, and every fault is explored', () => {
  const model = readFileSync(MODEL, 'utf8')
  const [, faults = ''] = /#define NONE 0\n([\s\S]*?)#ifndef FAULT/.exec(model) ?? []
  const defined = [...faults.matchAll(/^#define (\w+) \d+$/gm)].map(([, fault]) => fault)
  const explored = ALL.map(({ macros }) => macros.FAULT).filter((fault) => fault !== undefined)
  assert.deepEqual(explored.map(String).sort(), defined.sort())
  for (const { name, macros } of ALL) {
    for (const macro of Object.keys(macros)) assert.ok(model.includes(`#ifndef ${macro}\n`), name)
  }
})

const COMPLETE = `
Full statespace search for:
State-vector 100 byte, depth reached 5840, errors: 0
  2155620 states, stored
unreached in proctype Node
\treplication.pml:586, state 990, "-end-"
`

test('a search without an error counts if it was complete and reached every step', () => {
  assert.deepEqual(verdictOf(COMPLETE), { states: 2155620, isBroken: false, doubt: '' })
  const doubts: readonly (readonly [from: string, to: string, doubt: RegExp])[] = [
    ['\nunreached', '\nWarning: Search not completed\nunreached', /not complete/],
    ['\nunreached', '\nerror: max search depth too small\nunreached', /not complete/],
    ['Full statespace', 'Bit statespace', /not complete/],
    ['errors: 0', 'errors: x', /ended early/],
    ['2155620 states', 'states', /ended early/],
    ['586, state 990, "-end-"', '586, state 990, "late.kind = 0"', /lines 586/],
  ]
  for (const [from, to, doubt] of doubts) {
    assert.match(verdictOf(COMPLETE.replace(from, to)).doubt, doubt, to)
  }
  const broken = `pan:1: assertion violated\nSearch not completed\n${COMPLETE}`
  const { isBroken, doubt } = verdictOf(broken.replace('errors: 0', 'errors: 1'))
  assert.deepEqual([isBroken, doubt], [true, ''])
})

test('the smallest protocol holds, and a fault gives its steps', { skip }, async () => {
  assert.ok(typeof tools !== 'string')
  const explorer = new Explorer(tools, newFolder())
  const macros = { ROWS: 1, EPOCHS: 1, UNSORTED: 1 }
  const small: Exploration = { name: 'small', macros, search: 'shortest', isBroken: false }
  const { isBroken, doubt } = await explorer.explore(small)
  assert.deepEqual([isBroken, doubt], [false, ''])
  const fault = { ...macros, FAULT: 'ACKNOWLEDGES_BEFORE_APPEND' }
  const found = await explorer.explore({ ...small, name: 'fault', macros: fault })
  assert.ok(found.isBroken)
  assert.match(
    found.trail.join('\n'),
    /^node \d acquires epoch 1\n[\s\S]*\nnode \d acknowledges 1$/,
  )
})
