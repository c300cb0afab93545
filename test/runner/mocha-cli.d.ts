/** Mocha's command line, which its types leave out. */
declare module 'mocha/lib/cli/cli.js' {
  export function main(argv: readonly string[]): void;
}
