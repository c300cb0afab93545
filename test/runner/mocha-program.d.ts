/** Mocha's program, which its types leave out. */
declare module 'mocha/bin/mocha.js';
