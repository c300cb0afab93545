import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Bucket } from '../../../cli/src/store/buckets.ts';
import { openTimeZone } from '../../../cli/src/views/time-zone.ts';
import {
  GROUPINGS,
  hasOnePlatform,
  type RowQuery,
  sumRows,
  totalOf,
  UNKNOWN,
  type UsageRow,
  usageRows,
  VIEWS,
} from '../../../cli/src/views/usage-rows.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { LINUX } from '../support/scan-source.ts';
import * as stores from '../support/stores.ts';

const PLATFORMS = ['claude-code', 'codex', 'pi'];
const ZONES = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Australia/Lord_Howe', 'Europe/Berlin', 'Pacific/Apia'];

interface Usage {
  readonly platform: number;
  readonly time: number;
  readonly counts: Counts;
  readonly model: string | null;
  readonly project: string | null;
  readonly session: string | null;
}

const count = fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 40 }));
const nameOr = (...names: readonly string[]) => fc.constantFrom(null, ...names);
const usage: fc.Arbitrary<Usage> = fc.record({
  platform: fc.nat({ max: PLATFORMS.length - 1 }),
  // A few days around changes of the clocks, so that days, weeks and blocks have several usages.
  time: fc.oneof(
    fc.integer({ min: 1_774_700_000, max: 1_775_300_000 }),
    fc.integer({ min: 1_790_000_000, max: 1_800_000_000 }),
  ),
  counts: fc.record({ input: count, output: count, cache_read: count, cache_write: count }),
  model: nameOr('m1', 'm2', '__proto__'),
  project: nameOr('/srv/a', '/srv/b'),
  session: nameOr('s1', 's2', 's3'),
});
const usages = fc.array(usage, { maxLength: 60 });

function bucketsOf(list: readonly Usage[]): readonly Bucket[] {
  return stores.bucketsOf(list.map((each) => ({ ...each, platform: PLATFORMS[each.platform]! })));
}

const query = (more: Partial<RowQuery>): RowQuery => ({
  view: 'daily',
  by: null,
  since: null,
  until: null,
  platforms: [],
  zone: openTimeZone('UTC', LINUX),
  ...more,
});

const queries = fc.record({
  view: fc.constantFrom(...VIEWS),
  by: fc.constantFrom(null, ...GROUPINGS),
  platforms: fc.constantFrom<readonly string[]>([], ['codex'], ['codex', 'pi']),
  zone: fc.constantFrom(...ZONES).map((name) => openTimeZone(name, LINUX)),
});

/** The naive sum of usages. */
function sumOf(list: readonly Usage[]): Counts {
  const sum = (field: keyof Counts) => list.reduce((total, { counts }) => total + counts[field], 0);
  return {
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
  };
}

/** The day of a moment as the platform's own calendar writes it. */
function dayIn(zone: string, time: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(time * 1000);
}

