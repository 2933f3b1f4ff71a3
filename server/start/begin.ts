// Starts the running phase: commands are decided, deadlines fire, and reward scores are credited.

import type { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type { Pipeline } from '../exchange/pipeline.ts'

export function begin(pipeline: Pipeline, follower: FollowerHandle): void {
  pipeline.start()
  follower.listenToScores((scored) => {
    if (pipeline.mining?.rewards.scored(scored)) pipeline.tick()
  })
}
