import { PARTS } from './parts.ts';

/** What the proof was asked for. */
export interface ProofRequest {
  /** `measure`: into the page. `compare`: beside it. `page`: nothing is measured. `smoke`: everything tiny, elsewhere. */
  readonly mode: 'measure' | 'compare' | 'page' | 'smoke';
  /** Names of parts. */
  readonly only: readonly string[];
}

const MODES = { '--compare': 'compare', '--page': 'page', '--smoke': 'smoke' } as const;

/** Reads `--only=reads,load --compare`. Throws on anything else, and on parts that do not exist. */
export function parseProofArguments(args: readonly string[]): ProofRequest {
  const names = PARTS.map(({ name }) => name);
  let mode: ProofRequest['mode'] = 'measure';
  let only = names;
  for (const arg of args) {
    if (arg.startsWith('--only=')) only = arg.slice('--only='.length).split(',');
    else if (isMode(arg)) mode = MODES[arg];
    else throw new Error(`${arg} is none of --only=PART,… ${Object.keys(MODES).join(' ')}`);
  }
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: the parts are ${names.join(', ')}`);
  return { mode, only: names.filter((name) => only.includes(name)) };
}

function isMode(arg: string): arg is keyof typeof MODES {
  return Object.hasOwn(MODES, arg);
}
