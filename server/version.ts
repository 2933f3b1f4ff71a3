/** The version of the program as in package.json; a test compares the two. */
export const VERSION = '0.1.0'
