import { rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { readRunNote } from '../../../../ops/local/starter/run-note.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  type CopySettings,
  copySettings,
  discard,
  fetchStandIn,
  processesOf,
  runStarter,
  type Starter,
} from '../../../support/starter.ts';

const noProcessOf = (settings: CopySettings) => async () => (await processesOf(settings.DATA_DIR)).length === 0;

describe('npm start', () => {
  let settings: CopySettings;
  let starter: Starter | null = null;

  beforeEach(async () => {
    settings = await copySettings();
  });
  afterEach(async () => {
    await discard(starter, settings);
    starter = null;
  });

  async function started(): Promise<Starter> {
    starter = await runStarter(settings);
    await starter.ready();
    return starter;
  }

  it('runs everything, prints addresses and processes, keeps its data over a stop and a kill, and leaves nothing behind', async () => {
    const { child, output, ended } = await started();
    expect(output())
      .to.match(new RegExp(`website +http://localhost:${settings.PORT}\\n`))
      .and.to.contain(`http://localhost:${settings.PORT}/api/v1`)
      .and.to.contain('embedded MongoDB')
      .and.to.contain('Redis')
      .and.to.contain('submitting is free; STRIPE_SECRET_KEY is not set, so subscriptions are off')
      .and.to.contain('npm run -s ops -- operator create')
      .and.to.not.match(/x402|premium|Sepolia/i);
    const note = await readRunNote(settings.DATA_DIR);
    expect(note).to.include({ pid: child.pid, base_url: `http://localhost:${settings.PORT}/api/v1` });
    expect((await stat(join(settings.DATA_DIR, 'run.json'))).mode & 0o777).to.equal(0o600);
    expect(await fetchStandIn(Number(settings.PORT))).to.include({
      mongoUrl: note?.mongo_url,
      redisUrl: note?.redis_url,
    });

    await keep(settings.DATA_DIR);
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
    expect(await processesOf(settings.DATA_DIR)).to.deep.equal([]);
    expect(await readRunNote(settings.DATA_DIR)).to.equal(null);
    expect(output()).to.contain('The api stops before the workers.');
    expect(output()).to.match(/Stopped\.\n$/);

    const second = await started();
    expect(await kept(settings.DATA_DIR)).to.equal(1);
    await keep(settings.DATA_DIR);
    second.child.kill('SIGKILL');
    expect(await second.ended).to.equal('SIGKILL');
    expect(await readRunNote(settings.DATA_DIR), 'the note of a killed starter').to.equal(null);
    const third = await started();
    expect(await kept(settings.DATA_DIR)).to.equal(2);
    third.child.kill('SIGKILL');
    await eventually('the end of every process', noProcessOf(settings));
  });

  it('reports the port that is in use, and leaves nothing behind', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(settings.PORT), '127.0.0.1', resolve));
    try {
      starter = await runStarter(settings);
      expect(await starter.ended).to.equal(1);
      expect(starter.output()).to.contain(`port ${settings.PORT}`).and.to.contain('in use').and.to.contain('set PORT');
      expect(starter.output())
        .to.match(/^Upsilon cannot listen/)
        .and.to.not.contain('Stopp');
      expect(await processesOf(settings.DATA_DIR)).to.deep.equal([]);
    } finally {
      taken.close();
    }
  });

  it('lists every invalid setting and starts nothing', async () => {
    starter = await runStarter({ ...settings, PORT: 'many', WORKERS: '-1', MONGODB_URL: 'nowhere' });
    expect(await starter.ended).to.not.equal(0);
    for (const name of ['PORT', 'WORKERS', 'MONGODB_URL']) expect(starter.output()).to.contain(`- ${name} `);
    expect(await processesOf(settings.DATA_DIR)).to.deep.equal([]);
  });

  it('reports an unusable data folder', async () => {
    // A file in place of the folder makes it unusable for every user, including root.
    const file = join(settings.DATA_DIR, 'file');
    await writeFile(file, '');
    starter = await runStarter({ ...settings, DATA_DIR: join(file, 'data') });
    expect(await starter.ended).to.equal(1);
    expect(starter.output()).to.contain(file).and.to.contain('Set DATA_DIR');
  });
});

