import { followAgain } from './follower-runs.ts'

// The child of `followerRuns`: the plan is its argument, the result its only message.

const result = followAgain(JSON.parse(process.argv[2]))
process.send?.(result, () => process.disconnect())
