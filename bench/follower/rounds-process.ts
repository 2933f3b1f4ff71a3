import { followed } from './rounds.ts'

// A child of the bench. Its argument is a folder. A message is the seq to which it follows the
// journal, and the answer says what that cost.

const follow = followed(process.argv[2])
process.on('message', (seq) => process.send?.(follow(Number(seq))))
