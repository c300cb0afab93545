import { openSignedInClient } from '../auth/identity.ts';
import type { Command } from '../command-context.ts';
import { hasShape, isObject, objectOf } from '../json.ts';
import { foreignServerError, printable, printableText } from '../net/problem.ts';
import { columnsOf, fittingTable } from '../output/fitting-table.ts';
import { grouped, plural, type Screen, yieldText } from '../output/screen.ts';

/** Who sees a league, by its visibility. */
const SEEN_BY: Readonly<Record<string, string>> = {
  public: 'everybody',
  unlisted: 'anybody who has its address',
  private: 'its members',
};

const LEAGUE = { slug: 'string', name: 'string', visibility: 'string', size: 'number' } as const;
const ROW = { rank: 'number', codename: 'string', yield_: 'number', class_tier: 'string' } as const;

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
  const { entries, total_operators } = objectOf(body);
  if (!Array.isArray(entries)) throw foreignServerError(settings.baseUrl);
  showBoard(entries, screen);
  screen.result({ base_url: settings.baseUrl, league: options.argument, total_operators, entries });
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
    right('Of all', (row) => (hasShape(row, { global_rank: 'number' }) ? grouped(row.global_rank) : '-'), { drop: 2 }),
  ];
  screen.print(fittingTable(table, screen.columns, screen.paint));
}

/** Joins a league, and says who sees what. */
export const joinLeagueCommand: Command<{ readonly words: readonly string[] }> = async (context) => {
  const { settings, screen, options } = context;
  const [slug = '', code = ''] = options.words;
  const client = await openSignedInClient(context);
  const { body: league } = await client.post(`${pathOf(slug)}/join`, JSON.stringify({ code }));
  if (!hasShape(league, LEAGUE)) throw foreignServerError(settings.baseUrl);
  const { name, visibility, size } = league;
  const owner = printableText(objectOf(league)['owner']);
  screen.printWrapped(
    `You are in ${printable(name)}: ${plural(size, 'member')}${owner === null ? '' : `, of ${owner}`}.`,
  );
  screen.printWrapped(
    `Your row in it is seen by ${SEEN_BY[visibility] ?? printable(visibility)}, until you leave it on your account page.`,
  );
  screen.printWrapped(`Its board:\n  upsilon league board ${printable(slug)}`);
  screen.result({ base_url: settings.baseUrl, league });
  return 'ok';
};

function pathOf(slug: string): string {
  return `/leagues/${encodeURIComponent(slug)}`;
}