describe('npm start, once it runs', () => {
  let settings: CopySettings;
  let running: Starter;

  before(async () => {
    settings = await copySettings();
    running = await runStarter(settings);
    await running.ready();
  });

  after(() => discard(running, settings));

  it('refuses a data folder that is in use', async () => {
    const second = await runStarter({ ...(await withFolder(settings)), DATA_DIR: settings.DATA_DIR });
    expect(await second.ended).to.equal(1);
    expect(second.output())
      .to.contain(`process ${running.child.pid}`)
      .and.to.contain('set DATA_DIR')
      .and.to.not.contain('Stopp');
    expect(await readRunNote(settings.DATA_DIR)).to.not.equal(null);
  });

  it('runs at the same time as a copy with other ports and another folder', async () => {
    const other = await copySettings();
    const second = await runStarter(other);
    try {
      await second.ready();
      const [one, two] = await Promise.all([fetchStandIn(Number(settings.PORT)), fetchStandIn(Number(other.PORT))]);
      expect(one.mongoUrl).to.not.equal(two.mongoUrl);
      expect(one.redisUrl).to.not.equal(two.redisUrl);
    } finally {
      await discard(second, other);
    }
  });

  it('starts no engine whose address is configured', async () => {
    const note = await readRunNote(settings.DATA_DIR);
    const other = await copySettings();
    const urls = { MONGODB_URL: note?.mongo_url ?? '', REDIS_URL: note?.redis_url ?? '' };
    const second = await runStarter({ ...other, ...urls });
    try {
      await second.ready();
      expect(second.output()).to.contain('not started here');
      expect(
        (await processesOf(other.DATA_DIR)).filter((command) => /embedded-main|wasm-main|guard-main/.test(command)),
      ).to.deep.equal([]);
      expect(await fetchStandIn(Number(other.PORT))).to.include({ mongoUrl: urls.MONGODB_URL });
    } finally {
      await discard(second, other);
    }
    expect(await fetchStandIn(Number(settings.PORT))).to.include({ mongoUrl: urls.MONGODB_URL });
  });

  it('restarts a crashed process', async () => {
    const port = Number(settings.PORT);
    const before = await fetchStandIn(port);
    await fetch(`http://127.0.0.1:${port}/crash`).catch(() => {});
    const after = await eventually('another api', async () => {
      const now = await fetchStandIn(port);
      return now.pid === before.pid ? null : now;
    });
    expect(after.mongoUrl).to.equal(before.mongoUrl);
    expect(running.output()).to.contain('api ended with status 7').and.to.contain('Restarting api');
  });

  it('restarts a killed engine at the same address', async () => {
    const processes = await processesOf(settings.DATA_DIR);
    const engine = processes.find((command) => command.includes('embedded-main'));
    process.kill(Number(engine?.split(' ', 1)[0]), 'SIGKILL');
    await eventually('the engine', () => running.output().includes('MongoDB is ready again'));
    expect(await withThings(settings.DATA_DIR, (things) => things.countDocuments())).to.equal(0);
  });

  it('stops everything when a process keeps crashing', async () => {
    const port = Number(settings.PORT);
    let gone = false;
    void running.ended.then(() => (gone = true));
    await eventually(
      'the end',
      () =>
        gone ||
        fetch(`http://127.0.0.1:${port}/crash`).then(
          () => false,
          () => false,
        ),
    );
    expect(await running.ended).to.equal(1);
    expect(running.output()).to.contain('api exited too often; stopping everything');
    expect(await processesOf(settings.DATA_DIR)).to.deep.equal([]);
  });
});

async function withFolder(settings: CopySettings): Promise<CopySettings> {
  const other = await copySettings();
  await rm(other.DATA_DIR, { recursive: true });
  return { ...other, DATA_DIR: settings.DATA_DIR };
}

async function withThings<T>(dataDir: string, use: (things: mongoose.mongo.Collection) => Promise<T>): Promise<T> {
  const note = await readRunNote(dataDir);
  const connection = await mongoose.createConnection(note?.mongo_url ?? '').asPromise();
  try {
    return await use(connection.collection('things'));
  } finally {
    await connection.close();
  }
}

async function keep(dataDir: string): Promise<void> {
  await withThings(dataDir, (things) => things.insertOne({ kept: true }, { writeConcern: { w: 'majority', j: true } }));
}

function kept(dataDir: string): Promise<number> {
  return withThings(dataDir, (things) => things.countDocuments({ kept: true }));
}
