/**
 * What the launcher, the image and the unit set for the program. A test or a bench that starts it
 * otherwise does the same: without the first, glibc keeps large buffers that were freed, and clears
 * them again for later ones; without the second, each thread keeps what was freed in an arena of
 * its own, and every new thread adds to it.
 */
export const LAUNCHER_ENV = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '4' }
