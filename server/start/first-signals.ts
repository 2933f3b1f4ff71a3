// The first file that runs. At SIGUSR1, Node opens its debugger on port 9229 without a password,
// unless the signal has a listener. Anyone who reaches that port can read the admin token and every
// key.

import { writeSync } from 'node:fs'
import inspector from 'node:inspector'

const WRONG_USE = 2
const NEVER_SIGUSR1 =
  "SIGUSR1 is ignored: it would open Node's debugger, which exposes every secret"
const INSPECT = /(?:^|[\s"'])--inspect(?:-brk|-wait)?(?:[=\s"']|$)/

const STDERR = 2

/** If standard error cannot be written, the sentence is lost. */
function say(sentence: string): void {
  try {
    writeSync(STDERR, `outcomex: ${sentence}\n`)
  } catch {}
}

/** Listeners that replace all others of their signals. */
export type SignalListeners = Readonly<Partial<Record<NodeJS.Signals, () => void>>>

/** A listener is always installed, because Node or the system would act otherwise. */
export function takeSignals(listeners: SignalListeners): void {
  for (const signal of SIGNALS) {
    const listener = listeners[signal]
    if (listener === undefined) continue
    const before = process.rawListeners(signal)
    process.on(signal, listener)
    for (const each of before) Reflect.apply(process.off, process, [signal, each])
  }
}

const SIGNALS = ['SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const

/** Signals without a purpose are ignored and logged. */
export function ignoredSignals(warn: (sentence: string, signal: string) => void): SignalListeners {
  return {
    SIGUSR1: () => warn(NEVER_SIGUSR1, 'SIGUSR1'),
    SIGUSR2: () => warn('SIGUSR2 is ignored', 'SIGUSR2'),
  }
}

let wasHungUp = false

/** Whether SIGHUP arrived before it could be handled. */
export function hungUpBefore(): boolean {
  return wasHungUp
}

/** The signal may have arrived before the first line of the program. */
export function closeDebugger(): void {
  if (inspector.url() === undefined) return
  inspector.close()
  say("SIGUSR1 arrived before the program was loaded and opened Node's debugger; it is now closed")
}

takeSignals(ignoredSignals(say))
if (process.argv[2] === 'serve') {
  takeSignals({
    SIGHUP: () => {
      wasHungUp = true
    },
  })
}
if (INSPECT.test([...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' '))) {
  say(
    "--inspect opens Node's debugger, which exposes every secret to anyone who reaches its port; " +
      'start without it (check NODE_OPTIONS too)',
  )
  process.exit(WRONG_USE)
}
closeDebugger()
