import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WINDOWS } from '../../../engine/contract/windows.ts';
import type { Manifest } from '../../../ops/commands/data/manifest.ts';
import { openRepairField, type RepairField } from '../../engine/ranking/repair/repair-field.ts';
import { type CommandResult, run } from './run.ts';

const rethrow = (error: unknown): never => {
  throw error;
};

describe('backup and restore', function () {
  this.timeout(120_000);
  let field: RepairField;
  let folder: string;

  beforeEach(async () => {
    field = await openRepairField(25, 12, 41);
    // Keys as the service keeps them, so that commands can verify what was signed.
    const devices = [...field.keys.values()].map(({ kid, operator, publicKey }, slot) => ({
      _id: kid,
      operator,
      x: publicKey,
      name: null,
      created_at: new Date(0),
      slot,
    }));
    await field.world.connection.collection<(typeof devices)[number]>('devices').insertMany(devices);
    folder = await mkdtemp(join(tmpdir(), 'upsilon-export-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await field.world.close();
  });

  const data = (...args: readonly string[]): Promise<CommandResult> =>
    run(field.world.database, ['data', ...args], {}, field.world.now + 1_000);
  const wipe = (): Promise<unknown> => field.world.connection.dropDatabase();
  const manifest = async (): Promise<Manifest> => JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const rewrite = (changed: Manifest): Promise<void> =>
    writeFile(join(folder, 'manifest.json'), JSON.stringify(changed));

  /** Everything that readers are told, past and present. */
  async function everything(): Promise<unknown> {
    const reader = await field.world.another().openBoardReader(rethrow);
    const histories = await Promise.all(
      field.owners.flatMap(({ codename }) => WINDOWS.map((window) => reader.history(codename, window))),
    );
    await reader.close();
    return { answers: await field.answers(), histories };
  }

  async function stored(): Promise<Record<string, unknown>> {
    const db = field.world.connection.db;
    const found: Record<string, unknown> = {};
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      if (['leases', 'imports'].includes(name)) continue;
      const documents = await db
        ?.collection(name)
        .find({}, { sort: { _id: 1 } })
        .toArray();
      if (documents !== undefined && documents.length > 0) found[name] = documents;
    }
    return found;
  }

  it('give back every answer and every document', async () => {
    const [told, kept] = [await everything(), await stored()];
    const exported = await data('export', folder, '--json');
    expect(exported.status, exported.err).to.equal(0);
    await wipe();
    const imported = await data('import', folder, '--yes', '--json');
    expect(imported.status, imported.err).to.equal(0);
    expect(JSON.parse(imported.out)).to.deep.include({ refolded: 0, differing: 0 });
    expect(await everything()).to.deep.equal(told);
    expect(await stored()).to.deep.equal(kept);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('go on where they were cut short', async () => {
    const told = await everything();
    await data('export', folder);
    const whole = await manifest();
    const collections = whole.collections.map((each) =>
      ['snapshots', 'carries'].includes(each.name) ? { ...each, done: false, chunks: [] } : each,
    );
    await rewrite({ ...whole, finished_at: null, collections });
    expect((await data('import', folder, '--yes')).err).to.include('cut short');
    expect((await data('export', folder)).status).to.equal(0);
    expect((await manifest()).collections).to.deep.equal(whole.collections);
    expect((await data('export', folder)).err).to.include('holds an export already');

    await wipe();
    const { chunks } = whole.collections.find(({ name }) => name === 'snapshots')!;
    const file = join(folder, chunks[0]!.file);
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, 100));
    const failed = await data('import', folder, '--yes');
    expect(failed.status).to.equal(1);
    expect(failed.err).to.include(`${chunks[0]!.file} of the export is damaged`);
    await writeFile(file, bytes);
    expect((await data('import', folder, '--yes')).status).to.equal(0);
    expect(await everything()).to.deep.equal(told);
  });

  it('make what was written meanwhile fit together', async () => {
    await data('export', folder);
    const before = await manifest();
    const { operator } = field.owners[3]!;
    field.world.now += 3_000;
    await field.submit([field.world.entry(operator, { input: 1, output: 1e6, cache_read: 50 })]);
    // As if the log had been read after that, and operators and the board before it.
    const collections = before.collections.map((each) =>
      ['verdicts', 'snapshots'].includes(each.name) ? { ...each, done: false, chunks: [] } : each,
    );
    await rewrite({ ...before, finished_at: null, collections });
    expect((await data('export', folder)).status).to.equal(0);
    await field.publish();
    const told = await field.answers();

    await wipe();
    const imported = await data('import', folder, '--yes', '--json');
    expect(JSON.parse(imported.out)).to.deep.include({ refolded: 1 });
    await field.publish();
    expect(await field.answers()).to.deep.equal(told);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('refuse what would mix or destroy', async () => {
    expect((await data('import', folder, '--yes')).err).to.include('holds no export');
    await data('export', folder);
    expect((await data('import', folder)).err).to.include('--yes');
    expect((await data('import', folder, '--yes')).err).to.include('not empty');
    await rewrite({ ...(await manifest()), format: 2 });
    expect((await data('import', folder, '--yes')).err).to.include('has format 2');
    await writeFile(join(folder, 'manifest.json'), '{}');
    expect((await data('import', folder, '--yes')).err).to.include('no manifest');
  });
});
