import { shareSnippets } from '../../../engine/contract/share.ts';
import {
  heldText,
  MISSING_WORDS,
  type Missing,
  missingText,
  UNRANKED_REASONS,
} from '../../../engine/contract/unranked.ts';
import { findIdentity } from '../auth/identity.ts';
import type { Command } from '../command-context.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type Ledger, readLedger, type Submission } from '../ledger/ledger.ts';
import { findNewerTool } from '../net/newer-tool.ts';
import { fetchOwnStanding, type OwnStanding } from '../net/own-standing.ts';
import { printable, signInHint } from '../net/problem.ts';
import { openBoard } from '../net/public-board.ts';
import { countsTable } from '../output/counts-table.ts';
import { changeText, nextText, standingText } from '../output/place-text.ts';
import type { Screen } from '../output/screen.ts';
import { readReports } from '../service/changes.ts';
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
  const own = codename === null ? null : await fetchOwnStanding(baseUrl, codename, null);
  const newer = await findNewerTool(baseUrl);
  if (codename === null) {
    const board = await openBoard({ baseUrl, codename }, 'all_time');
    if (typeof board === 'string') screen.warning(board);
    screen.printWrapped(`You are not signed in at ${baseUrl}. ${signInHint(baseUrl)}`);
  } else if (own === null)
    screen.printWrapped(`${screen.paint.bold(codename)} is not on the board yet, or you hid the row.`);
  else showStanding(own, false, screen);
  const { problem } = (await readReports(settings.configDir, baseUrl)) ?? {};
  if (problem !== undefined) screen.warning(problem);
  const rows = submissions.flatMap(({ platform, counts }) => (counts === null ? [] : [{ platform, totals: counts }]));
  screen.print('');
  if (rows.length === 0)
    screen.printWrapped(`Nothing was submitted from here to ${baseUrl} yet. Run: upsilon --dry-run`);
  else screen.print(countsTable(rows, screen.columns, screen.paint, 'Submitted'));
  const history = await readHistory(settings.configDir, ledger, submissions);
  showHistory(history, screen);
  if (submissions.some(({ counts, epoch }) => counts !== null && epoch !== ledger?.epoch))
    screen.printWrapped('\nYou have recounted since. To replace these totals with the new ones, run: upsilon');
  screen.detail(`\nSettings folder: ${settings.configDir}`);
  screen.detail(
    `Key: ${key === null ? 'none yet' : key.kid}. Stream: ${ledger?.stream ?? 'none yet'}, epoch ${ledger?.epoch ?? 0}.`,
  );
  if (newer !== null)
    screen.printWrapped(`\nVersion ${newer.version} of the tool is out (this is ${VERSION}). Run:\n  ${newer.command}`);
  screen.result({
    base_url: baseUrl,
    codename,
    signed_in: session !== null,
    profile: own?.profile ?? null,
    standing: isObject(own?.standing) ? own.standing : null,
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
  if (lines.length > 0) screen.print(`\n${lines.join('\n')}\n`);
}

/**
 * Shows a standing in at most five lines, of which the first four suffice: place, what moved it, how far it can be relied on, what is next,
 * and the page. Then what is pasted elsewhere, where it is asked for.
 */
export function showStanding(own: OwnStanding, isShared: boolean, screen: Screen): void {
  const { codename, profile, change, standing, page } = own;
  const { unranked, movement_24h } = profile;
  const reason = Object.entries(UNRANKED_REASONS).find(([name]) => name === unranked)?.[1];
  const movement = change === null ? movement_24h : null;
  const text = standingText({ ...own, total_operators: own.total || null, movement_24h: movement });
  const place = own.rank === null && reason !== undefined ? `not ranked, because ${reason}` : text;
  const next = standing === null || typeof standing === 'string' ? standing : nextText(standing);
  const lines = [
    `${codename} is ${screen.paint.bold(place)}.`,
    change === null ? '' : changeText(change, own.rank),
    relianceText(profile, page),
    next !== null && next === standing ? `What comes next is unknown: ${next}.` : next,
    `Page: ${page}${isShared ? '' : ' (badge and card: upsilon share)'}`,
  ];
  for (const line of lines) if (line) screen.printWrapped(line);
  // Unwrapped, because these lines are copied.
  if (isShared) for (const snippet of shareSnippets(own)) screen.print(snippet.text);
}

/** Its witnessed days, what the row lacks, and its flags, as one paragraph; empty where the profile has none of them. */
export function relianceText(profile: JsonObject, address: string): string {
  const { provisional, integrity, unranked, witnessed_days, would_be, open } = profile;
  const provisionally = provisional === true ? ', so the row is provisional' : '';
  const witnessed =
    typeof witnessed_days === 'number' ? [`Witnessed ${witnessed_days} of 45 days${provisionally}.`] : [];
  const lacks = missingOf(profile);
  const place = typeof would_be === 'number' ? would_be : null;
  const missing =
    unranked === 'held'
      ? [`The row is not settled yet: it ${heldText(place, lacks)}.`]
      : lacks.map((each) => `Missing: ${missingText(each)}.`);
  const flags = isObject(integrity) && Array.isArray(integrity['flags']) ? integrity['flags'] : [];
  const found = flags.map((flag) => `Flag ${printable(String(flag))}: ${address}#plausibility`);
  const opened = open === true ? ['The row is open: everybody can verify its snapshots.'] : [];
  return [...witnessed, ...missing, ...found, ...opened].join(' ');
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

/** The address of an operator's page. The service serves the website, or redirects to it. */
export function profileAddress(baseUrl: string, codename: string): string {
  return new URL(`/operators/${codename}`, baseUrl).href;
}
