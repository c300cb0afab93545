import { expect } from 'chai';
import * as z from 'zod';
import { DAY_MS, HOUR_MS, MS_PER_SECOND } from '../../config/units.ts';
import { LeaderboardResponse, OperatorProfile, WINDOWS } from '../../engine/contract/index.ts';
import { MAX_SNAPSHOT_AGE_MS } from '../../engine/contract/signing/index.ts';
import { EXCLUDING, RULE_SETS, rulesIn } from '../../engine/integrity/index.ts';
import { FIRST_METHODOLOGY, METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { forgedHistories } from '../support/histories/forged.ts';
import { type History, isRefused, PRESENT, type Submission } from '../support/histories/history.ts';
import { honestHistories } from '../support/histories/honest.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

const SEED = runSeed();
/** Forgeries that arithmetic and physics forbid, those with the fewest submissions: how many these are depends on the seed. */
const BEYOND = runsOf(30, Number.POSITIVE_INFINITY);
/** Forgeries that they allow, and how many submissions one has at most. */
const OTHERS = runsOf(4, Number.POSITIVE_INFINITY);
const MOST_SUBMISSIONS = runsOf(100, Number.POSITIVE_INFINITY);
const HONEST = runsOf(4, 500);
const LAST_STEPS = runsOf(2, 24 * 7);
/** What happens between two of these days before the present is submitted at the end of that time. */
const STEPS = [
  125,
  91,
  60,
  31,
  29,
  15,
  8,
  ...Array.from({ length: LAST_STEPS }, (_, index) => 7 - (index * 7) / LAST_STEPS),
  0,
];
/** Versions in which the submissions of a step come to the board. */
const PARTS = runsOf(1, 2);
const AT_ONCE = 48;
const START = PRESENT - 130 * DAY_MS;

const PROBLEM = z.object({ code: z.string() });
const RESULT = z.object({ accepted: z.boolean(), reason: z.string().nullish() });

/** An operator with a history, and what was seen of it. */
interface Author {
  readonly history: History;
  readonly operator: TestOperator;
  token: string;
  /** Days of receipt of what was sent so far. */
  readonly days: Set<number>;
  /** Codes of refusals. */
  readonly refusals: Set<string>;
  /** Windows in which it is ranked. */
  ranked: readonly string[];
  /** How its row of all time stands: why it is not ranked, or null. */
  unranked: string | null;
  /** What it was ranked with although too few days of receipt had passed. */
  readonly early: string[];
  /** Rules that its rows or its profile ever showed. */
  readonly flags: Set<string>;
}

const REFERENCE = RULE_SETS.get(METHODOLOGIES.get(FIRST_METHODOLOGY)!.rules!)!.reference!;

/** The days of receipt that a Yield of a platform needs at least. */
function daysFor(yield_: number, platform: string): number {
  const { p75, p90, p99 } = REFERENCE.platforms[platform] ?? REFERENCE.all;
  if (yield_ > 3 * p99) return Infinity;
  if (yield_ > p99) return 14;
  if (yield_ > p90) return 7;
  return yield_ > p75 ? 3 : 0;
}

describe('histories through the API', function () {
  this.timeout(3_600_000);
  const test = useFixture(() => openTestApi({ methodology: FIRST_METHODOLOGY }));
  const authors = new Map<string, Author>();
  const versions = new Set<number>();

  before(async () => {
    test().now = START;
    const random = seededRandom(SEED);
    const forged = forgedHistories(SEED).toSorted((a, b) => a.submissions.length - b.submissions.length);
    const beyond = forged.filter((history) => history.beyond !== null).slice(0, BEYOND);
    const allowed = forged.filter(
      ({ beyond: rule, submissions }) => rule === null && submissions.length <= MOST_SUBMISSIONS,
    );
    const others = random.shuffled(allowed).slice(0, OTHERS);
    // A copy is one only where what it copies was submitted, too.
    const copied = others.flatMap(({ original }) => original ?? []);
    for (const [index, history] of [...beyond, ...others, ...copied, ...honestHistories(SEED, HONEST)].entries()) {
      const codename = `author-${index}`;
      const operator = await test().operator(codename);
      const seen = { refusals: new Set<string>(), ranked: [], unranked: null, early: [], flags: new Set<string>() };
      authors.set(codename, { history, operator, token: operator.token, days: new Set(), ...seen });
    }
    for (const [index, daysAgo] of STEPS.entries()) await step(index === 0 ? START : test().now, daysAgo);
    await test().ranking.maintainIntegrity(async () => undefined);
    await test().publish();
    await look();
  });

  async function step(from: number, daysAgo: number): Promise<void> {
    // The last submissions of a history are some minutes after the present.
    test().now = PRESENT - daysAgo * DAY_MS + (daysAgo === 0 ? HOUR_MS : 0);
    await test().ranking.advanceHour();
    const due = [...authors.values()].flatMap((author) =>
      author.history.submissions
        .filter(({ at, asOf }) => at > from && at <= test().now && asOf > test().now - MAX_SNAPSHOT_AGE_MS)
        .map((submission) => ({ author, submission })),
    );
    for (const author of new Set(due.map((each) => each.author))) {
      author.token = await test().token(author.operator.operator);
    }
    for (let part = 0; part < PARTS; part++) {
      const waiting = due.filter((_, index) => index % PARTS === part);
      const sender = async (): Promise<void> => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
          await send(next.author, next.submission);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      await test().publish();
      await look();
    }
  }

  async function send({ operator, token, refusals, days }: Author, submission: Submission): Promise<void> {
    const { counts, platform, stream, epoch, asOf } = submission;
    const header = { as_of: Math.floor(asOf / MS_PER_SECOND), stream, epoch };
    const { status, json } = await test().post(
      '/api/v1/snapshots',
      token,
      test().snapshot(operator, { ...counts, platform }, header),
    );
    days.add(Math.floor(test().now / DAY_MS));
    if (status !== 200) refusals.add(PROBLEM.parse(json).code);
    else if (!RESULT.parse(json).accepted) refusals.add(String(RESULT.parse(json).reason));
  }

  /** Reads all boards and profiles. */
  async function look(): Promise<void> {
    const shown = new Map<string, readonly string[]>();
    for (const window of WINDOWS) {
      const { json } = await test().get(`/api/v1/leaderboard?window=${window}&limit=100`);
      const board = LeaderboardResponse.parse(json);
      versions.add(board.board_version!);
      for (const { codename, integrity } of board.entries!) {
        shown.set(`${codename} ${window}`, integrity!.flags);
      }
    }
    for (const [codename, author] of authors) {
      const { windows, platform } = OperatorProfile.parse((await test().get(`/api/v1/operators/${codename}`)).json);
      author.ranked = WINDOWS.filter((window) => windows![window].rank !== null);
      for (const window of WINDOWS) {
        const { rank, integrity } = windows![window];
        for (const flag of integrity!.flags) author.flags.add(flag);
        // Of equals, the last entry of a response may be one of several.
        if (rank === 100) continue;
        const entry = shown.get(`${codename} ${window}`);
        expect(entry, `${codename} in ${window}`).to.deep.equal((rank ?? 101) < 100 ? integrity!.flags : undefined);
      }
      const { rank, yield_, unranked } = windows!.all_time;
      author.unranked = unranked ?? null;
      if (rank !== null && daysFor(yield_!, platform!) > author.days.size)
        author.early.push(`${yield_} after ${author.days.size} days`);
    }
  }

  const those = (accept: (history: History) => boolean): Author[] =>
    [...authors.values()].filter(({ history }) => accept(history));

  it(`are looked at in many versions of the board (seed ${SEED})`, () => {
    expect(versions.size).to.be.at.least(STEPS.length);
  });

  it(`number none above a percentile before the days of receipt that it needs (seed ${SEED})`, () => {
    expect(those((history) => history.beyond !== null).length).to.be.at.least(30);
    for (const { history, early } of authors.values()) expect(early, history.kind).to.deep.equal([]);
    const numbered = those(({ honest }) => !honest).filter(({ ranked }) => ranked.length > 0).length;
    process.stdout.write(
      `\n  forgeries that are numbered: ${numbered} of ${those(({ honest }) => !honest).length}\n\n`,
    );
  });

  it('refuse fractions at the door', () => {
    const refused = those(isRefused);
    expect(refused.length).to.be.at.least(1);
    for (const { refusals } of refused) expect([...refusals]).to.deep.equal(['count_fractional']);
    const others = those((history) => !isRefused(history)).flatMap(({ refusals }) => [...refusals]);
    expect(others).to.deep.equal([]);
  });

  it(`exclude no honest ones, and number or hold them (seed ${SEED})`, () => {
    const honest = those((history) => history.honest);
    const excluding = new Set(rulesIn(EXCLUDING).map(({ name }) => name));
    for (const { history, flags } of honest)
      expect(
        [...flags].filter((flag) => excluding.has(flag)),
        history.kind,
      ).to.deep.equal([]);
    const standing = honest.filter(({ unranked }) => unranked === null || unranked === 'held');
    expect(standing.length).to.be.at.least(Math.floor(HONEST * 0.8));
  });
});
