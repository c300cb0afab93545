import { expect } from 'chai';
import { mongo } from 'mongoose';
import type { Finding } from '../../../../engine/ranking/index.ts';
import type { OperatorDocument, PageDocument, RootDocument } from '../../../../engine/ranking/mongo/documents.ts';
import { openRepairField, type RepairField } from './repair-field.ts';

/** A damage, and what verification must say of it. */
interface Damage {
  readonly what: string;
  /** Does it; answers the part and the name that must be found. */
  readonly do: (field: RepairField) => Promise<readonly [part: Finding['part'], name: string]>;
}

const stored = (field: RepairField, name: string) => field.world.connection.collection<PageDocument>(name);
const roots = (field: RepairField) => field.world.connection.collection<RootDocument>('board_roots');
const records = (field: RepairField) => field.world.connection.collection<OperatorDocument>('operators');

async function rootOf(field: RepairField): Promise<RootDocument> {
  const root = await roots(field).findOne({ _id: 'root' });
  if (root === null) throw new Error('there is no root');
  return root;
}

/** The bytes of a stored part. */
async function bytesOf(field: RepairField, collection: string, _id: string): Promise<Buffer> {
  const found = await stored(field, collection).findOne({ _id });
  if (found === null) throw new Error(`there is no ${_id}`);
  return Buffer.from(found.bytes.buffer.subarray(0, found.bytes.position));
}

/** Changes one byte of a stored part. */
async function flip(field: RepairField, collection: string, _id: string, at: number): Promise<void> {
  const bytes = await bytesOf(field, collection, _id);
  bytes[at]! ^= 0x10;
  await stored(field, collection).updateOne({ _id }, { $set: { bytes: new mongo.Binary(bytes) } });
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'an operator page',
    async do(field) {
      const name = `${(await rootOf(field)).base}/operators/0`;
      // The Yield of operator 5 of all time: 32 bytes an operator, its highest bytes last.
      await flip(field, 'board_pages', name, 5 * 32 + 6);
      return ['page', name];
    },
  },
  {
    what: 'an order page',
    async do(field) {
      const name = `${(await rootOf(field)).base}/order/all_time/0`;
      await flip(field, 'board_pages', name, 6);
      return ['page', name];
    },
  },
  {
    what: 'a page that is gone',
    async do(field) {
      const name = `${(await rootOf(field)).base}/order/7d/0`;
      await stored(field, 'board_pages').deleteOne({ _id: name });
      return ['page', name];
    },
  },
  {
    what: 'a page cut short',
    async do(field) {
      const name = `${(await rootOf(field)).base}/operators/0`;
      await stored(field, 'board_pages').updateOne(
        { _id: name },
        { $set: { bytes: new mongo.Binary(Buffer.alloc(7)) } },
      );
      return ['page', name];
    },
  },
  {
    what: 'a base that is gone',
    async do(field) {
      const { base } = await rootOf(field);
      await stored(field, 'board_bases').deleteOne({ _id: base });
      return ['base', base];
    },
  },
  {
    what: 'what a segment says of the time after it',
    async do(field) {
      const { id } = (await rootOf(field)).segments.at(-1)!;
      // Yields before, Yields after, operators: 68 bytes an operator.
      const bytes = await bytesOf(field, 'board_segments', id);
      await flip(field, 'board_segments', id, (bytes.length / 68) * 32 + 6);
      return ['segment', id];
    },
  },
  {
    what: 'what a segment says of the time before it',
    async do(field) {
      const { id } = (await rootOf(field)).segments.at(0)!;
      await flip(field, 'board_segments', id, 6);
      return ['segment', id];
    },
  },
  {
    what: 'a segment that is gone',
    async do(field) {
      const { id } = (await rootOf(field)).segments.at(-1)!;
      await stored(field, 'board_segments').deleteOne({ _id: id });
      return ['segment', id];
    },
  },
  {
    what: 'the root',
    async do(field) {
      await roots(field).updateOne({ _id: 'root' }, { $set: { 'totals.2': 1, stamp: 'damaged' } });
      return ['root', 'root'];
    },
  },
  {
    what: 'the methodology of the root',
    async do(field) {
      await roots(field).updateOne({ _id: 'root' }, { $set: { methodology: 77, stamp: 'damaged' } });
      return ['root', 'root'];
    },
  },
  {
    what: 'the first entries',
    async do(field) {
      const { tops } = await rootOf(field);
      await stored(field, 'board_tops').updateOne({ _id: tops }, { $set: { 'windows.0.3.codename': 'somebody-else' } });
      return ['tops', tops];
    },
  },
  {
    what: 'first entries with one too many',
    async do(field) {
      const { tops } = await rootOf(field);
      const found = await field.world.connection
        .collection<{ _id: string; windows: object[][] }>('board_tops')
        .findOne({ _id: tops });
      const windows = found!.windows.map((entries) => [...entries, entries.at(-1)!]);
      await stored(field, 'board_tops').updateOne({ _id: tops }, { $set: { windows } });
      return ['tops', tops];
    },
  },
  {
    what: 'a directory of the base',
    async do(field) {
      const { base } = await rootOf(field);
      const bases = field.world.connection.collection<{ _id: string; directories: mongo.Binary[] }>('board_bases');
      const { directories } = (await bases.findOne({ _id: base }))!;
      const bytes = Buffer.from(directories[0]!.buffer);
      bytes[bytes.length - 1]! ^= 0x10;
      await bases.updateOne({ _id: base }, { $set: { 'directories.0': new mongo.Binary(bytes) } });
      return ['base', base];
    },
  },
  {
    what: 'platforms',
    async do(field) {
      const { operator } = field.owners[5]!;
      await records(field).updateOne({ _id: operator }, { $set: { platforms: 'one,two,three,four' } });
      return ['mark', `operator ${operator}`];
    },
  },
  {
    what: 'a mark',
    async do(field) {
      const { operator } = field.owners[2]!;
      const found = await records(field).findOne({ _id: operator });
      const marks = Buffer.from(found!.streams.buffer);
      marks[marks.length - 2]! ^= 0x10;
      await records(field).updateOne({ _id: operator }, { $set: { streams: new mongo.Binary(marks) } });
      return ['mark', `operator ${operator}`];
    },
  },
  {
    what: 'marks that cannot be read',
    async do(field) {
      const { operator } = field.owners[3]!;
      await records(field).updateOne({ _id: operator }, { $set: { streams: new mongo.Binary(Buffer.alloc(5)) } });
      return ['mark', `operator ${operator}`];
    },
  },
  {
    what: 'totals',
    async do(field) {
      const { operator } = field.owners[4]!;
      await records(field).updateOne({ _id: operator }, { $set: { totals: new mongo.Binary(Buffer.alloc(128)) } });
      return ['mark', `operator ${operator}`];
    },
  },
];

