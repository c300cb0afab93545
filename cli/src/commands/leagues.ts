import { openSignedInClient } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { hasShape, isObject, type JsonObject, objectOf, type Shaped } from '../json.ts';
import { foreignServerError, printable, printableText } from '../net/problem.ts';
import { columnsOf, fittingTable } from '../output/fitting-table.ts';
import { isAgreed } from '../output/is-agreed.ts';
import { grouped, plural, type Screen, yieldText } from '../output/screen.ts';

/** Who sees a league, by its visibility. */
const SEEN_BY: Readonly<Record<string, string>> = {
  public: 'everybody',
  unlisted: 'anybody who has its address',
  private: 'its members',
};

const LEAGUE = { slug: 'string', name: 'string', visibility: 'string', size: 'number' } as const;
const ROW = { rank: 'number', codename: 'string', yield_: 'number', class_tier: 'string' } as const;
const HELD = { codename: 'string', yield_: 'number', would_be: 'number' } as const;

/** Lists the leagues that the operator is in. */
export const listLeaguesCommand: Command = async (context) => {
  const { settings, screen } = context;
  const client = await openSignedInClient(context);
  const { leagues } = objectOf((await client.get('/leagues')).body);
  const found = Array.isArray(leagues) ? leagues.filter((league) => hasShape(league, LEAGUE)) : [];
  if (found.length === 0) screen.printWrapped('You are in no league. Make one on your account page, or join one.');
  for (const { slug, name, visibility, size } of found) {
    screen.print(`${screen.paint.bold(printable(name))}  ${printable(slug)}`);
    screen.printWrapped(`  ${plural(size, 'member')}, seen by ${SEEN_BY[visibility] ?? printable(visibility)}`);
  }
  screen.result({ base_url: settings.baseUrl, leagues: found });
  return 'ok';
};

/** Shows the board of a league. */
export const leagueBoardCommand: Command<{
  readonly argument: string;
  readonly window?: string | undefined;
  readonly season?: string | undefined;
}> = async (context) => {
  const { settings, screen, options } = context;
  const client = await openSignedInClient(context);
  const { window = 'all_time', season } = options;
  const asked = new URLSearchParams({ limit: '100', ...(season === undefined ? { window } : { season }) });
  const { body } = await client.get(`${pathOf(options.argument)}/leaderboard?${asked.toString()}`);
  const { entries, total_operators, held = [] } = objectOf(body);
  if (!Array.isArray(entries) || !Array.isArray(held)) throw foreignServerError(settings.baseUrl);
  showBoard(entries, screen);
  const waiting = held.filter((row) => hasShape(row, HELD));
  if (waiting.length > 0) screen.print('Not settled yet:');
  for (const { codename, yield_, would_be } of waiting) {
    screen.printWrapped(`  ${printable(codename)}  ${yieldText(yield_)}, would be rank ${grouped(would_be)}`);
  }
  screen.result({ base_url: settings.baseUrl, league: options.argument, total_operators, entries, held });
  return 'ok';
};

function showBoard(entries: readonly unknown[], screen: Screen): void {
  const rows = entries.filter(isObject).filter((entry) => hasShape(entry, ROW));
  if (rows.length === 0) return screen.printWrapped('No member is ranked here yet.');
  const [left, right] = [columnsOf(rows), columnsOf(rows, { align: 'right' })];
  const table = [
    right('Rank', ({ rank }) => grouped(rank)),
    left('Operator', ({ codename }) => codename, { cut: { atLeast: 12, keep: 'start' } }),
    left('Tier', ({ class_tier }) => class_tier, { drop: 1 }),
    right('Yield', ({ yield_ }) => yieldText(yield_)),
    right('Of all', ofAll, { drop: 2 }),
  ];
  screen.print(fittingTable(table, screen.columns, screen.paint));
}

/** The rank of a row among all; a held row and a hidden one have none. */
function ofAll(row: JsonObject): string {
  if (row['held'] === true) return 'not settled';
  return hasShape(row, { global_rank: 'number' }) ? grouped(row.global_rank) : '-';
}

/** Shows a league and who will see what of its members, asks, and joins. `yes`: without asking. */
export const joinLeagueCommand: Command<{ readonly words: readonly string[]; readonly yes?: boolean }> = async (
  context,
) => {
  const { settings, screen, options } = context;
  const [slug = '', code = ''] = options.words;
  const client = await openSignedInClient(context);
  const invitation = new URLSearchParams({ code }).toString();
  const { body: offered } = await client.get(`${pathOf(slug)}?${invitation}`);
  if (!hasShape(offered, LEAGUE)) throw foreignServerError(settings.baseUrl);
  showOffer(offered, screen);
  if (options.yes !== true && !(await isAgreed('Join it?', screen))) {
    const hint = 'Answer y at a terminal, or add --yes.';
    throw new CliError('refused', 'not_agreed', 'not joined: to join is to agree that your row is seen', hint);
  }
  const { body: league } = await client.post(`${pathOf(slug)}/join`, JSON.stringify({ code }));
  screen.printWrapped(`You are in it. Its board:\n  upsilon league board ${printable(slug)}`);
  screen.result({ base_url: settings.baseUrl, league });
  return 'ok';
};

/** What the page of an invitation says. */
function showOffer(league: Shaped<typeof LEAGUE>, screen: Screen): void {
  const { name, visibility, size } = league;
  const owner = printableText(objectOf(league)['owner']);
  const seenBy = SEEN_BY[visibility] ?? printable(visibility);
  const rest =
    visibility === 'public'
      ? 'If you hide yourself, you are not in it.'
      : 'You are ranked in it as well while you are hidden, or not settled yet.';
  screen.printWrapped(`${printable(name)}: ${plural(size, 'member')}${owner === null ? '' : `, of ${owner}`}.`);
  screen.printWrapped(
    `Your row in it (codename, display name, platform, rank, tier and scores) will be seen by ${seenBy}. ${rest}`,
  );
  screen.printWrapped('Its members see the codenames of all members.');
  screen.printWrapped(
    'Its owner can rename it, remove you, hand it over, and let fewer people see it, never more. You can leave at any time, on your account page.',
  );
}

function pathOf(slug: string): string {
  return `/leagues/${encodeURIComponent(slug)}`;
}
