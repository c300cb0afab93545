import { expect } from 'chai';
import { mongo } from 'mongoose';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { PLACE_OF, WINDOW_NUMBERS } from '../../../../engine/integrity/index.ts';
import { PLATFORM_NUMBERS } from '../../../../engine/ranking/core/operator-state/index.ts';
import type { Finding } from '../../../../engine/ranking/index.ts';
import type { PageDocument } from '../../../../engine/ranking/storage/base-runs.ts';
import { toBinary } from '../../../../engine/ranking/storage/binary.ts';
import type { ManifestDocument } from '../../../../engine/ranking/storage/board-manifest.ts';
import { decodeTotals, type OperatorDocument } from '../../../../engine/ranking/storage/operator-codec.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openRepairFixture, type RepairFixture } from './repair-fixture.ts';

/** The headers of parts of all windows, and of an order page of all time. */
const HEADER_BYTES = 13 + `all:${WINDOWS.join(',')}`.length;
const ORDER_HEADER_BYTES = 13 + 'all:all_time'.length;
/** An operator's Yields of all windows. */
const YIELDS_BYTES = 8 * WINDOWS.length;

/** Damage, and the finding that verification must report. */
interface Damage {
  readonly what: string;
  /** Causes the damage; returns the part and the name of the expected finding. */
  readonly do: (fixture: RepairFixture) => Promise<readonly [part: Finding['part'], name: string]>;
  /** What the finding says. */
  readonly problem?: RegExp;
}

/** Changes the stored top entries; returns the part. */
async function changeTopEntries(
  fixture: RepairFixture,
  change: (windows: object[][]) => void,
): Promise<[Finding['part'], string]> {
  const { topEntries } = await manifestOf(fixture);
  const collection = fixture.world.connection.collection<{ _id: string; windows: string }>('board_top_entries');
  const windows: object[][] = JSON.parse((await collection.findOne({ _id: topEntries }))!.windows);
  change(windows);
  await collection.updateOne({ _id: topEntries }, { $set: { windows: JSON.stringify(windows) } });
  return ['topEntries', topEntries];
}

const stored = (fixture: RepairFixture, name: string) => fixture.world.connection.collection<PageDocument>(name);
const manifests = (fixture: RepairFixture) => fixture.world.connection.collection<ManifestDocument>('board_manifests');
const records = (fixture: RepairFixture) => fixture.world.connection.collection<OperatorDocument>('operators');

async function manifestOf(fixture: RepairFixture): Promise<ManifestDocument> {
  const manifest = await manifests(fixture).findOne({ _id: 'manifest' });
  if (manifest === null) throw new Error('there is no manifest');
  return manifest;
}

/** Reads the bytes of a stored part. */
async function bytesOf(fixture: RepairFixture, collection: string, _id: string): Promise<Buffer> {
  const found = await stored(fixture, collection).findOne({ _id });
  if (found === null) throw new Error(`there is no ${_id}`);
  return Buffer.from(found.bytes.buffer.subarray(0, found.bytes.position));
}