describe('verification of the board', function () {
  this.timeout(60_000);
  let field: RepairField;
  let answers: unknown;
  let output = 0;

  before(async () => {
    field = await openRepairField(40, 30, 11);
    for (let owner = 0; owner < 6; owner++) await change(owner);
  });

  /** Publishes a version in which an operator has moved, so that the board has segments after its base. */
  async function change(owner: number): Promise<void> {
    output += 1_000;
    await field.submit([field.world.entry(field.owners[owner]!.operator, { input: 3, output, cache_read: 5 })]);
    await field.publish();
  }

  after(() => field.world.close());

  it('finds nothing on one that is sound', async () => {
    expect((await rootOf(field)).segments).to.not.be.empty;
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('takes operators whose change is on its way as the board has them', async () => {
    await field.submit([field.world.entry(field.owners[9]!.operator, { input: 2, output: 99, cache_read: 7 })]);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
    await field.publish();
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  for (const { what, do: damage } of DAMAGES) {
    it(`names ${what}, and repairs it`, async () => {
      await change(7);
      await change(8);
      answers = await field.answers();

      const [part, name] = await damage(field);
      const findings = await field.ranking.repair.verify();
      expect(findings.map((finding) => `${finding.part} ${finding.name}`)).to.include(`${part} ${name}`);
      if (part !== 'root' && part !== 'base') {
        expect([...new Set(findings.map((finding) => finding.name))], JSON.stringify(findings)).to.deep.equal([name]);
      }

      await field.ranking.repair.repair(findings);
      await field.publish();
      expect(await field.ranking.repair.verify()).to.deep.equal([]);
      expect(await field.answers()).to.deep.equal(answers);
    });
  }

  it('lets a damaged kept board go, and leaves the others', async () => {
    const { history } = await rootOf(field);
    const kept = history.at(-2);
    await flip(field, 'board_pages', `${kept!.base}/operators/0`, 8 * 32 + 6);
    const findings = await field.ranking.repair.verify();
    expect(findings.map(({ part }) => part)).to.include('history');
    const { history: dropped } = await field.ranking.repair.repair(findings);
    expect(dropped).to.equal(1);
    expect((await rootOf(field)).history).to.have.length(history.length - 1);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });
});
