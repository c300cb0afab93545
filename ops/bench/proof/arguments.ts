import { PARTS } from './parts.ts';

/** Parsed arguments of the proof. */
export interface ProofRequest {
  /** `measure`: writes the page. `compare`: compares with the page. `page`: measures nothing. `smoke`: tiny runs into a temporary folder. */
  readonly mode: 'measure' | 'compare' | 'page' | 'smoke';
  /** Names of parts. */
  readonly only: readonly string[];
}

const MODES = { '--compare': 'compare', '--page': 'page', '--smoke': 'smoke' } as const;

/** Parses `--only=reads,load --compare`. @throws for other arguments and unknown parts. */
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
