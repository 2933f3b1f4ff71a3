// The number of files and connections that this process may still open.

import { readdirSync, readFileSync } from 'node:fs'
import { LIMITS } from '../../engine/domain/limits.ts'

/** The limit where the system does not report one; most systems use this value. */
const ASSUMED = 1024
const CONNECTIONS_MIN = 16

/**
 * The number of connections that leaves enough descriptors for the files of the process itself:
 * tables, snapshots, threads. Call it when the threads run. Node raises the soft limit to the hard
 * limit as it starts.
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
