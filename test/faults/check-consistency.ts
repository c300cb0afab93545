import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { WINDOWS } from '../../engine/contract/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import { decodeDirectories } from '../../engine/ranking/core/board/index.ts';
import type { BoardEntry, BoardReader, LogEntry, PageRow } from '../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { bytesOf } from '../../engine/ranking/storage/binary.ts';
import { entriesOn } from '../support/board-entries.ts';
import { runsOf } from '../support/long-run.ts';
import type { NaiveWindow } from '../support/naive-board.ts';
import { naiveIntegrity } from '../support/naive-integrity.ts';
import { naiveUsage, snapshotOf } from '../support/naive-usage.ts';
import type { RankingWorld } from '../support/ranking-world.ts';
import { rethrow } from '../support/rethrow.ts';
import type { FaultFixture } from './fault-fixture.ts';

type Named<T> = T & { readonly _id: string };

type Profiles = readonly Awaited<ReturnType<BoardReader['profile']>>[];

const TOP_ENTRIES = 100;
const PAGE_ENTRIES = 3;
const AROUND = 2;
/**
 * Checks, in turn, of which one reads every slice and the neighbours of every operator in a window: each read takes commands,
 * and every check compares the whole boards of all windows.
 */
const SLICED_EVERY = runsOf(3 * WINDOWS.length, 1);
/** Entries whose verdict a check reads again, in turn; it reads that of every new entry. */
const VERDICTS_AGAIN = runsOf(3, 1_000);
/** One check reads the exports of one operator in so many, in turn: each takes several commands. */
const EXPORTED_EVERY = runsOf(9, 1);
/** Longer than the age below which garbage collection keeps parts. */
const GARBAGE_GRACE_MS = 11 * 60_000;

/**
 * The invariants after any fault and recovery: boards equal the model for a reader that was open during the fault and for a
 * new one, rows have the model's flags, every acknowledged snapshot has one verdict, no dirty set or write intent is left, no referenced part is missing,
 * and garbage collection can find every unreferenced part.
 */
export async function checkConsistency(fixture: FaultFixture): Promise<void> {
  const { world, random } = fixture;
  const earlier = checks.get(world) ?? { count: 0, read: new WeakSet() };
  checks.set(world, { ...earlier, count: earlier.count + 1 });
  const turn = random.seed + earlier.count;
  const model = await fixture.model();
  const names = await codenamesOf(fixture);
  const profiles = await expectBoard(fixture, fixture.reader, model, names, 'the surviving reader');
  const fresh = await world.another().openBoardReader(rethrow);
  await expectBoard(fixture, fresh, model, names, 'a new reader');
  for (const window of WINDOWS.keys()) {
    if ((turn + window) % SLICED_EVERY === 0) await expectNeighbours(fresh, model, names, window);
  }
  await fresh.close();
  await expectIntegrity(fixture, profiles, turn);
  await expectVerdicts(fixture, turn, earlier.read);
  await expectNothingDirty(fixture);
  await expectReferences(fixture);
}

/** The checks of a world so far, and the entries whose verdict they read. */
const checks = new WeakMap<RankingWorld, { readonly count: number; readonly read: WeakSet<LogEntry> }>();

async function codenamesOf({ operators, survivor }: FaultFixture): Promise<Map<number, string>> {
  const records = await Promise.all(operators.map((operator) => survivor.operators.byNumber(operator)));
  return new Map(operators.map((operator, index) => [operator, records[index]?.codename ?? '']));
}

async function expectBoard(
  { operators }: FaultFixture,
  reader: BoardReader,
  model: NaiveWindow[],
  names: ReadonlyMap<number, string>,
  who: string,
): Promise<Profiles> {
  const profiles = await Promise.all(operators.map((operator) => reader.profile(names.get(operator)!)));
  for (const [window, name] of WINDOWS.entries()) {
    const expected = model[window]!.entries.map(({ operator, ...entry }) => ({
      codename: names.get(operator),
      ...entry,
    }));
    expect((await entriesOn(reader, name, 0, TOP_ENTRIES)).map(shown), `${name} for ${who}`).to.deep.equal(expected);
    expect(reader.view().topEntries[name].map(shown), `top of ${name} for ${who}`).to.deep.equal(expected);
    expect(reader.view().totals[name], `total of ${name} for ${who}`).to.equal(expected.length);
    const ranks = operators.map((operator) => model[window]!.byOperator.get(operator)?.rank ?? null);
    expect(
      profiles.map((profile) => profile?.windows[name].rank ?? null),
      `ranks of profiles in ${name} for ${who}`,
    ).to.deep.equal(ranks);
  }
  return profiles;
}