describe('the rows of a view', () => {
  it('add up to all selected usage, whatever the view, the grouping and the time zone', () => {
    fc.assert(
      fc.property(usages, queries, (list, chosen) => {
        const rows = usageRows(bucketsOf(list), query(chosen));
        const selected = list.filter(({ platform }) => {
          return chosen.platforms.length === 0 || chosen.platforms.includes(PLATFORMS[platform]!);
        });
        const sum = sumRows(rows);
        expect(sum.counts).to.deep.equal(sumOf(selected));
        expect(sum.messages).to.equal(selected.length);
        for (const row of rows) {
          for (const field of COUNT_FIELDS) {
            const ofModels = [...row.models.values()].reduce((total, counts) => total + counts[field], 0);
            expect(ofModels).to.equal(row.counts[field]);
          }
        }
      }),
    );
  });

  it('are those of the local days, and of their weeks and months', () => {
    fc.assert(
      fc.property(usages, fc.constantFrom(...ZONES), (list, zone) => {
        const buckets = bucketsOf(list);
        const asked = { zone: openTimeZone(zone, LINUX) };
        expect(byPeriod(usageRows(buckets, query(asked)))).to.deep.equal(
          naiveRows(list, ({ time }) => dayIn(zone, time)),
        );
        expect(byPeriod(usageRows(buckets, query({ ...asked, view: 'monthly' })))).to.deep.equal(
          naiveRows(list, ({ time }) => dayIn(zone, time).slice(0, 7)),
        );
        expect(byPeriod(usageRows(buckets, query({ ...asked, view: 'weekly' })))).to.deep.equal(
          naiveRows(list, ({ time }) => mondayOf(dayIn(zone, time))),
        );
        expect(byPeriod(usageRows(buckets, query({ view: 'session', platforms: ['pi'] })))).to.deep.equal(
          naiveRows(
            list.filter(({ platform }) => platform === 2),
            ({ session }) => session ?? UNKNOWN,
          ),
        );
      }),
    );
  });

  it('are of the days from --since to --until, both included', () => {
    fc.assert(
      fc.property(usages, fc.constantFrom(...ZONES), (list, zone) => {
        const [since, until] = ['2026-03-29', '2026-03-31'];
        const asked = query({ since, until, zone: openTimeZone(zone, LINUX) });
        const within = list.filter(({ time }) => dayIn(zone, time) >= since && dayIn(zone, time) <= until);
        expect(sumRows(usageRows(bucketsOf(list), asked)).counts).to.deep.equal(sumOf(within));
      }),
    );
  });

  it('are windows of five hours from the full hour of the first use, by platform', () => {
    const list = [at('08:59:59', 0), at('12:59:59', 0), at('13:00:00', 0), at('23:50:00', 0), at('10:30:00', 1)];
    const rows = usageRows(bucketsOf(list), query({ view: 'blocks' }));
    const shown = rows.map(({ period, platform, messages }) => {
      return `${new Date(Number(period) * 1000).toISOString().slice(11, 16)} ${platform} ${messages}`;
    });
    expect(shown).to.deep.equal(['08:00 claude-code 2', '10:00 codex 1', '13:00 claude-code 1', '23:00 claude-code 1']);
  });

  it('are in order of time; parts of a period with most tokens first', () => {
    fc.assert(
      fc.property(usages, queries, (list, chosen) => {
        const rows = usageRows(bucketsOf(list), query(chosen));
        for (const [index, row] of rows.entries()) {
          const before = rows[index - 1];
          if (before === undefined) continue;
          if (isSame(before, row, chosen)) expect(totalOf(before.counts)).to.be.at.least(totalOf(row.counts));
          else if (chosen.view === 'session') expect(lastOf(rows, before)).to.be.at.most(lastOf(rows, row));
          else expect(before.period <= row.period).to.equal(true);
        }
      }),
    );
  });
});

/** A usage of one token at a time of 1 May 2026, of a platform by number. */
function at(time: string, platform: number): Usage {
  const counts = { input: 1, output: 0, cache_read: 0, cache_write: 0 };
  return {
    platform,
    time: Date.parse(`2026-05-01T${time}Z`) / 1000,
    counts,
    model: null,
    project: null,
    session: null,
  };
}

/** Whether two rows are parts of one: a session and a block are of one platform. */
function isSame(one: UsageRow, other: UsageRow, { view }: Pick<RowQuery, 'view'>): boolean {
  return one.period === other.period && (!hasOnePlatform(view) || one.platform === other.platform);
}

function lastOf(rows: readonly UsageRow[], session: UsageRow): number {
  return Math.max(...rows.filter((row) => isSame(row, session, { view: 'session' })).map(({ last }) => last));
}

function byPeriod(rows: readonly UsageRow[]): object {
  return Object.fromEntries(rows.map(({ period, counts }) => [period, { ...counts }]));
}

function naiveRows(list: readonly Usage[], periodOf: (usage: Usage) => string): object {
  const periods = new Set(list.map(periodOf));
  return Object.fromEntries(
    [...periods].map((period) => [period, sumOf(list.filter((each) => periodOf(each) === period))]),
  );
}

function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
