import { LOG_LEVELS, type LogLevel } from '../ops/logging/log-level.ts'
import { maybe, setting } from './flags.ts'
import { count, file, oneOf, onOff } from './kinds.ts'

// Settings of one run of the process: how it starts, what it writes meanwhile, how it stops.

export const RUN_SETTINGS = {
  acceptClock: setting(
    'accept-clock',
    onOff,
    false,
    'For one start: take the wall clock, also over a day past the last command.',
  ),
  stopDeadline: setting(
    'stop-deadline',
    count(1, 3600),
    10,
    'Seconds after which a stop that still runs ends like a kill.',
  ),
  trace: maybe('trace', file, 'A file that gets a line for each order, a time per step.'),
  logLevel: setting<LogLevel>(
    'log-level',
    { ...oneOf(...LOG_LEVELS), shape: 'LEVEL' },
    'info',
    `Lowest level that is logged: ${LOG_LEVELS.join(', ')}.`,
  ),
} as const
