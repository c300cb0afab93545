import { expect } from 'chai';
import * as fc from 'fast-check';
import { compactCount, openScreen } from '../../../cli/src/output/screen.ts';
import { textWidth } from '../../../cli/src/output/text-width.ts';
import type { PriceList } from '../../../cli/src/views/prices.ts';
import { openTimeZone } from '../../../cli/src/views/time-zone.ts';
import {
  blockLines,
  costText,
  csvOf,
  describeRow,
  projectBlock,
  usageTable,
} from '../../../cli/src/views/usage-report.ts';
import { GROUPINGS, type UsageRow, VIEWS } from '../../../cli/src/views/usage-rows.ts';
import { LINUX } from '../support/scan-source.ts';

const zone = openTimeZone('UTC', LINUX);
const { paint } = openScreen({ json: false, color: false });

const PRICES: PriceList = {
  own: new Map(),
  path: '/settings/prices.json',
  find: (model) => (model === 'm' ? { input: 1, output: 1, cache_read: 1, cache_write: 1 } : null),
};

const count = fc.oneof(fc.nat({ max: 2000 }), fc.nat({ max: 2 ** 46 }));
const name = fc.oneof(
  fc.constantFrom('m', 'a', '/srv/atlas', '/srv/项目/应用程序'),
  fc.string({ maxLength: 80, unit: 'grapheme' }),
);
const row: fc.Arbitrary<UsageRow> = fc.record({
  period: fc.integer({ min: 1_700_000_000, max: 1_800_000_000 }).map(String),
  part: name,
  platform: fc.constantFrom('claude-code', 'kilo-code'),
  project: name,
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  models: fc.array(name, { maxLength: 3 }).map((names) => {
    return new Map(names.map((each) => [each, { input: 1e9, output: 2e9, cache_read: 3e12, cache_write: 4 }]));
  }),
  messages: fc.nat(),
  isImported: fc.boolean(),
  first: fc.constant(1_700_000_000),
  last: fc.constant(1_700_000_900),
});

/** A row whose period is as long as in its view. */
function inView(each: UsageRow, view: (typeof VIEWS)[number]): UsageRow {
  const periods = { daily: '2026-05-01', weekly: '2026-05-01', monthly: '2026-05', session: 's'.repeat(36) };
  return view === 'blocks' ? each : { ...each, period: periods[view] };
}

/** A row of a view, without its counts. */
const DAY = {
  period: '2026-05-01',
  part: null,
  platform: 'pi',
  project: null,
  messages: 1,
  isImported: false,
  first: 0,
  last: 0,
};

