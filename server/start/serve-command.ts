import type { LazyCommand } from '../command-line.ts'
import type { EarlyListener } from '../edge/http/gateway/listening/early-listener.ts'

/**
 * The command `outcomex serve`. `listener` is open since the process began; null without one. The
 * exchange itself loads only when this command runs, not for its help.
 */
export function serveCommand(listener: EarlyListener | null): LazyCommand {
  return {
    about: 'Runs the exchange on a data folder.',
    load: async () => ({
      ...(await import('../config.ts')).SERVE_GRAMMAR,
      work: async ({ given }) => (await import('./serve.ts')).runServe(given, listener),
    }),
  }
}
