import { NEWEST, recordingNames } from './recording.ts'
import { replays } from './replay.ts'

for (const name of recordingNames()) if (name !== NEWEST) replays(name)
