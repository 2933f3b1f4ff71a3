// From here on the exchange runs: commands are decided, deadlines come, and the scores of rewards
// are credited.

import type { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type { Pipeline } from '../exchange/pipeline.ts'

export function begin(pipeline: Pipeline, follower: FollowerHandle): void {
  pipeline.start()
  follower.listenToScores((scored) => {
    if (pipeline.mining?.rewards.scored(scored)) pipeline.tick()
  })
}
