import { runPasses } from './passes.ts'

// The child of `forkPasses`: the plan is its argument, the result its only message.

const result = await runPasses(JSON.parse(process.argv[2]))
process.send?.(result, () => process.disconnect())
