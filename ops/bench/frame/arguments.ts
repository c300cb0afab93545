/** Parsed arguments of a bench command. */
export type BenchRequest = ReturnType<typeof parseBenchArguments>;

/**
 * Reads `NAME --tiny --rounds=5 --against=COMMIT --against-name=NAME`: the commit to compare with, and the bench's name in that
 * commit if it differs, or null. `--help` is the name `help`. Throws on anything else.
 */
export function parseBenchArguments(args: readonly string[]) {
  const options = new Map<string, number>();
  let name = '';
  let tiny = false;
  let against: string | null = null;
  let againstName: string | null = null;
  for (const arg of args) {
    const option = /^--([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(arg);
    if (option !== null) options.set(option[1]!, Number(option[2]));
    else if (arg === '--tiny') tiny = true;
    else if (arg.startsWith('--against=')) against = arg.slice('--against='.length);
    else if (arg.startsWith('--against-name=')) againstName = arg.slice('--against-name='.length);
    else if (!arg.startsWith('-') && name === '') name = arg;
    else if (arg === '--help') name = 'help';
    else throw new Error(`${arg} is neither a bench nor --name=number`);
  }
  return { name, tiny, options, against, againstName };
}
