import { readFileSync } from 'node:fs'
import type { EarlyListener } from '../edge/http/gateway/listening/early-listener.ts'

/**
 * Opens the early listener of the exchange that this command line starts, because the rest of the
 * program takes longer to load than a reply needs. Null for another command, and for port 0, which
 * is not known yet. The start reports errors in its own arguments.
 */
export async function openEarlyListener(argv: readonly string[]): Promise<EarlyListener | null> {
  const [name, ...args] = argv
  if (name !== 'serve') return null
  const { readConfig } = await import('../config.ts')
  const reading = readConfig(args, process.env, (path) => readFileSync(path, 'utf8'))
  if (!reading.ok || reading.config.tls !== undefined || reading.config.port === 0) return null
  const { EarlyListener } = await import('../edge/http/gateway/listening/early-listener.ts')
  return await EarlyListener.open(reading.config.host, reading.config.port)
}
