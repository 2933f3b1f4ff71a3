import { SERVE_ROWS } from '../config.ts'
import type { Door } from '../edge/http/gateway/listening/door.ts'
import type { Command } from '../shell.ts'

/**
 * The command `outcomex serve`. `door` is open since the process began; null without one. Other
 * commands start in half the time, because the exchange itself loads only when this one runs.
 */
export function serveCommand(door: Door | null): Command {
  return {
    about: 'Runs the exchange on a data folder.',
    flags: SERVE_ROWS,
    words: [],
    run: async (argv) => (await import('./serve.ts')).runServe(argv, door),
  }
}
