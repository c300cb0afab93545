import { expect } from 'chai';
import { DAY_MS, MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import { OperatorProfile, SubmissionResult, WINDOWS } from '../../engine/contract/index.ts';
import { countNumbers } from '../../engine/contract/signing/index.ts';
import { EXCLUDING, type Reference, RULE_SETS, rulesIn } from '../../engine/integrity/index.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { eventually } from '../support/eventually.ts';
import { PRESENT } from '../support/histories/history.ts';
import {
  copyAccounts,
  crudeAccounts,
  daysWithUse,
  honestAccounts,
  knowingAccounts,
  type TrialAccount,
} from '../support/histories/trial-accounts.ts';
import { inlineJobs } from '../support/inline-jobs.ts';
import { runsOf } from '../support/long-run.ts';
import { naiveIntegrity } from '../support/naive-integrity.ts';
import { type NaiveSnapshot, naiveUsage, receivedAt } from '../support/naive-usage.ts';
import { addRules, removeRules } from '../support/other-bounds.ts';
import { runSeed } from '../support/seeded-random.ts';
import { openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

const SEED = runSeed();
const HONEST = runsOf(30, 520);
/** As many know no rule as know all of them. */
const FORGED = runsOf(4, 120);
const COPIES = runsOf(2, 40);
/** Of fewer rows, shares differ by chance. */
const MANY_ROWS = 100;
/** All profiles are read on one day of so many. */
const LOOK_EVERY = runsOf(2, 1);
/** Simulated days of a trial. */
const TRIALS = [10, 40].slice(0, runsOf(1, 2));
/** Rows of a platform of which it has quantiles of its own. */
const MIN_ROWS = 20;
const AT_ONCE = 48;
/** Days with use after which a share of the honest is numbered; 0: with the first submission. */
const NUMBERED = new Map([
  [0, 0.7],
  [5, 0.82],
  [10, 0.95],
  [20, 0.98],
]);
const [FIRST_RULES, OWN] = [METHODOLOGIES.get(FIRST_METHODOLOGY)!, 910];
const OWN_METHODOLOGY = { ...FIRST_RULES, id: OWN, rules: OWN };
/** The model knows the floors by the number of a methodology. */
const MODELLED = { ...OWN_METHODOLOGY, id: FIRST_METHODOLOGY };
/** Habits that may look odd, by the beginning of the names of their kinds. */
const RARE = {
  CI: /^(ci|scheduled|batch)/,
  fleets: /^(swarm|sub-agents|many-machines|hackathon|hourly-heavy)/,
  'long contexts': /^(long-context|cache-heavy|thrifty)/,
  'long answers': /^(verbose|chat)/,
  'weeks offline': /^(offline|long-holiday|weekly|monthly|years|heavy-years)/,
  backups: /^(machine-reset|new-ledger|repeated)/,
  recounts: /^recount/,
};

/** An account of the trial, and what was seen of it. */
interface Author extends TrialAccount {
  readonly codename: string;
  readonly operator: TestOperator;
  /** What was accepted, for the model, of so many that were sent. */
  readonly accepted: NaiveSnapshot[];
  sent: number;
  readonly refusals: Set<string>;
  /** Every rule that it ever crossed, with the first day. */
  readonly crossed: Map<string, number>;
  /** How its row of all time stood after days with use: numbered, held or excluded. */
  readonly after: Map<number, string>;
}

interface Row {
  readonly author: Author;
  readonly window: number;
  readonly yield_: number;
}

for (const days of TRIALS) {
  describe(`a trial of ${days} days over the API (seed ${SEED})`, function () {
    this.timeout(3_600_000);
    const test = useFixture(() => openTestApi({ methodology: FIRST_METHODOLOGY }));
    const authors: Author[] = [];
    const early: string[] = [];
    /** Numbered rows of those who know no rule beyond a percentile of all rows, and of the numbered ones. */
    const beyond = { p90: [0, 0], p99: [0, 0] };
    /** Numbered rows of all time at the last look, the best first. */
    let board: readonly Row[] = [];
    let reference: Reference;

    before(async () => {
      const honest = honestAccounts(SEED, HONEST, days);
      test().now = noonOf(0);
      await enrol(honest);
      await submit(0, 'honest');
      reference = await activateReference();
      await enrol([
        ...crudeAccounts(SEED, FORGED / 2, days),
        ...knowingAccounts(SEED, FORGED / 2, days, reference),
        ...copyAccounts(SEED, COPIES, honest),
      ]);
      for (let day = 0; day <= days; day++) {
        if (day > 0) await submit(day, 'honest');
        await submit(day, 'forged');
        // Integrity follows the reconciled log.
        test().now += 10 * MINUTE_MS;
        await test().ranking.reconcileLog(async (batch) => expect.fail(`${batch} has no verdict`));
        await test().ranking.maintainIntegrity(async () => undefined);
        await test().publish();
        if (day % LOOK_EVERY === 0) await look(day);
      }
      process.stdout.write(`\n${tableOf(await measured(false))}\n`);
    });
    after(() => removeRules(OWN_METHODOLOGY));

    const firstDay = Math.floor(PRESENT / DAY_MS) - days;
    const noonOf = (day: number): number => PRESENT - (days - day) * DAY_MS;

    async function enrol(accounts: readonly TrialAccount[]): Promise<void> {
      for (const account of accounts) {
        const codename = `author-${authors.length}`;
        const operator = await test().operator(codename);
        const seen = { accepted: [], sent: 0, refusals: new Set<string>(), crossed: new Map(), after: new Map() };
        authors.push({ ...account, codename, operator, ...seen });
      }
    }

    /** Sends what is due: the forged an hour after the honest. */
    async function submit(day: number, side: 'honest' | 'forged'): Promise<void> {
      test().now = noonOf(day) + (side === 'honest' ? 10 : 70) * MINUTE_MS;
      // Snapshots are applied at the hour of the board, which only a commit advances.
      await test().ranking.advanceHour();
      await test().publish();
      const waiting = authors.filter(({ role }) => (role === 'honest') === (side === 'honest'));
      const sender = async (): Promise<void> => {
        for (let author = waiting.pop(); author !== undefined; author = waiting.pop()) await sendDue(author);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      await test().publish();
    }

    async function sendDue(author: Author): Promise<void> {
      const due = author.submissions.slice(author.sent).filter(({ at }) => at <= test().now);
      const token = due.length === 0 ? null : await test().token(author.operator.operator);
      author.sent += due.length;
      for (const { counts, platform, stream: ledger, epoch, asOf } of due) {
        const header = { as_of: Math.floor(asOf / MS_PER_SECOND), stream: ledger, epoch };
        const body = test().snapshot(author.operator, { ...counts, platform }, header);
        // A busy service puts off, and a snapshot that is sent again counts once.
        const json = await eventually('a verdict', async () => {
          const response = await test().post('/api/v1/snapshots', token, body);
          return response.status < 500 && response.json;
        });
        const own = { ledger, platform, epoch, asOf, counts: countNumbers(counts) };
        // Some forgeries are refused at the door, with a problem.
        if (SubmissionResult.safeParse(json).data?.accepted) author.accepted.push(receivedAt(own, test().now));
        else author.refusals.add(JSON.stringify(json));
      }
    }

    /** As `integrity reference` prints it. */
    async function measured(all: boolean) {
      const { rows } = (await test().ranking.measureReference({ methodology: undefined, all }))!;
      return rows.map(({ platform, rows: count, measured: own }) => ({ platform, count, own }));
    }

    /** Makes the quantiles of the honest rows the rule set of a methodology, and activates it. */
    async function activateReference(): Promise<Reference> {
      const rows = (await measured(true)).filter(({ count }) => count >= MIN_ROWS);
      const platforms = Object.fromEntries(rows.slice(1).map(({ platform, own }) => [platform!, own!]));
      const own: Reference = { origin: 'The honest operators of a trial.', all: rows[0]!.own!, platforms };
      addRules({ ...RULE_SETS.get(FIRST_RULES.rules!)!, id: OWN, reference: own }, OWN_METHODOLOGY);
      const [jobs, { rerank }] = [inlineJobs(), test().ranking];
      await rerank.start({ kind: 'activate', methodology: OWN });
      await rerank.supervise(jobs);
      await jobs.work(test().ranking);
      await test().publish();
      expect((await rerank.status()).methodology).to.equal(OWN);
      return own;
    }

    /** Reads all profiles, and what operators are told of their rows. */
    async function look(day: number): Promise<void> {
      const waiting = authors.filter(({ sent }) => sent > 0);
      const [numbered, held]: [Row[], Row[]] = [[], []];
      const reader = async (): Promise<void> => {
        for (let author = waiting.pop(); author !== undefined; author = waiting.pop()) {
          const { json } = await test().get(`/api/v1/operators/${author.codename}`);
          const { windows } = OperatorProfile.parse(json);
          for (const [window, name] of WINDOWS.entries()) {
            const { rank, yield_, unranked } = windows![name];
            if (rank !== null) numbered.push({ author, window, yield_: yield_! });
            else if (unranked === 'held') held.push({ author, window, yield_: yield_! });
          }
          const { rank, unranked } = windows!.all_time;
          noteUse(author, rank === null ? unranked! : 'numbered');
          const { windows: explained } = (await test().ranking.operators.explain(author.codename))!;
          for (const rule of explained.flatMap(({ rules }) => rules))
            if (!author.crossed.has(rule)) author.crossed.set(rule, day);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, reader));
      noteEarly(day, numbered);
      board = numbered.filter(({ window }) => window === 0).sort((a, b) => b.yield_ - a.yield_);
      for (const window of WINDOWS.keys()) notePercentiles(day, window, numbered, held);
    }

    function noteUse(author: Author, standing: string): void {
      if (author.role !== 'honest' || !author.isDaily || !/^(numbered|held|excluded)$/.test(standing)) return;
      const used = daysWithUse(author, test().now).length;
      for (const count of NUMBERED.keys())
        if (used >= count && !author.after.has(count)) author.after.set(count, standing);
    }

    /** By the model: days that vouch, and those that the Yield needs. What needs acceptance has none. */
    function noteEarly(day: number, numbered: readonly Row[]): void {
      const now = test().now;
      const models = new Map(
        [...new Set(numbered.map(({ author }) => author))].map((author) => {
          const { accepted } = author;
          return [author, naiveIntegrity(accepted, naiveUsage(accepted, now), now, MODELLED)];
        }),
      );
      for (const { author, window, yield_ } of numbered) {
        const { vouching, need } = models.get(author)![window]!;
        if (vouching < need || need === 30)
          early.push(`${author.kind}: ${yield_} on day ${day}, with ${vouching} of ${need} days`);
      }
    }

    function notePercentiles(day: number, window: number, numbered: readonly Row[], held: readonly Row[]): void {
      const ofWindow = (rows: readonly Row[]): Row[] => rows.filter((row) => row.window === window);
      const all = ofWindow([...numbered, ...held]);
      const unknowing = ofWindow(numbered).filter(({ author }) => author.role === 'crude' || author.role === 'copy');
      for (const [name, share, within] of [
        ['p90', 0.9, 6],
        ['p99', 0.99, 10],
      ] as const) {
        const young = unknowing.filter(({ author }) => day - startOf(author) < within);
        const limits = [all, ofWindow(numbered)].map((rows) => nearestRank(rows, share));
        for (const [index, limit] of limits.entries())
          beyond[name][index]! += young.filter(({ yield_ }) => yield_ > limit).length;
      }
    }

    const of = (role: Author['role']): Author[] => authors.filter((author) => author.role === role);
    /** The day of its first snapshot. */
    const startOf = ({ accepted }: Author): number => accepted[0]!.receipt!.day - firstDay;
    const heldByFinding = (among: readonly Author[]): Author[] => among.filter(({ crossed }) => crossed.size > 0);
    const caught = (): Author[] =>
      of('copy').filter((author) => author.crossed.get('identical-series')! <= startOf(author) + 10);

    /** How honest rows above the floors stood after days with use. */
    function numberedAfter(count: number) {
      const rows = of('honest').flatMap(({ after: standings }) => standings.get(count) ?? []);
      const share = rows.filter((standing) => standing === 'numbered').length / rows.length;
      return { count, share, rows: rows.length };
    }

    function tableOf(settled: Awaited<ReturnType<typeof measured>>): string {
      const roles = ['honest', 'crude', 'knowing', 'copy'] as const;
      const table = {
        accounts: roles.map((role) => `${of(role).length} ${role}`),
        snapshots: authors.reduce((sum, { sent }) => sum + sent, 0),
        'the reference of all rows': reference.all,
        'that of settled rows at the end': settled[0],
        'numbered too early': early.length,
        'no rule known, above the 90th percentile of all, of numbered rows within 6 days': beyond.p90,
        'no rule known, above the 99th within 10 days': beyond.p99,
        'the first 25': roles.map((role) => board.slice(0, 25).filter(({ author }) => author.role === role).length),
        'copies held within 10 days': caught().length,
        'copies that were not': of('copy').flatMap((one) => (caught().includes(one) ? [] : one.kind)),
        'honest numbered after days with use': [...NUMBERED.keys()].map(numberedAfter),
        'honest held by a finding': heldByFinding(of('honest')).map(({ kind }) => kind),
        'of rare habits': Object.entries(RARE).map(([habit, kinds]) => {
          const among = of('honest').filter(({ kind }) => kinds.test(kind));
          return `${habit} ${heldByFinding(among).length} of ${among.length}`;
        }),
      };
      return Object.entries(table)
        .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`)
        .join('');
    }

    it('refuse no honest snapshot', () => {
      for (const { kind, refusals } of of('honest')) expect([...refusals], kind).to.deep.equal([]);
    });

    it('number no row before the days that its Yield needs, and none beyond what needs acceptance', () => {
      expect(early).to.deep.equal([]);
    });

    it('number nobody who knows no rule above the 90th percentile within six days, or the 99th within ten', () => {
      if (HONEST >= MANY_ROWS) expect([beyond.p90[0], beyond.p99[0]]).to.deep.equal([0, 0]);
    });

    it('hold exact copies within ten days, and none that was copied', () => {
      expect(caught().length).to.be.at.least(0.95 * of('copy').length);
      for (const { victim } of of('copy')) {
        const own = authors.find(({ submissions }) => submissions === victim!.submissions)!;
        expect([...own.crossed.keys()], own.kind).to.deep.equal([]);
      }
    });

    it('number the honest after a few days with use', () => {
      for (const [count, least] of NUMBERED) {
        const { share, rows } = numberedAfter(count);
        if (rows === 0) continue;
        const chance = rows < MANY_ROWS ? 3 * Math.sqrt((least * (1 - least)) / rows) : 0;
        expect(share, `after ${count} days with use, ${rows} rows`).to.be.at.least(least - chance);
      }
    });

    it('hold by a finding no more of the honest than rarely, whatever their habits', () => {
      const excluding = new Set(rulesIn(EXCLUDING).map(({ name }) => name));
      const excluded = of('honest').filter(({ crossed }) => [...crossed.keys()].some((rule) => excluding.has(rule)));
      expect(excluded.map(({ kind }) => kind)).to.deep.equal([]);
      expect(heldByFinding(of('honest')).length).to.be.at.most(0.002 * HONEST);
      for (const [habit, kinds] of Object.entries(RARE)) {
        const among = of('honest').filter(({ kind }) => kinds.test(kind));
        expect(heldByFinding(among).length, habit).to.be.at.most(0.05 * among.length);
      }
    });
  });
}

/** The Yield that the share of rows does not exceed. */
function nearestRank(rows: readonly Row[], share: number): number {
  const sorted = rows.map(({ yield_ }) => yield_).sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.POSITIVE_INFINITY;
}
