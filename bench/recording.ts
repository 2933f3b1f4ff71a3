import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { findSourceMap } from 'node:module'
import { originalOf } from './source-positions.ts'

const INTERVAL_US = 250

/**
 * Samples this thread while `work` runs, and writes what `node --cpu-prof` would, but with places
 * in the sources: the maps of what is compiled as it is loaded are in this process alone.
 */
export async function recorded<T>(path: string, work: () => Promise<T>): Promise<T> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await session.post('Profiler.start')
  const result = await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  for (const { callFrame } of profile.nodes) {
    Object.assign(callFrame, originalOf(callFrame, findSourceMap))
  }
  writeFileSync(path, JSON.stringify(profile))
  return result
}
