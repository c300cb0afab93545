/** What a bench command was asked for. */
export interface BenchRequest {
  readonly name: string;
  readonly tiny: boolean;
  readonly options: ReadonlyMap<string, number>;
}

/** Reads `NAME --tiny --rounds=5`. Throws on anything else. */
export function parseBenchArguments(args: readonly string[]): BenchRequest {
  const options = new Map<string, number>();
  let name = '';
  let tiny = false;
  for (const arg of args) {
    const option = /^--([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(arg);
    if (option !== null) options.set(option[1]!, Number(option[2]));
    else if (arg === '--tiny') tiny = true;
    else if (!arg.startsWith('-') && name === '') name = arg;
    else throw new Error(`${arg} is neither a bench nor --name=number`);
  }
  return { name, tiny, options };
}
