import { SERVE_ROWS } from '../config.ts'
import type { EarlyListener } from '../edge/http/gateway/listening/early-listener.ts'
import type { Command } from '../shell.ts'

/**
 * The command `outcomex serve`. `listener` is open since the process began; null without one. Other
 * commands start in half the time, because the exchange itself loads only when this one runs.
 */
export function serveCommand(listener: EarlyListener | null): Command {
  return {
    about: 'Runs the exchange on a data folder.',
    flags: SERVE_ROWS,
    words: [],
    run: async (argv) => (await import('./serve.ts')).runServe(argv, listener),
  }
}
