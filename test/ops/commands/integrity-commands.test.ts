import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportMember } from '../../../api/members/export-member.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { type Accounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { RULE_SETS } from '../../../engine/integrity/index.ts';
import { MIGRATIONS, migrate } from '../../../engine/mongo/index.ts';
import { receiptKey } from '../../../engine/ranking/core/operator-state/index.ts';
import { type ImportedUsage, type Ranking } from '../../../engine/ranking/index.ts';
import { openDatabase } from '../../support/engines.ts';
import { openEngine } from '../../support/open-engine.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { NOW, run } from './run.ts';

const clock = (): number => NOW;

type Growth = Readonly<Record<'input' | 'output' | 'cache_read', number>>;

/** Beyond 3 times the 99th percentile of codex: a Yield of 250. */
const TALL: Growth = { input: 10_000, output: 50_000, cache_read: 500_000 };
/** More output, for each input, than responses have. */
const ABSURD: Growth = { input: 20_000, output: 4e12, cache_read: 2e10 };
/** Below the 75th percentile of codex. */
const PLAIN: Growth = { input: 200_000, output: 20_000, cache_read: 900_000 };

/** A history of days that grow alike; of each day one snapshot at noon, up to now. */
function history(growth: Growth, days: number, platform = 'codex'): ImportedUsage[] {
  return Array.from({ length: days }, (_, index) => {
    const asOf = NOW - (days - 1 - index) * DAY_MS;
    const times = index + 1;
    const { input, output, cache_read } = growth;
    const counts = { input: input * times, output: output * times, cache_read: cache_read * times, cache_write: 0 };
    return { asOf, ledger: 'ledger-one', platform, epoch: 0, counts, receipt: receiptKey(asOf, asOf / HOUR_MS) };
  });
}

interface PrintedRow {
  readonly platform: string | null;
  readonly measured: Readonly<Record<string, number>> | null;
}

const rowOf = ({ rows }: { readonly rows: readonly PrintedRow[] }, platform: string | null) =>
  rows.find((row) => row.platform === platform);

