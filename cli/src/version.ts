/** The tool's version, equal to that in package.json (a test checks it); signed as `cli`. */
export const VERSION = '1.0.0';
