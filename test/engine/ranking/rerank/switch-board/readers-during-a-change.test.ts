import { expect } from 'chai';
import { byWindow, WINDOWS, type Window } from '../../../../../engine/contract/index.ts';
import type { ImportedOperator, Profile } from '../../../../../engine/ranking/index.ts';
import { entriesOn } from '../../../../support/board-entries.ts';
import { importedOperator } from '../../../../support/imported-operator.ts';
import { inlineJobs } from '../../../../support/inline-jobs.ts';
import { committerOf, submitBatch } from '../../../../support/open-engine.ts';
import { openRankingWorld } from '../../../../support/ranking-world.ts';
import { rethrow } from '../../../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../../../support/seeded-random.ts';
import { useFixture } from '../../../../support/use-fixture.ts';

/** Operators whose usage never changes: half have too few tokens for methodology 2. */
const STILL = 100;
/** Operators that submit continuously. */
const BUSY = 8;

type Line = readonly [codename: string, rank: number, yield_: number];
type Board = Readonly<Record<Window, readonly Line[]>>;

/** Whether an operator has too few tokens for methodology 2. */
function isSmall(codename: string): boolean {
  return codename.startsWith('small-');
}

/** Checks the ranks against the Yields of the same read, and the ranked operators against the methodology. */
function expectConsistent(lines: readonly Line[], methodology: number): void {
  for (const [, rank, yield_] of lines) expect(rank).to.equal(1 + lines.filter(([, , other]) => other > yield_).length);
  const small = lines.filter(([codename]) => isSmall(codename)).length;
  const large = lines.filter(([codename]) => codename.startsWith('large-')).length;
  expect([small, large]).to.deep.equal([methodology === 1 ? STILL / 2 : 0, STILL / 2]);
}

describe('readers during a change of the methodology', () => {
  const random = seededRandom(runSeed());
  const world = useFixture(openRankingWorld);

  const busy: number[] = [];
  const boards = new Map<number, { methodology: number; board: Board }>();
  const profiles: Profile[] = [];

  before(async () => {
    await world().ranking.operators.import(Array.from({ length: STILL }, (_, index) => still(index)));
    for (let index = 0; index < BUSY; index++) busy.push(await world().enrol(`busy-${index}`));
    await world().ranking.rebuildBoard();
  });
  const committer = useFixture(() => committerOf(world().ranking));
  const reader = useFixture(() => world().ranking.openBoardReader(rethrow));

  function still(index: number): ImportedOperator {
    const scale = index % 2 === 0 ? 1 : 10_000;
    const count = (): number => scale * random.integer(1, 100);
    const counts = { input: count(), output: count(), cache_read: count(), cache_write: 0 };
    return importedOperator(`${index % 2 === 0 ? 'small' : 'large'}-${index}`, world().now, counts);
  }

  /** Reads and stores all windows of one version; a version that was read before must be the same. */
  async function readBoard(): Promise<void> {
    const { version, methodology, board } = await reader().withBoardView(async (view) => {
      const windows = await Promise.all(WINDOWS.map((window) => entriesOn(view, window, 0, STILL + BUSY)));
      const lines = windows.map((entries) => entries.map((one): Line => [one.codename, one.rank, one.yield_]));
      const read: Board = byWindow((window) => lines[window]!);
      return { version: view.view.version, methodology: view.methodology.id, board: read };
    });
    const known = boards.get(version);
    if (known !== undefined) expect({ methodology, board }).to.deep.equal(known);
    boards.set(version, { methodology, board });
    const { version: current, methodology: currentMethodology, topEntries } = reader().view();
    for (const { codename } of topEntries['90d'])
      expect(currentMethodology === 2 && isSmall(codename), `${codename} in ${current}`).to.equal(false);
  }

  /** Reads boards and profiles until the end. */
  async function poll(until: { over: boolean }): Promise<void> {
    while (!until.over) {
      await reader().refresh();
      await readBoard();
      const chosen = Array.from({ length: 10 }, () => random.integer(0, STILL - 1));
      for (const index of chosen) {
        profiles.push((await reader().profile(`${index % 2 === 0 ? 'small' : 'large'}-${index}`))!);
      }
    }
  }

  /** Submits and commits until the end. */
  async function live(until: { over: boolean }): Promise<void> {
    for (let made = 0; !until.over; made++) {
      const entries = [0, 1].map(() => {
        const usage = { input: 10_000, output: 20_000 * (made + 1), cache_read: random.integer(1, 1_000_000) };
        return world().entry(random.pick(busy), usage);
      });
      await submitBatch(world().ranking, entries);
      await committer().tick();
      world().now += 1_000;
    }
  }

  /** Waits until the reader has a board of the methodology: a refresh that started earlier may miss it. */
  async function waitFor(methodology: number): Promise<void> {
    while (reader().view().methodology !== methodology) await reader().refresh();
  }

  async function change(until: { over: boolean }): Promise<void> {
    const engine = world().another({ rangeOperators: 10 });
    const jobs = inlineJobs();
    await engine.rerank.start({ kind: 'activate', methodology: 2 });
    await engine.rerank.supervise(jobs);
    await jobs.work(engine);
    await waitFor(2);
    await readBoard();
    expect(await engine.rerank.rollBack()).to.include({ kind: 'rolled_back', to: 1 });
    await waitFor(1);
    await readBoard();
    until.over = true;
  }

  it(`always read one consistent version (seed ${random.seed})`, async () => {
    const until = { over: false };
    await Promise.all([poll(until), live(until), change(until)]);
    const versions = [...boards.keys()].sort((one, other) => one - other);
    const made = versions.map((version) => boards.get(version)!.methodology);
    expect(made.filter((methodology, index) => index > 0 && methodology !== made[index - 1])).to.deep.equal([2, 1]);
    expect(versions.length, 'versions read').to.be.greaterThan(4);
    for (const { methodology, board } of boards.values()) {
      for (const window of WINDOWS) expectConsistent(board[window], methodology);
    }
    let compared = 0;
    for (const profile of profiles) compared += Number(matches(profile));
    expect(compared, 'profiles of versions read').to.be.greaterThan(10);
  });

  /** Whether the profile's version was read; its ranks must then equal those of that version. */
  function matches(profile: Profile): boolean {
    const version = boards.get(profile.board_version);
    if (version === undefined) return false;
    expect(profile.methodology).to.equal(version.methodology);
    for (const window of WINDOWS) {
      const line = version.board[window].find(([codename]) => codename === profile.codename);
      expect(profile.windows[window].rank, `${profile.codename} in ${window}`).to.equal(line?.[1] ?? null);
    }
    return true;
  }
});
