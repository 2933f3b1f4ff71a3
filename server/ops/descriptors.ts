// How many files and connections this process may still open.

import { readdirSync, readFileSync } from 'node:fs'
import { LIMITS } from '../../engine/domain/limits.ts'

/** Of a process on a system that does not say; what most give. */
const ASSUMED = 1024
const CONNECTIONS_MIN = 16

/**
 * Connections that leave room for what the process opens itself: tables, snapshots, its threads.
 * Call when its threads run. Node raises the soft limit to the hard one when it starts.
 */
export function connectionsMax(): number {
  const free = descriptorLimit() - descriptorsOpen() - LIMITS.descriptorsReserved
  return Math.max(CONNECTIONS_MIN, Math.min(free, LIMITS.connectionsMax))
}

function descriptorLimit(): number {
  const text = read(() => readFileSync('/proc/self/limits', 'utf8')) ?? ''
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(text) ?? []
  if (soft === undefined) return ASSUMED
  return soft === 'unlimited' ? Infinity : Number(soft)
}

function descriptorsOpen(): number {
  return read(() => readdirSync('/proc/self/fd').length) ?? 0
}

/** Null where the system has no such file. */
function read<T>(from: () => T): T | null {
  try {
    return from()
  } catch {
    return null
  }
}