/** Changes one byte of a stored part. */
async function flip(fixture: RepairFixture, collection: string, _id: string, at: number): Promise<void> {
  const bytes = await bytesOf(fixture, collection, _id);
  bytes[at]! ^= 0x10;
  await stored(fixture, collection).updateOne({ _id }, { $set: { bytes: new mongo.Binary(bytes) } });
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'an operator page',
    async do(fixture) {
      const name = `${(await manifestOf(fixture)).base}/operators/0`;
      // The all-time Yield of operator 5; the highest byte is the last.
      await flip(fixture, 'board_pages', name, HEADER_BYTES + 5 * YIELDS_BYTES + 6);
      return ['page', name];
    },
  },
  {
    what: 'an order page',
    async do(fixture) {
      const name = `${(await manifestOf(fixture)).base}/order/all_time/0`;
      await flip(fixture, 'board_pages', name, ORDER_HEADER_BYTES + 6);
      return ['page', name];
    },
  },
  {
    what: 'a page that is gone',
    async do(fixture) {
      const name = `${(await manifestOf(fixture)).base}/order/7d/0`;
      await stored(fixture, 'board_pages').deleteOne({ _id: name });
      return ['page', name];
    },
  },
  {
    what: 'a page cut short',
    async do(fixture) {
      const name = `${(await manifestOf(fixture)).base}/operators/0`;
      await stored(fixture, 'board_pages').updateOne(
        { _id: name },
        { $set: { bytes: new mongo.Binary(Buffer.alloc(7)) } },
      );
      return ['page', name];
    },
  },
  {
    what: 'a base that is gone',
    async do(fixture) {
      const { base } = await manifestOf(fixture);
      await stored(fixture, 'board_base_runs').deleteOne({ _id: base });
      return ['base', base];
    },
  },
  {
    what: 'what a segment says of the time after it',
    async do(fixture) {
      const { id } = (await manifestOf(fixture)).segments.at(-1)!;
      // Yields before, Yields after, operator number (4 bytes).
      const bytes = await bytesOf(fixture, 'board_segments', id);
      const operators = (bytes.length - HEADER_BYTES) / (2 * YIELDS_BYTES + 4);
      await flip(fixture, 'board_segments', id, HEADER_BYTES + operators * YIELDS_BYTES + 6);
      return ['segment', id];
    },
  },
  {
    what: 'what a segment says of the time before it',
    async do(fixture) {
      const { id } = (await manifestOf(fixture)).segments.at(0)!;
      await flip(fixture, 'board_segments', id, HEADER_BYTES + 6);
      return ['segment', id];
    },
  },
  {
    what: 'a segment that is gone',
    async do(fixture) {
      const { id } = (await manifestOf(fixture)).segments.at(-1)!;
      await stored(fixture, 'board_segments').deleteOne({ _id: id });
      return ['segment', id];
    },
  },
  {
    what: 'the manifest',
    async do(fixture) {
      await manifests(fixture).updateOne({ _id: 'manifest' }, { $set: { 'totals.2': 1, generation: 'damaged' } });
      return ['manifest', 'manifest'];
    },
  },
  {
    what: 'the methodology of the manifest',
    async do(fixture) {
      // The newest kept board has the methodology that the board had, whatever older ones have.
      const damaged = { methodology: 77, 'history.0.methodology': 2, generation: 'damaged' };
      await manifests(fixture).updateOne({ _id: 'manifest' }, { $set: damaged });
      return ['manifest', 'manifest'];
    },
  },
  {
    what: 'the top entries',
    do: (fixture) =>
      changeTopEntries(fixture, (windows) => {
        Object.assign(windows[0]![3]!, { codename: 'somebody-else' });
      }),
  },
  {
    what: 'top entries with one too many',
    do: (fixture) =>
      changeTopEntries(fixture, (windows) => {
        for (const entries of windows) entries.push(entries.at(-1)!);
      }),
  },
  {
    what: 'top entries cut short',
    async do(fixture) {
      const { topEntries } = await manifestOf(fixture);
      await stored(fixture, 'board_top_entries').updateOne({ _id: topEntries }, { $set: { windows: '[[{' } });
      return ['topEntries', topEntries];
    },
  },
  {
    what: 'a directory of the base',
    async do(fixture) {
      const { base } = await manifestOf(fixture);
      const bases = fixture.world.connection.collection<{ _id: string; directories: mongo.Binary }>('board_base_runs');
      const { directories } = (await bases.findOne({ _id: base }))!;
      const bytes = Buffer.from(directories.buffer);
      bytes[bytes.length - 1]! ^= 0x10;
      await bases.updateOne({ _id: base }, { $set: { directories: new mongo.Binary(bytes) } });
      return ['base', base];
    },
  },
  {
    what: 'platforms',
    async do(fixture) {
      const { operator } = fixture.owners[5]!;
      await records(fixture).updateOne({ _id: operator }, { $set: { platforms: 'one,two,three,four' } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'a sample',
    async do(fixture) {
      const { operator } = fixture.owners[2]!;
      const found = await records(fixture).findOne({ _id: operator });
      const samples = Buffer.from(found!.streams.buffer);
      samples[samples.length - 2]! ^= 0x10;
      await records(fixture).updateOne({ _id: operator }, { $set: { streams: new mongo.Binary(samples) } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'unreadable samples',
    async do(fixture) {
      const { operator } = fixture.owners[3]!;
      await records(fixture).updateOne({ _id: operator }, { $set: { streams: new mongo.Binary(Buffer.alloc(5)) } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'totals',
    async do(fixture) {
      const { operator } = fixture.owners[4]!;
      await records(fixture).updateOne(
        { _id: operator },
        { $set: { totals: new mongo.Binary(Buffer.alloc(WINDOW_NUMBERS * YIELDS_BYTES)) } },
      );
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'vouching days, by their name',
    problem: /^vouching of all_time differ from the samples$/,
    async do(fixture) {
      const { operator } = fixture.owners[6]!;
      const found = await records(fixture).findOne({ _id: operator });
      const totals = decodeTotals(found!);
      totals[WINDOWS.indexOf('all_time') * WINDOW_NUMBERS + PLACE_OF.vouching]! += 5;
      await records(fixture).updateOne({ _id: operator }, { $set: { totals: toBinary(totals) } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'the totals of platforms',
    problem: /^totals of platforms differ from the samples$/,
    async do(fixture) {
      const { operator } = fixture.owners[6]!;
      const invented = toBinary(new Float64Array(PLATFORM_NUMBERS).fill(1));
      await records(fixture).updateOne({ _id: operator }, { $set: { platform_totals: invented } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'older witnessed days',
    problem: /^older witnessed days differ from the log$/,
    async do(fixture) {
      const { operator } = fixture.owners[6]!;
      const older = JSON.stringify([{ platform: null, power: 3, days: 200 }]);
      await records(fixture).updateOne({ _id: operator }, { $set: { older } });
      return ['sample', `operator ${operator}`];
    },
  },
  {
    what: 'witnessed days',
    problem: /^witnessed days differ from the samples$/,
    async do(fixture) {
      const { operator } = fixture.owners[6]!;
      await records(fixture).updateOne({ _id: operator }, { $set: { witnessed: [40, 40] } });
      return ['sample', `operator ${operator}`];
    },
  },
];

describe('verification of the board', () => {
  const fixture = useFixture(() => openRepairFixture(10, 16, 11));
  let answers: unknown;
  let output = 0;

  before(async () => {
    for (let owner = 0; owner < 6; owner++) await change(owner);
  });

  /** Publishes a version with a changed operator, so that the board has segments after its base run. */
  async function change(owner: number): Promise<void> {
    output += 1_000;
    await fixture().submit([
      fixture().world.entry(fixture().owners[owner]!.operator, { input: 3, output, cache_read: 5 }),
    ]);
    await fixture().publish();
  }

  it('finds nothing on an intact one', async () => {
    expect((await manifestOf(fixture())).segments).to.not.be.empty;
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it("accepts the board's values for operators in dirty sets", async () => {
    await fixture().submit([
      fixture().world.entry(fixture().owners[9]!.operator, { input: 2, output: 99, cache_read: 7 }),
    ]);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    await fixture().publish();
    await fixture().ranking.operators.amend(fixture().owners[9]!.operator, { displayName: 'On its way' });
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    await fixture().publish();
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('compares the top entries of others while an operator is in a dirty set', async () => {
    const { repair, operators } = fixture().ranking;
    await operators.amend(fixture().owners[9]!.operator, { displayName: 'On its way again' });
    const [part, name] = await changeTopEntries(fixture(), (windows) => {
      const other = windows[0]!.find((entry) => !('codename' in entry && entry.codename === 'field-9'));
      Object.assign(other!, { display_name: 'Somebody else' });
    });
    const findings = await repair.verify();
    expect(findings.map((finding) => [finding.part, finding.name])).to.deep.equal([[part, name]]);
    await repair.repair(findings);
    await fixture().publish();
    expect(await repair.verify()).to.deep.equal([]);
  });

  it('leaves out operators whose snapshots have no verdict yet, damaged or not, and counts them', async () => {
    const owner = fixture().owners[4]!;
    const { operator } = owner;
    const entry = fixture().world.entry(operator, { input: 3, output: 77, cache_read: 9 });
    const [logged] = await fixture().ranking.log.append([entry]);
    const [before] = await records(fixture()).find({ _id: operator }).toArray();
    await records(fixture()).updateOne({ _id: operator }, { $set: { platforms: 'invented,,,' } });
    const left: number[] = [];
    const findings = await fixture().ranking.repair.verify(({ undecided }) => left.push(undecided ?? 0));
    expect(findings).to.deep.equal([]);
    expect(Math.max(...left)).to.equal(1);
    await records(fixture()).updateOne({ _id: operator }, { $set: { platforms: before!.platforms } });
    await fixture().ranking.processBatch(logged?.kind === 'stored' ? logged.batch : '', [entry]);
    await records(fixture()).updateOne({ _id: operator }, { $set: { platforms: 'invented,,,' } });
    const decided = await fixture().ranking.repair.verify();
    expect(decided.map(({ operator: of }) => of)).to.deep.equal([operator]);
    await fixture().ranking.repair.repair(decided);
    await fixture().publish();
  });

  for (const { what, do: damage, problem = /./ } of DAMAGES) {
    it(`reports ${what}, and repairs it`, async () => {
      await change(7);
      await change(8);
      answers = await fixture().answers();

      const [part, name] = await damage(fixture());
      const findings = await fixture().ranking.repair.verify();
      expect(findings.map((finding) => `${finding.part} ${finding.name}`)).to.include(`${part} ${name}`);
      expect(findings[0]?.problem).to.match(problem);
      if (part !== 'manifest' && part !== 'base') {
        expect([...new Set(findings.map((finding) => finding.name))], JSON.stringify(findings)).to.deep.equal([name]);
      }

      await fixture().ranking.repair.repair(findings);
      await fixture().publish();
      expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
      expect(await fixture().answers()).to.deep.equal(answers);
    });
  }

  it('removes a damaged kept board, and keeps the others', async () => {
    const { history } = await manifestOf(fixture());
    const kept = history.at(-2);
    await flip(fixture(), 'board_pages', `${kept!.base}/operators/0`, HEADER_BYTES + 8 * YIELDS_BYTES + 6);
    const findings = await fixture().ranking.repair.verify();
    expect(findings.map(({ part }) => part)).to.include('history');
    const { history: dropped } = await fixture().ranking.repair.repair(findings);
    expect(dropped).to.equal(1);
    expect((await manifestOf(fixture())).history).to.have.length(history.length - 1);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('rebuilds a board whose manifest is gone from the records', async () => {
    await change(7);
    const totals = async () => {
      const reader = await fixture().ranking.openBoardReader(() => undefined);
      const found = reader.view().totals;
      await reader.close();
      return found;
    };
    const before = await totals();
    await manifests(fixture()).deleteOne({ _id: 'manifest' });
    const findings = await fixture().ranking.repair.verify();
    expect(findings).to.deep.equal([{ part: 'manifest', name: 'manifest', problem: 'is missing' }]);
    expect(await fixture().ranking.repair.repair(findings)).to.include({ rebuilt: true });
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    expect(await totals()).to.deep.equal(before);
  });
});
