import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { register } from 'tsx/esm/api'
import { READS } from '../../../persistence/query/reads.ts'

const sources = register({ namespace: 'reads' })
const FOLDER = new URL('../../../persistence/query/read/', import.meta.url)

function isRead(value: unknown): value is { name: string } {
  return typeof value === 'object' && value !== null && 'open' in value && 'name' in value
}

test('every read of the folder is listed, under a name of its own', async () => {
  const found: string[] = []
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const exports: Record<string, unknown> = await sources.import(
      new URL(file, FOLDER).href,
      import.meta.url,
    )
    found.push(
      ...Object.values(exports)
        .filter(isRead)
        .map(({ name }) => name),
    )
  }
  const listed = READS.map(({ name }) => name)
  assert.ok(found.length > 10)
  assert.deepEqual([...found].sort(), [...listed].sort())
  assert.equal(new Set(listed).size, listed.length)
})
