import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { Settings } from '../settings.ts';
import { SOURCES } from '../sources/registry.ts';

/** What runs in the background, whatever the system: the settings from which its files are written. */
export interface ServicePlan {
  /** The name of the unit, job or task. */
  readonly id: string;
  readonly about: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  /** When it runs in each hour: seconds after its start. */
  readonly second: number;
  readonly configDir: string;
}

/** Variables that runs need, besides those that move logs. Tokens are never among them. */
const OWN_VARIABLES = [
  'UPSILON_CODENAME',
  'UPSILON_HISTORY',
  'UPSILON_KEYCHAIN',
  'XDG_CONFIG_HOME',
  'NODE_EXTRA_CA_CERTS',
];

const SECONDS_PER_HOUR = 3_600;

/** The name of the background service of a sign-in. */
export function serviceId(name: string | null | undefined): string {
  return name === null || name === undefined ? 'upsilon' : `upsilon-${name}`;
}

/** Runs at a time of the hour derived from the ledger's `stream`, so that not all machines submit at once. */
export function planService(settings: Settings, env: Environment, id: string, stream: string): ServicePlan {
  const { baseUrl, configDir, platforms, sourceDirs, history } = settings;
  const command = [
    process.execPath,
    realpathSync(process.argv[1] ?? ''),
    'service',
    'run',
    '--base-url',
    baseUrl,
    '--config-dir',
    configDir,
    ...platforms.flatMap((name) => ['--platform', name]),
    ...sourceDirs.flatMap((folder) => ['--source-dir', folder]),
    ...(history ? [] : ['--no-history']),
  ];
  const variables = variablesOf(env);
  // oxlint-disable-next-line no-control-regex -- control characters would end a line of a unit
  const unwritable = [...command, ...variables.values()].find((text) => /[\u0000-\u001f\u007f]/.test(text));
  if (unwritable !== undefined) {
    const message = `${JSON.stringify(unwritable)} contains a control character`;
    throw new CliError('usage', 'settings_invalid', message, 'Use another name for the folder.');
  }
  return {
    id,
    about: `Submits token counts to ${new URL(baseUrl).host}`,
    command,
    variables,
    second: createHash('sha256').update(stream).digest().readUInt32BE() % SECONDS_PER_HOUR,
    configDir,
  };
}

/** The variables that are set now and change what a run does: a background run has none of the user's shell. */
function variablesOf(env: Environment): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const variable = (name: string): string | undefined => {
    const value = env.variable(name);
    if (value !== undefined) found.set(name, value);
    return value;
  };
  for (const source of SOURCES) source.places({ ...env, variable });
  for (const name of OWN_VARIABLES) variable(name);
  // Folders of the system, which a background run has as well.
  for (const name of ['APPDATA', 'LOCALAPPDATA']) found.delete(name);
  return found;
}
