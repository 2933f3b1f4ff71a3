// The keys under which an address is counted.

const MAPPED_V4 = '0000:0000:0000:0000:0000:ffff:'

/** Digits of the first 64, 56 and 48 bits of a fully expanded IPv6 address. */
const V6_NETWORKS = [19, 17, 14] as const

function isV6(address: string): boolean {
  return address.includes(':') && !address.startsWith(MAPPED_V4)
}

/**
 * The key of one internet subscriber: an IPv4 address, or the first 64 bits of a fully expanded
 * IPv6 address.
 */
export function addressKey(address: string): string {
  return isV6(address) ? address.slice(0, V6_NETWORKS[0]) : address
}

/** The first 48 bits of an IPv6 address or 64-bit network; null for any other key. */
export function siteOf(key: string): string | null {
  return isV6(key) ? key.slice(0, V6_NETWORKS[2]) : null
}

/** The rates of a 48-bit IPv6 network, as a multiple of those of one address. */
export const SITE_TIMES = 8

/**
 * The networks of an address, the narrowest first. A subscriber with IPv6 may hold 2^16 networks of
 * 64 bits, so limits per address also apply to the wider networks.
 */
export function networksOf(address: string): readonly string[] {
  return isV6(address) ? V6_NETWORKS.map((digits) => address.slice(0, digits)) : [address]
}
