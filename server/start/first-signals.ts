// The first file that runs. At SIGUSR1 Node opens its debugger, on port 9229 and without a
// password, unless a listener has the signal. Whoever reaches that port reads the admin token and
// every key.

import { writeSync } from 'node:fs'
import inspector from 'node:inspector'

const WRONG_USE = 2
const NEVER_SIGUSR1 =
  'SIGUSR1 is ignored: it would open the debugger of Node, which shows every secret'
const INSPECT = /(?:^|[\s"'])--inspect(?:-brk|-wait)?(?:[=\s"']|$)/

const STDERR = 2

/** Where standard error takes nothing, there is nobody to say it to. */
function say(sentence: string): void {
  try {
    writeSync(STDERR, `outcomex: ${sentence}\n`)
  } catch {}
}

/** Listeners that take the place of all others of their signals. */
export type SignalListeners = Readonly<Partial<Record<NodeJS.Signals, () => void>>>

/** There is no moment without a listener, because Node or the system would act then. */
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

/** What serves nothing is ignored; each signal is a line of the log. */
export function ignoredSignals(warn: (sentence: string, signal: string) => void): SignalListeners {
  return {
    SIGUSR1: () => warn(NEVER_SIGUSR1, 'SIGUSR1'),
    SIGUSR2: () => warn('SIGUSR2 is ignored', 'SIGUSR2'),
  }
}

let wasHungUp = false

/** Whether SIGHUP came before anybody could act on it. */
export function hungUpBefore(): boolean {
  return wasHungUp
}

/** The signal may have come before the first line of the program. */
export function closeDebugger(): void {
  if (inspector.url() === undefined) return
  inspector.close()
  say('SIGUSR1 came before the program was loaded, and opened the debugger of Node; it is closed')
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
    '--inspect opens the debugger of Node, which shows every secret to whoever reaches its port; ' +
      'start without it (NODE_OPTIONS holds options of Node)',
  )
  process.exit(WRONG_USE)
}
closeDebugger()