/** The rows of listed operators have the flags of the model, and so has the model of the data that the operator exports. */
async function expectIntegrity(fixture: FaultFixture, profiles: Profiles, turn: number): Promise<void> {
  const { reader, operators, survivor, world } = fixture;
  const methodology = METHODOLOGIES.get(reader.view().methodology)!;
  for (const [index, operator] of operators.entries()) {
    const profile = profiles[index] ?? null;
    if (profile === null || (index + turn) % EXPORTED_EVERY !== 0) continue;
    const exported = await survivor.operators.export(operator);
    if (exported === null) continue;
    const { codename } = profile;
    const flags = WINDOWS.map((window) => profile.windows[window].integrity.flags);
    const samples = exported.usage.samples.map(snapshotOf);
    const { findings, older } = exported.usage;
    const [fromLog, fromExport] = [
      fixture.integrity(operator, methodology.id, { findings }),
      naiveIntegrity(samples, naiveUsage(samples, world.now), world.now, methodology, { findings, older }),
    ];
    expect(flags, `flags of ${codename} by the log`).to.deep.equal(fromLog.map((window) => window.flags));
    expect(flags, `flags of ${codename} by its export`).to.deep.equal(fromExport.map((window) => window.flags));
  }
}

const codenames = (entries: readonly PageRow[]): string[] => entries.map(({ codename }) => codename);

/** Slices at any offset, and neighbours of every operator, in the order of the model. */
async function expectNeighbours(
  reader: BoardReader,
  model: NaiveWindow[],
  names: ReadonlyMap<number, string>,
  window: number,
): Promise<void> {
  const name = WINDOWS[window]!;
  const order = model[window]!.entries.map(({ operator }) => names.get(operator)!);
  const pages = order.map(async (_, offset) => {
    const page = codenames(await entriesOn(reader, name, offset, PAGE_ENTRIES));
    expect(page, `${name} from ${offset} on`).to.deep.equal(order.slice(offset, offset + PAGE_ENTRIES));
  });
  const neighbours = [...names.values()].map(async (codename) => {
    const position = order.indexOf(codename);
    const expected = position < 0 ? [] : order.slice(Math.max(0, position - AROUND), position + AROUND + 1);
    const found = codenames(await reader.neighbours(codename, name, AROUND));
    expect(found, `neighbours of ${codename} in ${name}`).to.deep.equal(expected);
  });
  await Promise.all([...pages, ...neighbours]);
}

function shown({ codename, yield_, rank, percentile, class_tier }: BoardEntry) {
  return { codename, yield_, rank, percentile, class_tier };
}

/**
 * Every acknowledged entry is stored and accepted by the one verdict of its batch. The engine's answer is read for every new
 * entry, and for some of the others.
 */
async function expectVerdicts(
  { survivor, logged, world }: FaultFixture,
  turn: number,
  read: WeakSet<LogEntry>,
): Promise<void> {
  await expectStoredVerdicts(world, logged);
  const first = turn * VERDICTS_AGAIN;
  const again = new Set(Array.from({ length: VERDICTS_AGAIN }, (_, index) => (first + index) % logged.length));
  const asked = logged.filter((entry, index) => !read.has(entry) || again.has(index));
  const found = await Promise.all(asked.map(({ operator, jti }) => survivor.log.findVerdict(operator, jti)));
  for (const [index, entry] of asked.entries()) {
    const { operator, jti } = entry;
    expect(found[index]?.verdict, `verdict of ${jti}`).to.include({ operator, jti, accepted: true });
    read.add(entry);
  }
}

async function expectStoredVerdicts({ connection }: RankingWorld, logged: readonly LogEntry[]): Promise<void> {
  const db = connection.db!;
  const snapshots = await db
    .collection<Named<{ batch: string }>>('snapshots')
    .find({}, { projection: { batch: 1 } })
    .toArray();
  const verdicts = await db.collection<Named<{ refused: readonly { entry: string }[] }>>('verdicts').find().toArray();
  const batches = new Map(snapshots.map(({ _id, batch }) => [_id, batch]));
  const refused = new Map(verdicts.map((verdict) => [verdict._id, new Set(verdict.refused.map(({ entry }) => entry))]));
  const unaccepted = logged
    .map(({ operator, jti }) => `${operator}.${jti}`)
    .filter((id) => refused.get(batches.get(id) ?? '')?.has(id) !== false);
  expect(unaccepted, 'acknowledged entries that are not stored or not accepted').to.deep.equal([]);
}

