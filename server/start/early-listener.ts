import { readFileSync } from 'node:fs'
import { readConfig } from '../config.ts'
import { EarlyListener } from '../edge/http/gateway/listening/early-listener.ts'

/**
 * Opens the door of the exchange that this line starts: the rest of the program takes longer to
 * load than all that is needed for an answer. Null for another line, and for a port that is picked:
 * that one nobody knows yet. What is wrong with the line, the start itself says.
 */
export async function openEarlyListener(argv: readonly string[]): Promise<EarlyListener | null> {
  const [name, ...args] = argv
  if (name !== 'serve' || args.includes('--help')) return null
  const reading = readConfig(args, process.env, (path) => readFileSync(path, 'utf8'))
  if (!reading.ok || reading.config.tls !== undefined || reading.config.port === 0) return null
  return await EarlyListener.open(reading.config.host, reading.config.port)
}
