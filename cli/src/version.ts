/** The tool's version, as in its package.json (a test holds the two together); signed as `cli`. */
export const VERSION = '0.1.0';
