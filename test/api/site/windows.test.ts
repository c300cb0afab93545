import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { openTestApi, type TestApi } from '../../support/test-api.ts';
import { UNPACED } from '../../support/unpaced.ts';
import { useFixture } from '../../support/use-fixture.ts';

/** Two operators of one tool: the first over all time is the second over the last week. */
async function openField(): Promise<TestApi> {
  const test = await openTestApi();
  const usage = (output: number, later: number) =>
    [output, output + later].map((total, at) => ({
      asOf: test.now - (at === 0 ? 40 * DAY_MS : HOUR_MS),
      ledger: 'ledger-one',
      platform: 'codex',
      epoch: 0,
      counts: { input: 1_000 * (at + 1), output: total, cache_read: 900_000 * (at + 1), cache_write: 0 },
    }));
  const codenames = [
    ['old-hand', usage(800_000, 4_000)],
    ['new-hand', usage(4_000, 90_000)],
  ] as const;
  await test.ranking.operators.import(
    codenames.map(([codename, own]) => ({ codename, displayName: null, usage: own })),
  );
  await test.ranking.rebuildBoard();
  await test.publish();
  await test.ranking.platforms.rank(undefined, UNPACED);
  await test.publish();
  const [one, two] = await Promise.all(codenames.map(async ([name]) => (await test.ranking.operators.find(name))!));
  const made = await test.accounts.leagues.make(one!.operator, { name: 'Both hands', visibility: 'public' });
  if ('refused' in made) throw new Error(made.refused);
  const { slug } = made;
  await test.accounts.leagues.join(two!.operator, slug, (await test.accounts.leagues.codeOf(made))!);
  return test;
}

/** What says who is first, by path: `FIRST` and `LAST` stand for the codenames in their order. */
const SAID: readonly (readonly [path: string, said: string])[] = [
  ['/', String.raw`\| 1 \|[^\n]*\[FIRST\]`],
  ['/?from=2', String.raw`\| 2 \|[^\n]*\[LAST\]`],
  ['/platform/codex', String.raw`\| 1 \|[^\n]*\[FIRST\]`],
  ['/list?operators=old-hand,new-hand', String.raw`\| 1 [^\n]*\[FIRST\]`],
  ['/league/both-hands', String.raw`\| 1 [^\n]*\[FIRST\]`],
  ['/compare?a=old-hand&b=new-hand', 'FIRST leads LAST'],
  ['/compare', 'First and second: .FIRST and LAST'],
  ['/operators/FIRST', String.raw`\*\*Rank\*\*: 1 of 2`],
  ['/badge/FIRST.svg', '>#1 '],
  ['/badge/LAST.svg?metric=rank', '>#2 '],
  ['/card/FIRST.svg', '>#1<'],
  ['/card/LAST.svg?platform=codex', '>#2<'],
];

const TOOLS = [
  ['get_leaderboard', {}, '2 operators [^]*#1 FIRST'],
  ['get_leaderboard', { platform: 'codex' }, '#1 FIRST'],
  ['get_leaderboard', { league: 'both-hands' }, '2 members of the league [^]*#1 FIRST'],
  ['get_best_operator', {}, '#1 FIRST'],
  ['discover_peers', { codename: 'FIRST' }, 'FIRST is #1 [^]*#2 LAST'],
  ['compare_operators', { codenames: ['old-hand', 'new-hand'] }, 'FIRST over LAST'],
  ['optimize_efficiency', { codename: 'LAST' }, 'To reach #1 FIRST'],
] as const;

describe('the window that is asked for', () => {
  const test = useFixture(openField);
  const orders = [
    ['all_time', 'old-hand', 'new-hand'],
    ['7d', 'new-hand', 'old-hand'],
  ] as const;

  for (const [window, first, last] of orders) {
    const named = (text: string): string => text.replaceAll('FIRST', first).replaceAll('LAST', last);

    for (const [path, said] of SAID) {
      it(`is that of ${path} over ${window}`, async () => {
        const asked = `${named(path)}${path.includes('?') ? '&' : '?'}window=${window}`;
        const { text } = await test().get(asked, { accept: 'text/markdown, image/*' });
        expect(text).to.match(new RegExp(named(said)));
      });
    }

    for (const [name, given, said] of TOOLS) {
      it(`is that of ${name} ${JSON.stringify(given)} over ${window}`, async () => {
        const body = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: { ...JSON.parse(named(JSON.stringify(given))), window } },
        };
        const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
        const { text } = await test().post('/mcp', null, body, headers);
        expect(text).to.match(new RegExp(named(said)));
      });
    }
  }
});