describe('integrity', () => {
  const database = useFreshFixture(openDatabase);
  const folder = useSuiteFolder();
  let accounts: Accounts;
  let ranking: Ranking;

  beforeEach(async () => {
    await migrate(database().connection, { migrations: MIGRATIONS, clock });
    ({ accounts, ranking } = openEngine(database().connection, clock));
    await Promise.all([accounts.ensureIndexes(), ranking.ensureIndexes()]);
    await ranking.ensureBoard();
  });

  async function enrol(codename: string, usage: readonly ImportedUsage[]): Promise<number> {
    const operator = await ranking.operators.import([{ codename, displayName: null, usage }]);
    await accounts.create({ operator });
    return operator;
  }

  const json = async (...args: readonly string[]) => {
    const { status, out, err } = await run(database(), ['integrity', ...args, '--json']);
    expect(status, err).to.equal(0);
    return JSON.parse(out);
  };
  const failed = async (...args: readonly string[]): Promise<string> => {
    const { status, err } = await run(database(), ['integrity', ...args]);
    expect(status).to.equal(1);
    return err;
  };
  const accept = ['--reason', 'The logs were looked at.'] as const;
  const rowsOf = async (codename: string) =>
    Object.fromEntries((await ranking.operators.explain(codename))!.windows.map(({ window, row }) => [window, row]));

  describe('explain', () => {
    it('prints the same for a codename and for its exported data, also of what waits for an acceptance', async () => {
      const billing = createBilling({ connection: database().connection, clock });
      const reads = { input: 2_000, output: 1_000, cache_read: 8e9 };
      const rows = [
        ['absurd-row', history(ABSURD, 1), ['no-input', 'output-beyond-response']],
        ['reading-row', history(reads, 1), ['reads-beyond-context']],
        ['tall-row', history(TALL, 40), ['extraordinary-yield']],
        ['plain-row', history(PLAIN, 2), []],
      ] as const;
      for (const [codename, usage, rules] of rows) {
        const operator = await enrol(codename, usage);
        const found = await json('explain', codename);
        expect([...new Set(found.evidence.map(({ rule }: { rule: string }) => rule))]).to.have.members([...rules]);
        const file = join(folder(), `${codename}.json`);
        const { chunks } = (await exportMember({ accounts, billing, ranking, clock }, operator))!;
        await writeFile(file, chunks);
        expect((await json('explain', file)).evidence).to.deep.equal(found.evidence);
        const text = (await run(database(), ['integrity', 'explain', file])).out;
        expect(text).to.include(rules.length === 0 ? 'no rule is crossed' : `${rules[0]} (`);
      }
    });

    it('refuses files that are no export, and unknown codenames', async () => {
      const file = join(folder(), 'other.json');
      await writeFile(file, '{"operator": 1}');
      expect(await failed('explain', file)).to.include('not an operator');
      expect(await failed('explain', join(folder(), 'none.json'))).to.include('cannot be read');
      expect(await failed('explain', 'unknown-name')).to.include('there is no operator');
    });
  });

  describe('accept', () => {
    it('settles what waits for it, up to twice the Yield, once, and later reviews keep it', async () => {
      const operator = await enrol('tall-row', history(TALL, 40));
      expect(new Set(Object.values(await rowsOf('tall-row')))).to.deep.equal(new Set(['held']));
      const { yield: accepted, ...done } = await json('accept', 'tall-row', ...accept);
      expect(accepted).to.be.closeTo(250, 1e-9);
      expect(done).to.deep.include({ changed: true, accepted: 2 * accepted });
      expect(done.windows).to.include('all_time');
      expect(new Set(Object.values(await rowsOf('tall-row')))).to.deep.equal(new Set(['settled']));
      const [found] = await accounts.cases.ofOperator(operator);
      expect(found).to.include({ rule: 'extraordinary-yield', state: 'void' });
      expect(found?.decisions.map(({ by, action, covers }) => ({ by, action, covers }))).to.deep.equal([
        { by: 0, action: 'void', covers: [2 * accepted] },
      ]);
      expect((await accounts.audit.list(operator, 5)).map(({ kind }) => kind)).to.include('integrity_decided');
      expect(await json('accept', 'tall-row', ...accept)).to.deep.include({ changed: false, accepted: 2 * accepted });
      expect((await accounts.cases.find(found!._id))?.decisions).to.have.length(1);
      await accounts.cases.settle(ranking.operators.applyReview);
      expect((await ranking.operators.explain('tall-row'))?.accepted).to.equal(2 * accepted);
    });

    it('says what it accepted, and where', async () => {
      await enrol('tall-row', history(TALL, 40));
      const { out } = await run(database(), ['integrity', 'accept', 'tall-row', ...accept]);
      expect(out).to.match(/^Accepted the Yield of tall-row in .*all_time.*: 250, and up to 500\. /);
    });

    it('is wanted again beyond twice the Yield', async () => {
      const operator = await enrol('tall-row', history(TALL, 40));
      await ranking.operators.applyReview(operator, {
        excluded: false,
        cleared: [{ rule: 'extraordinary-yield', covers: [249] }],
      });
      expect(await json('accept', 'tall-row', ...accept)).to.include({ changed: true });
    });

    it('overrules no moderator, and leaves appeals to them', async () => {
      const operator = await enrol('tall-row', history(TALL, 40));
      const id = `${operator}/extraordinary-yield`;
      await accounts.cases.open([{ operator, rule: 'extraordinary-yield', severity: 'hold', boardVersion: 1 }]);
      expect(await accounts.cases.appeal((await accounts.cases.find(id))!, 'It is true.', '')).to.equal(true);
      expect(await failed('accept', 'tall-row', ...accept)).to.include('an appeal of tall-row waits');
      await ranking.operators.applyReview(operator, { excluded: true, cleared: [] });
      expect(await failed('accept', 'tall-row', ...accept)).to.include('is excluded by');
      expect((await accounts.cases.find(id))?.decisions).to.deep.equal([]);
    });

    it('refuses, and says why, what does not need it', async () => {
      await enrol('plain-row', history(PLAIN, 2));
      await enrol('early-row', history(TALL, 12));
      await enrol('absurd-row', history(ABSURD, 1));
      await enrol('empty-row', []);
      const suspended = await enrol('away-row', history(TALL, 40));
      await ranking.operators.amend(suspended, { suspended: true });
      const reasons = {
        'unknown-name': 'there is no operator',
        'plain-row': 'its rows are settled',
        'early-row': '12 of 30 witnessed days',
        'absurd-row': 'is excluded by no-input',
        'empty-row': 'no Yield in any window',
        'away-row': 'on no board',
      };
      for (const [codename, why] of Object.entries(reasons)) {
        expect(await failed('accept', codename, ...accept)).to.include(why);
      }
      expect(await failed('accept', 'early-row', '--reason', 'see www.example.com')).to.include('no links');
      expect(await accounts.cases.ofOperator(suspended)).to.deep.equal([]);
    });
  });

  describe('reference', () => {
    it('prints exact quantiles of settled rows with 14 witnessed days beside those of the rule set', async () => {
      for (let index = 1; index <= 40; index++) {
        const growth = { input: 100_000, output: 20_000 + 1_000 * index, cache_read: 400_000 };
        await enrol(`codex-row-${index}`, history(growth, 15));
      }
      await enrol('kimi-row', history(PLAIN, 15, 'kimi'));
      await enrol('young-row', history(PLAIN, 13));
      await enrol('tall-row', history(TALL, 40));
      const away = await enrol('away-row', history(PLAIN, 15));
      await ranking.operators.amend(away, { suspended: true });
      await ranking.operators.hide(await enrol('hidden-row', history(PLAIN, 15)), true);
      const found = await json('reference');
      const reference = RULE_SETS.get(2)!.reference!;
      expect(found).to.include({ rule_set: 2, methodology: 4 });
      const codex = rowOf(found, 'codex');
      expect(codex).to.deep.include({ rows: 40, too_few: false, reference: reference.platforms['codex'] });
      for (const [name, index] of Object.entries({ p75: 30, p90: 36, p99: 40 })) {
        expect(codex?.measured?.[name]).to.be.closeTo((4 * (20_000 + 1_000 * index)) / 100_000, 1e-9);
      }
      expect(rowOf(found, 'kimi')).to.deep.include({ rows: 1, too_few: true });
      expect(rowOf(found, 'amp')).to.deep.include({ rows: 0, measured: null, reference: reference.platforms['amp'] });
      expect(rowOf(found, null)).to.deep.include({ rows: 41, reference: reference.all });
      expect(rowOf(await json('reference', '--all'), null)).to.deep.include({ rows: 43 });
      expect(rowOf(await json('reference', '--methodology', '1'), 'codex')).to.deep.include({ rows: 41 });
    });

    it('prints a table, and how to make it the next rule set', async () => {
      await enrol('kimi-row', history(PLAIN, 15, 'kimi'));
      const { out } = await run(database(), ['integrity', 'reference']);
      expect(out).to.match(/^kimi +1 +0\.45 \[1\.2\] +0\.45 \[2\.5\] +0\.45 \[5\.7\] +too few: fewer than 30$/m);
      expect(out.trimEnd().split('\n').at(-1)).to.include('engine/integrity/rule-sets.ts');
    });

    it('refuses methodologies that do not exist', async () => {
      expect(await failed('reference', '--methodology', '999')).to.include('there is no methodology 999');
    });
  });
});
