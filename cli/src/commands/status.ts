import { heldText, MISSING_WORDS, type Missing, missingText } from '../../../engine/contract/unranked.ts';
import { findIdentity } from '../auth/identity.ts';
import type { Command } from '../command-context.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type Ledger, readLedger, type Submission } from '../ledger/ledger.ts';
import { findNewerTool } from '../net/newer-tool.ts';
import { printable, signInHint } from '../net/problem.ts';
import { boardOf, fetchProfile, fetchStanding, type Standing } from '../net/public-board.ts';
import { countsTable } from '../output/counts-table.ts';
import { nextText } from '../output/place-text.ts';
import { grouped, type Screen, yieldText } from '../output/screen.ts';
import { readDeviceKey } from '../signing/device-key.ts';
import { withStore } from '../store/open-store.ts';
import { VERSION } from '../version.ts';
import { type DayYield, historyChart, submittedHistory } from '../views/submitted-history.ts';

/** Shows the operator's standing, what this machine has submitted, and a newer version of the tool. Scans nothing, needs no token. */
export const statusCommand: Command = async ({ settings, env, screen }) => {
  const { baseUrl } = settings;
  const { codename, session } = await findIdentity(settings, env);
  const ledger = await readLedger(settings.configDir);
  const key = await readDeviceKey(settings.configDir);
  const submissions = (ledger?.submissions ?? []).filter(
    (known) => known.base_url === baseUrl && (codename === null || known.codename === codename),
  );
  const profile = codename === null ? null : await fetchProfile(baseUrl, codename);
  const [standing, newer] = await Promise.all([findStanding(profile, baseUrl), findNewerTool(baseUrl)]);
  if (codename === null) screen.printWrapped(`You are not signed in at ${baseUrl}. ${signInHint(baseUrl)}`);
  else showProfile(codename, { profile, standing, baseUrl }, screen);
  const rows = submissions.flatMap(({ platform, counts }) => (counts === null ? [] : [{ platform, totals: counts }]));
  screen.print('');
  if (rows.length === 0)
    screen.printWrapped(`Nothing was submitted from here to ${baseUrl} yet. Run: upsilon --dry-run`);
  else screen.print(countsTable(rows, screen.columns, screen.paint, 'Submitted'));
  const history = await readHistory(settings.configDir, ledger, submissions);
  showHistory(history, screen);
  if (submissions.some(({ counts, epoch }) => counts !== null && epoch !== ledger?.epoch))
    screen.printWrapped('\nYou have recounted since. To replace these totals with the new ones, run: upsilon');
  screen.print('');
  screen.printWrapped(`Settings folder: ${settings.configDir}`);
  screen.printWrapped(
    `Key: ${key === null ? 'none yet' : key.kid}. Stream: ${ledger?.stream ?? 'none yet'}, epoch ${ledger?.epoch ?? 0}.`,
  );
  if (newer !== null)
    screen.printWrapped(`\nVersion ${newer.version} of the tool is out (this is ${VERSION}). Run: ${newer.command}`);
  screen.result({
    base_url: baseUrl,
    codename,
    signed_in: session !== null,
    profile,
    standing: typeof standing === 'string' ? null : standing,
    submissions,
    history,
    key: key?.kid ?? null,
    stream: ledger?.stream ?? null,
    epoch: ledger?.epoch ?? 0,
    newer,
  });
  return 'ok';
};

/** The history of what was submitted in the ledger's epoch. Empty where the store cannot be read. */
async function readHistory(
  configDir: string,
  ledger: Ledger | null,
  submissions: readonly Submission[],
): Promise<readonly DayYield[]> {
  const submitted = submissions.filter(({ epoch, backdated }) => epoch === ledger?.epoch && backdated !== null);
  if (submitted.length === 0) return [];
  const use = { epoch: ledger?.epoch ?? 0, keep: false, warn: () => undefined };
  const buckets = await withStore(configDir, use, async (store) => store.buckets()).catch(() => []);
  return submittedHistory(buckets, submitted, Date.now());
}

export function showHistory(history: readonly DayYield[], screen: Screen): void {
  const lines = historyChart(history, screen.columns);
  if (lines.length > 0) screen.print(`\n${lines.join('\n')}`);
}

