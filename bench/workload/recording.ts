import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { findSourceMap } from 'node:module'
import { originalOf } from '../profile/source-positions.ts'

const INTERVAL_US = 250

/**
 * Samples this thread while `work` runs, and writes a profile like `node --cpu-prof`, but with
 * places in the sources. It does so here, because only this process has the source maps of files
 * that are compiled as they load.
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
