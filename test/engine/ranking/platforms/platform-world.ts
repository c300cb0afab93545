import { MS_PER_SECOND } from '../../../../config/units.ts';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { PLATFORMS, type Platform } from '../../../../engine/contract/platforms.ts';
import type { BoardPage, BoardReader, Committer, Ranking } from '../../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { acknowledgedEntries } from '../../../faults/acknowledged-entries.ts';
import { inlineJobs } from '../../../support/inline-jobs.ts';
import { runsOf } from '../../../support/long-run.ts';
import { type NaiveWindow, naiveBoard } from '../../../support/naive-board.ts';
import type { NaiveAssertions, NaiveIntegrity } from '../../../support/naive-integrity.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import type { TestHeader, TestPayload } from '../../../support/signing.ts';

/** The platforms of this world; `other` has no board. */
export const USED = [...PLATFORMS.slice(0, runsOf(4, PLATFORMS.length)), 'other'] as const;

/** An engine with a committer and a reader, and the model of its platforms' boards. */
export interface PlatformWorld {
  readonly world: RankingWorld;
  readonly engine: Ranking;
  readonly reader: BoardReader;
  /** Codenames by number, of operators that are not erased. */
  readonly members: Map<number, string>;
  readonly unlisted: Set<number>;
  /** What records assert. */
  readonly asserted: Map<number, NaiveAssertions>;
  readonly enrol: (codename: string) => Promise<number>;
  /** Submits cumulative counts of a stream, without publishing them. */
  readonly submit: (operator: number, counts: Partial<TestPayload>, header?: Partial<TestHeader>) => Promise<void>;
  readonly publish: () => Promise<void>;
  readonly changeTo: (methodology: number) => Promise<void>;
  /** How an operator's counts of a platform stand in each window now. */
  readonly standing: (operator: number, platform: string) => readonly NaiveIntegrity[];
  /** The model's board of a platform now, by window. */
  readonly model: (platform: string) => NaiveWindow[];
  /** All rows of a platform's board. */
  readonly page: (platform: Platform, window?: number) => Promise<BoardPage>;
  readonly close: () => Promise<void>;
}

async function changeMethodology(engine: Ranking, methodology: number): Promise<void> {
  const jobs = inlineJobs();
  await engine.rerank.start({ kind: 'activate', methodology });
  await engine.rerank.supervise(jobs);
  await jobs.work(engine);
}

export async function openPlatformWorld(): Promise<PlatformWorld> {
  const world = await openRankingWorld();
  // Few operators in several ranges.
  const engine = world.another({ rangeOperators: 7 });
  const committer: Committer = engine.createCommitter(() => undefined, rethrow);
  const reader = await engine.openBoardReader(rethrow);
  const entries = acknowledgedEntries();
  const members = new Map<number, string>();
  const unlisted = new Set<number>();
  const asserted = new Map<number, NaiveAssertions>();
  const made: PlatformWorld = {
    world,
    engine,
    reader,
    members,
    unlisted,
    asserted,
    async enrol(codename) {
      const operator = await world.enrol(codename);
      members.set(operator, codename);
      return operator;
    },
    async submit(operator, counts, header = {}) {
      const iat = Math.floor(world.now / MS_PER_SECOND);
      const own = { iat, as_of: iat, stream: 'ledger-one', ...header };
      const entry = world.entry(operator, { platform: 'codex', ...counts }, own);
      const [outcome] = await engine.log.append([entry]);
      if (outcome?.kind !== 'stored') throw new Error('not stored');
      const { verdicts } = await engine.processBatch(outcome.batch, [entry]);
      if (verdicts[0]?.accepted !== true) throw new Error('not accepted');
      entries.add(entry);
    },
    async publish() {
      while (await committer.tick());
      await committer.close();
      await reader.refresh();
    },
    async changeTo(methodology) {
      await changeMethodology(engine, methodology);
      await reader.refresh();
    },
    standing(operator, platform) {
      const used = (of: string): number => entries.used(operator, world.now, of);
      const [main] = USED.toSorted((a, b) => used(b) - used(a) || (a < b ? -1 : 1));
      const { findings = [], waived = {} } = asserted.get(operator) ?? {};
      const own = { findings, waived: main === platform ? waived : { ...waived, 'extraordinary-yield': 0 } };
      return entries.integrity(operator, world.now, reader.view().methodology, own, platform);
    },
    model(platform) {
      const listed = [...members.keys()].filter((operator) => !unlisted.has(operator));
      const yields = listed.map((operator): [number, (number | null)[]] => [
        operator,
        made.standing(operator, platform).map((one) => one.yield_),
      ]);
      return naiveBoard(new Map(yields), WINDOWS.length, METHODOLOGIES.get(reader.view().methodology)!.tiers);
    },
    async page(platform, window = 0) {
      const request = { window: WINDOWS[window]!, limit: 10_000, start: { offset: 0 }, at: null, platform };
      const page = await reader.page(request);
      if (page.kind !== 'page') throw new Error(page.kind);
      return page;
    },
    async close() {
      await reader.close();
      await committer.close();
      await world.close();
    },
  };
  return made;
}
