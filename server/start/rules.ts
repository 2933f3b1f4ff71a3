import type { Pipeline } from '../exchange/pipeline.ts'

/**
 * Writes by which rules the exchange decides: as its first command, and when its nodes know newer
 * ones.
 */
export async function stampRules(
  pipeline: Pick<Pipeline, 'clearing' | 'change'>,
  version: number,
): Promise<void> {
  if (pipeline.clearing.rulesVersion >= version) return
  await pipeline.change(() => ({ kind: 'rules', version }))
}
