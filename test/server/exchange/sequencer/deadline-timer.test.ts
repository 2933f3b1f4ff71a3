import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeadlineTimer } from '../../../../server/exchange/sequencer/deadline-timer.ts'

/** A timer over deadlines that the test sets; `ran` resolves with each run. */
class Desk {
  nextMs: number
  runs = 0
  readonly timer: DeadlineTimer
  #wake: () => void = () => {}

  constructor(onRun: (desk: Desk) => void, firstInMs = Number.POSITIVE_INFINITY) {
    this.nextMs = performance.now() + firstInMs
    this.timer = new DeadlineTimer({
      nowMs: () => performance.now(),
      nextMs: () => this.nextMs,
      run: () => {
        this.runs++
        onRun(this)
        this.#wake()
      },
    })
  }

  due(inMs: number): void {
    this.nextMs = performance.now() + inMs
    this.timer.check()
  }

  ran(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

const done = (desk: Desk) => {
  desk.nextMs = Number.POSITIVE_INFINITY
}

test('a deadline runs when it is due, not before, and a nearer one comes first', async () => {
  const order: string[] = []
  const desk = new Desk((each) => {
    order.push('near')
    done(each)
  })
  const later = new Desk((each) => {
    order.push('far')
    done(each)
  })
  later.due(300)
  desk.due(900)
  // Timers of Node end in the order in which they are due, also on a machine that is late.
  setTimeout(() => order.push('before it'), 10)
  desk.due(100)
  await later.ran()
  desk.timer.stop()
  later.timer.stop()
  assert.deepEqual(order, ['before it', 'near', 'far'])
})

test('a deadline that was there before the timer runs when it is due', async () => {
  const desk = new Desk(done, 20)
  const later = new Desk(done)
  later.due(500)
  await desk.ran()
  assert.equal(later.runs, 0, 'it does not wait for the next look, a second after the start')
  desk.timer.stop()
  later.timer.stop()
})

test('a deadline without capacity is tried again, and loop ticks do not delay it', async () => {
  const desk = new Desk((each) => {
    if (each.runs === 4) done(each)
  })
  desk.due(1)
  const rounds = setInterval(() => desk.timer.check(), 0)
  while (desk.runs < 4) await desk.ran()
  clearInterval(rounds)
  desk.timer.stop()
  assert.equal(desk.runs, 4)
})

test('main checks its deadlines now and then, without any notification', async () => {
  const desk = new Desk(() => {})
  await desk.ran()
  desk.timer.stop()
  assert.equal(desk.runs, 1)
})

test('nothing runs after a stop', async () => {
  const desk = new Desk(done)
  desk.due(1)
  desk.timer.stop()
  desk.due(1)
  // A timer that is set later ends later: by then the stopped one would have run.
  const later = new Desk(done)
  later.due(2)
  await later.ran()
  later.timer.stop()
  assert.equal(desk.runs, 0)
})
