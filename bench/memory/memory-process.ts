import { memoryGrowth } from './memory-growth.ts'

// The child of `memoryBench`: the plan is its argument, the result its only message.

const result = await memoryGrowth(JSON.parse(process.argv[2]))
process.send?.(result, () => process.exit(0))
