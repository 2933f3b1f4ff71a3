/**
 * What the launcher, the image and the unit set for the program. A test or a bench that starts it
 * otherwise does the same: without it, glibc keeps large buffers that were freed, and clears them
 * again for later ones.
 */
export const LAUNCHER_ENV = { MALLOC_MMAP_THRESHOLD_: '131072' }