describe('the table of a view', () => {
  const everything = { since: null, until: null, platforms: [], zone };

  it('fits terminals of 39 to 200 columns', () => {
    const arbitrary = [
      fc.array(row, { maxLength: 5 }),
      fc.constantFrom(...VIEWS),
      fc.constantFrom(null, ...GROUPINGS),
    ] as const;
    fc.assert(
      fc.property(...arbitrary, fc.integer({ min: 39, max: 200 }), (rows, view, by, width) => {
        const query = { ...everything, view, by };
        const shown = usageTable(
          rows.map((each) => inView(each, view)),
          query,
          PRICES,
          width,
          paint,
        );
        const widest = Math.max(...shown.split('\n').map(textWidth));
        expect(widest).to.be.at.most(width);
        expect(shown).not.to.match(/[^\P{Cc}\n]/u);
      }),
      { numRuns: 300 },
    );
  });

  it('has every column without a terminal, and whole numbers where there is room', () => {
    const counts = { input: 1_234_567, output: 2, cache_read: 3, cache_write: 4 };
    const rows = [{ ...DAY, counts, models: new Map([['m', counts]]) }];
    const query = { ...everything, view: 'daily', by: null } as const;
    expect(usageTable(rows, query, PRICES, null, paint)).to.equal(
      [
        'Day             Input  Output  Cache read  Cache write      Total  Yield   Cost  Models',
        '2026-05-01  1,234,567       2           3            4  1,234,576      0  $1.23  m',
        'Sum         1,234,567       2           3            4  1,234,576      0  $1.23',
      ].join('\n'),
    );
    expect(usageTable(rows, query, PRICES, 60, paint).split('\n')[1]).to.equal(
      '2026-05-01  1.23M    2     3      4  1.23M      0  $1.23',
    );
    const great = { input: 100, output: 30_000, cache_read: 2_000_000, cache_write: 4 };
    const yields = [great, { ...great, input: 0 }].map((each) => ({
      ...DAY,
      counts: each,
      models: new Map([['m', each]]),
    }));
    expect(usageTable(yields, query, PRICES, null, paint)).to.match(/ 6.00M .*\n.* - .*\n/);
    expect(usageTable(yields, query, PRICES, 60, paint)).to.match(/ 6.00M .*\n.* - .*\n/);
  });

  it('tells its rows apart at 60 columns: sessions, platforms of blocks, models of one short name', () => {
    const counts = { input: 12_345, output: 234_567, cache_read: 23_456_789, cache_write: 345_678 };
    const shared = {
      part: null,
      project: '/srv/atlas/lantern',
      counts,
      messages: 1,
      isImported: false,
      first: 0,
      last: 0,
    };
    const rows = ['11111111-aaaa', '22222222-bbbb'].map((period, index) => {
      return { ...shared, period, platform: ['claude-code', 'kilo-code'][index]!, models: new Map([['m', counts]]) };
    });
    const shown = (more: object, view: (typeof VIEWS)[number], by: 'model' | null = null) =>
      usageTable(
        rows.map((each) => ({ ...each, ...more })),
        { ...everything, view, by },
        PRICES,
        60,
        paint,
      );
    expect(shown({}, 'session'))
      .to.match(/1111111/)
      .and.match(/2222222/);
    expect(shown({ period: '1764000000' }, 'blocks'))
      .to.match(/claude-code/)
      .and.match(/kilo-code/);
    const models = ['claude-sonnet-4.5', 'claude-sonnet-4-5-20250929'];
    const ofModels = rows.map((each, index) => ({ ...each, period: '2026-05', part: models[index]! }));
    const text = usageTable(ofModels, { ...everything, view: 'monthly', by: 'model' }, PRICES, 80, paint);
    expect(text)
      .to.include('claude-sonnet-4.5 ')
      .and.match(/claude-sonnet-4-5-\d*…/);
    const [single] = ofModels.slice(1);
    const alone = usageTable([single!], { ...everything, view: 'monthly', by: 'model' }, PRICES, 80, paint);
    expect(alone).to.include('claude-sonnet-4-5 ').and.not.to.include('20250929');
  });

  it('has dates with their years where it shows two', () => {
    const counts = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
    const block = (start: string) => {
      const period = `${Date.parse(start) / 1000}`;
      const more = { part: null, project: null, messages: 1, isImported: false, first: Number(period), last: 0 };
      return { period, platform: 'pi', counts, models: new Map([['m', counts]]), ...more };
    };
    const query = { ...everything, view: 'blocks', by: null } as const;
    const [old, later, last] = ['2025-06-01T10:00Z', '2026-03-29T10:00Z', '2026-03-30T10:00Z'].map(block);
    expect(usageTable([later!, last!], query, PRICES, 60, paint)).to.match(/\n03-29 10:00 /);
    expect(usageTable([old!, later!], query, PRICES, 60, paint)).to.match(/\n2025-06-01 10:00 .*\n2026-03-29 10:00 /);
  });

  it('gives rate and projection of a block that has not ended, since its first use', () => {
    const counts = { input: 100, output: 200, cache_read: 3000, cache_write: 300 };
    const start = Date.parse('2026-05-01T10:00Z') / 1000;
    const shared = {
      period: `${start}`,
      part: null,
      platform: 'pi',
      project: null,
      counts,
      messages: 1,
      isImported: false,
    };
    const block = { ...shared, models: new Map([['m', counts]]), first: start + 1800, last: start + 3600 };
    const at = (hours: number) => projectBlock(block, PRICES, start + hours * 3600);
    // 3,600 tokens in two hours, and two and a half hours to come.
    expect(at(2.5)).to.deep.include({ minutes_left: 150, tokens_per_minute: 30, projected_total: 8_100 });
    expect(at(2.5)?.projected_cost_usd).to.be.closeTo(0.0081, 1e-12);
    expect(at(5)).to.equal(null);
    expect(blockLines([block], PRICES, start + 2.5 * 3600)).to.deep.equal([
      'pi block: 30 tokens/min; at this rate 8.10k tokens ($0.01) in 2h30m',
    ]);
  });

  it('paints Yields and costs where there are colours, and aligns them all the same', () => {
    const counts = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
    const rows = [{ ...DAY, counts, models: new Map([['m', counts]]) }];
    const query = { ...everything, view: 'daily', by: null } as const;
    const painted = usageTable(rows, query, PRICES, 80, { ...paint, good: (text) => `<${text}>` });
    expect(painted.split('\n')[1]).to.match(/ <    6>  <\$0\.00>  m$/);
    expect(painted.replaceAll(/[<>]/g, '')).to.equal(usageTable(rows, query, PRICES, 80, paint));
  });

  it('shows the last use of a session, whatever its parts', () => {
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const part = {
      period: 's1',
      platform: 'pi',
      project: null,
      counts,
      models: new Map(),
      messages: 1,
      isImported: false,
    };
    const rows = [
      { ...part, part: 'm', first: 0, last: 900 },
      { ...part, part: 'n', first: 0, last: 7200 },
    ];
    const text = usageTable(rows, { ...everything, view: 'session', by: 'model' }, PRICES, null, paint);
    expect(text.split('\n').map((line) => line.slice(0, 16).trim())).to.deep.equal([
      'Last used',
      '1970-01-01 02:00',
      '',
      'Sum',
    ]);
  });

  it('writes counts in at most five characters, and costs with what they leave out', () => {
    const texts = [0, 999, 1000, 1234, 99_949, 99_951, 999_499, 999_500, 1e9, 2 ** 53].map(compactCount);
    expect(texts).to.deep.equal(['0', '999', '1.00k', '1.23k', '99.9k', '100k', '999k', '1.00M', '1.00B', '9.01P']);
    const costs = [
      { usd: 1234.555, unpriced: [] },
      { usd: 1.999, unpriced: ['x'] },
      { usd: null, unpriced: ['x'] },
    ];
    expect(costs.map((cost) => costText(cost))).to.deep.equal(['$1,234.56', '$2.00+', '?']);
    expect(costText({ usd: 1234.5, unpriced: [] }, true)).to.equal('$1,235');
  });

  it('is CSV with the same members as JSON', () => {
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const models = new Map([
      ['m', counts],
      ['a,"b"', counts],
    ]);
    const one = {
      period: 's1',
      part: null,
      platform: 'pi',
      project: 'a\nb',
      counts,
      models,
      messages: 2,
      isImported: false,
      first: 0,
      last: 900,
    };
    const described = describeRow(one, { ...everything, view: 'session', by: null }, PRICES, 0);
    const [head, ...lines] = csvOf([described]).split('\r\n');
    expect(head).to.equal(Object.keys(described).join(','));
    expect(lines.join('\r\n')).to.equal(
      's1,pi,a b,1970-01-01T00:00:00.000Z,1970-01-01T00:15:00.000Z,1,2,3,4,10,6,2,0.00001,"a,""b""","a,""b"";m",false',
    );
    expect(csvOf([])).to.equal('');
    const hostile = describeRow(
      {
        ...one,
        period: "=cmd|'/C calc'!A0",
        project: '-srv\u001b]0;x\u0007',
        models: new Map([
          ['0', counts],
          ['@SUM(1)', counts],
        ]),
      },
      { ...everything, view: 'session', by: null },
      PRICES,
      0,
    );
    const [line = ''] = csvOf([hostile]).split('\r\n').slice(1);
    expect(line)
      .to.match(/^'=cmd\|'\/C calc'!A0,pi,"'-srv \]0;x ",1970/)
      .and.include(`"0;'@SUM(1)"`);
  });
});
