import { findIdentity } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import { readLedger } from '../ledger/ledger.ts';
import { exchange, NoResponseError } from '../net/http.ts';
import { problemError } from '../net/problem.ts';
import { countsTable } from '../output/counts-table.ts';
import { grouped } from '../output/numbers.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { readDeviceKey } from '../signing/device-key.ts';
import { profileAddress } from './profile-address.ts';

/** Shows the operator's standing, and what this machine has submitted. Scans nothing, needs no token. */
export async function statusCommand(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  const { codename, session } = await findIdentity(settings, env);
  const ledger = await readLedger(settings.configDir);
  const key = await readDeviceKey(settings.configDir);
  const submissions = (ledger?.submissions ?? []).filter(
    (known) => known.base_url === settings.baseUrl && (codename === null || known.codename === codename),
  );
  const profile = codename === null ? null : await fetchProfile(settings.baseUrl, codename);
  if (codename === null) screen.printWrapped('You are not signed in. Sign in with: upsilon login');
  else showProfile(codename, profile, settings, screen);
  const rows = submissions.flatMap(({ platform, counts }) => (counts === null ? [] : [{ platform, totals: counts }]));
  screen.print('');
  if (rows.length === 0) screen.printWrapped('This machine has not submitted anything yet. Run: upsilon --dry-run');
  else screen.print(countsTable(rows, screen.columns, screen.paint, 'Submitted'));
  screen.print('');
  screen.printWrapped(`Settings folder: ${settings.configDir}`);
  screen.printWrapped(
    `Key: ${key === null ? 'none yet' : key.kid}. Stream: ${ledger?.stream ?? 'none yet'}, epoch ${ledger?.epoch ?? 0}.`,
  );
  screen.result({
    base_url: settings.baseUrl,
    codename,
    signed_in: session !== null,
    profile,
    submissions,
    key: key?.kid ?? null,
    stream: ledger?.stream ?? null,
    epoch: ledger?.epoch ?? 0,
  });
  return 'ok';
}

type Profile = Readonly<Record<string, unknown>>;

/** The operator's public profile; null when the board has none. */
export async function fetchProfile(baseUrl: string, codename: string): Promise<Profile | null> {
  const url = `${baseUrl}/operators/${codename}`;
  try {
    const response = await exchange({ method: 'GET', url, token: null });
    if (response.status === 404) return null;
    if (response.status >= 300 || !isObject(response.body)) throw problemError(response, baseUrl);
    return response.body;
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const hint = `Is the service running, and is --base-url right? It is ${baseUrl}.`;
    throw new CliError('network', 'unreachable', `cannot reach ${url}: ${error.message}`, hint);
  }
}

function showProfile(codename: string, profile: Profile | null, settings: Settings, screen: Screen): void {
  const { bold } = screen.paint;
  if (profile === null) return screen.printWrapped(`${bold(codename)} is not on the board yet.`);
  screen.printWrapped(`${bold(codename)}: ${standingText(profile)}`);
  const number = (name: string): string => {
    const value = profile[name];
    return typeof value === 'number' ? grouped(value) : '-';
  };
  screen.printWrapped(`Yield ${number('yield_')}, leverage ${number('leverage')}, velocity ${number('velocity')}.`);
  screen.printWrapped(`Profile: ${profileAddress(settings.baseUrl, codename)}`);
}

/** `rank 12, tier BASE, up 3 in 24 h`: the parts that the profile has. */
export function standingText(profile: Profile): string {
  const { rank, class_tier, movement_24h } = profile;
  const parts = [typeof rank === 'number' ? `rank ${grouped(rank)}` : 'not ranked'];
  if (typeof class_tier === 'string') parts.push(`tier ${class_tier}`);
  if (typeof movement_24h === 'number' && movement_24h !== 0) {
    parts.push(`${movement_24h > 0 ? 'up' : 'down'} ${grouped(Math.abs(movement_24h))} in 24 h`);
  }
  return parts.join(', ');
}
