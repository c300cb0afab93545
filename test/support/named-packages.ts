/** A command that runs or installs a package, with its options, up to the package's name. */
const TAKES_PACKAGE =
  /\b(?:npx|bunx|npm (?:exec|x|i|install|add)|pnpm (?:dlx|add|i)|yarn (?:dlx|add)|bun (?:x|add))((?: +-[\w-]+(?:=[^\s`'"]+)?)*) +([^\s`'"]+)/g;

/** The packages that commands in a text would fetch from a registry: neither addresses nor files, nor what is installed. */
export function namedPackages(text: string): string[] {
  return Array.from(text.matchAll(TAKES_PACKAGE), ([, options = '', name = '']) => ({ options, name }))
    .filter(
      ({ options, name }) => !options.includes('--no-install') && !/^(?:https?:\/\/|\.{1,2}\/|\$\{|--)/.test(name),
    )
    .map(({ name }) => name);
}