/** No dirty set and no write intent is left for a commit. */
export async function expectNothingDirty({ world }: FaultFixture): Promise<void> {
  const dirtySets = await world.connection.db!.collection('dirty_sets').find().toArray();
  expect(dirtySets, 'dirty sets and write intents').to.deep.equal([]);
}

interface Manifest {
  readonly base: string;
  readonly topEntries: string;
  readonly hour: number;
  readonly segments: readonly { readonly id: string }[];
  readonly history: readonly { readonly base: string }[];
  readonly platforms?: { readonly bases: Readonly<Record<string, string>>; readonly former: readonly string[] };
}

const platformBases = ({ platforms }: Manifest): string[] => [
  ...Object.values(platforms?.bases ?? {}),
  ...(platforms?.former ?? []),
];

/** Every part that the manifest refers to exists, and every page has its base run, by which garbage collection finds it. */
export async function expectReferences({
  world,
}: {
  readonly world: { readonly connection: Connection };
}): Promise<void> {
  const db = world.connection.db!;
  const manifest = await db.collection<Named<Manifest>>('board_manifests').findOne({ _id: 'manifest' });
  if (manifest === null) throw new Error('there is no manifest');
  const idsOf = async (collection: string): Promise<Set<string>> =>
    new Set(
      (
        await db
          .collection<{ _id: string }>(collection)
          .find({}, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => _id),
    );
  const [stored, segments, topEntries, pages] = await Promise.all([
    db
      .collection<Named<{ directories: mongo.Binary }>>('board_base_runs')
      .find({}, { projection: { directories: 1 } })
      .toArray(),
    idsOf('board_segments'),
    idsOf('board_top_entries'),
    idsOf('board_pages'),
  ]);
  const bases = new Map(stored.map(({ _id, directories }) => [_id, decodeDirectories(bytesOf(directories))[0]!.count]));
  expect(topEntries.has(manifest.topEntries), `top entries ${manifest.topEntries}`).to.equal(true);
  for (const { id } of manifest.segments) expect(segments.has(id), `segment ${id}`).to.equal(true);
  for (const base of new Set([manifest.base, ...manifest.history.map((kept) => kept.base)])) {
    expect(bases.has(base), `base ${base}`).to.equal(true);
    // A small population has one page of each kind, and none when no operator is ranked over all time.
    if (bases.get(base) === 0) continue;
    expect(pages.has(`${base}/operators/0`), `operator page of ${base}`).to.equal(true);
    expect(pages.has(`${base}/order/all_time/0`), `order page of ${base}`).to.equal(true);
  }
  for (const base of platformBases(manifest)) {
    expect(bases.has(base), `base ${base}`).to.equal(true);
    if (bases.get(base) !== 0) expect(pages.has(`${base}/order/all_time/0`), `order page of ${base}`).to.equal(true);
  }
  for (const page of pages) expect(bases.has(page.split('/')[0]!), `the base of page ${page}`).to.equal(true);
}

/** After garbage collection only the parts exist that the manifest refers to. */
export async function expectNoGarbage(fixture: FaultFixture): Promise<void> {
  const { world, survivor } = fixture;
  world.now += GARBAGE_GRACE_MS;
  await survivor.collectGarbage();
  await expectReferences(fixture);
  const db = world.connection.db!;
  const manifest = (await db.collection<Named<Manifest>>('board_manifests').findOne({ _id: 'manifest' }))!;
  const { base, topEntries, segments, history } = manifest;
  const referenced = {
    board_base_runs: [base, ...history.map((kept) => kept.base), ...platformBases(manifest)],
    board_segments: segments.map(({ id }) => id),
    board_top_entries: [topEntries],
  };
  for (const [collection, ids] of Object.entries(referenced)) {
    const stored = await db
      .collection<{ _id: string }>(collection)
      .find({}, { projection: { _id: 1 } })
      .toArray();
    expect(stored.map(({ _id }) => _id).toSorted(), collection).to.deep.equal([...new Set(ids)].toSorted());
  }
}
