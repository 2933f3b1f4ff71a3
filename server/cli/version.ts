import { existsSync, readFileSync } from 'node:fs'
import { fault } from '../../engine/domain/assert.ts'

/** The version in package.json, which stands above the sources and above dist alike. */
export function packageVersion(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    const url = new URL(up, import.meta.url)
    if (!existsSync(url)) continue
    const value: unknown = JSON.parse(readFileSync(url, 'utf8'))
    if (typeof value !== 'object' || value === null || !('version' in value)) continue
    return String(value.version)
  }
  fault('package.json stands beside the program')
}