/** Where the row's Yield stands, or would, on the all-time board; the reason when that cannot be read, null without a Yield. */
function findStanding(profile: JsonObject | null, baseUrl: string): Promise<Standing | string> | null {
  const yield_ = profile?.['yield_'];
  return typeof yield_ === 'number' ? fetchStanding(boardOf(baseUrl, 'all_time', profile), yield_) : null;
}

interface ShownProfile {
  readonly profile: JsonObject | null;
  readonly standing: Standing | string | null;
  readonly baseUrl: string;
}

function showProfile(codename: string, { profile, standing, baseUrl }: ShownProfile, screen: Screen): void {
  const { bold } = screen.paint;
  if (profile === null) return screen.printWrapped(`${bold(codename)} is not on the board yet, or you hid the row.`);
  const { rank, yield_, leverage, velocity } = profile;
  // Of one board where both are known: the profile may be of the version before.
  const place = typeof rank === 'number' && typeof standing !== 'string' ? standing : null;
  screen.printWrapped(`${bold(codename)}: ${standingText({ ...profile, ...place })}`);
  screen.printWrapped(
    `Yield ${typeof yield_ === 'number' ? yieldText(yield_) : '-'}, leverage ${numberText(leverage)}, velocity ${numberText(velocity)}.`,
  );
  if (typeof standing === 'string') screen.printWrapped(`What comes next is unknown: ${standing}.`);
  else if (standing !== null) screen.printWrapped(nextText(standing));
  showReliance(profile, profileAddress(baseUrl, codename), screen);
  screen.printWrapped(`Profile: ${profileAddress(baseUrl, codename)}`);
}

/** Shows its witnessed days, what the row lacks, and its flags. */
export function showReliance(profile: JsonObject, address: string, screen: Screen): void {
  const { provisional, integrity, unranked, witnessed_days, would_be } = profile;
  if (typeof witnessed_days === 'number') {
    const provisionally = provisional === true ? ', so the row is provisional' : '';
    screen.printWrapped(`Witnessed ${witnessed_days} of 45 days${provisionally}.`);
  }
  const lacks = missingOf(profile);
  const isHeld = unranked === 'held';
  if (isHeld) {
    const place = typeof would_be === 'number' ? would_be : null;
    screen.printWrapped(`The row is not settled yet: it ${heldText(place, lacks)}.`);
  } else for (const each of lacks) screen.printWrapped(`Missing: ${missingText(each)}.`);
  const flags = isObject(integrity) && Array.isArray(integrity['flags']) ? integrity['flags'] : [];
  for (const flag of flags) screen.printWrapped(`Flag ${printable(String(flag))}: ${address}#plausibility`);
}

/** What the row lacks. */
export function missingOf({ missing }: JsonObject): readonly Missing[] {
  return Array.isArray(missing) ? missing.filter(isMissing) : [];
}

function isMissing(value: unknown): value is Missing {
  if (!isObject(value)) return false;
  const { of, needs, has } = value;
  return typeof of === 'string' && of in MISSING_WORDS && typeof needs === 'number' && typeof has === 'number';
}

function numberText(value: unknown): string {
  return typeof value === 'number' ? grouped(value) : '-';
}

/** The address of an operator's page. The service serves the website, or redirects to it. */
export function profileAddress(baseUrl: string, codename: string): string {
  return new URL(`/operators/${codename}`, baseUrl).href;
}

/** `rank 12 of 340 (percentile 96.8), tier BASE, up 3 in 24 h`: the parts that the profile and the standing have. */
export function standingText(profile: JsonObject): string {
  const { rank, total_operators, percentile, class_tier, movement_24h } = profile;
  const of =
    typeof total_operators === 'number' ? ` of ${grouped(total_operators)} (percentile ${numberText(percentile)})` : '';
  const parts = [typeof rank === 'number' ? `rank ${grouped(rank)}${of}` : 'not ranked'];
  if (typeof class_tier === 'string') parts.push(`tier ${printable(class_tier)}`);
  if (typeof movement_24h === 'number' && movement_24h !== 0) {
    parts.push(`${movement_24h > 0 ? 'up' : 'down'} ${grouped(Math.abs(movement_24h))} in 24 h`);
  }
  return parts.join(', ');
}
