import { chmod, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { chooseMongo } from '../../../../ops/local/mongo/choose-mongo.ts';
import { launch } from '../../../../ops/local/process/launch.ts';
import { redisCommands } from '../../../../ops/local/process/redis-commands.ts';
import { chooseRedis } from '../../../../ops/local/redis/choose-redis.ts';
import { startEngines } from '../../../../ops/local/start-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { processesOf } from '../../../support/starter.ts';
import { useFolder } from '../../../support/temporary-folder.ts';

const STAND_IN = fileURLToPath(new URL('../../../support/children/redis-server', import.meta.url));

const NO_EVENTS = { ended: () => {}, restarted: () => {}, gaveUp: () => {} };

describe('a server program on the PATH', () => {
  const folder = useFolder();
  const site = (environment: Record<string, string> = {}) => ({ dataDir: folder(), cacheDir: folder(), environment });
  /** An environment whose PATH contains the stand-in and Node. */
  const withProgram = async (name: string, program: string | null) => {
    const path = join(folder(), 'bin', name);
    await mkdir(join(folder(), 'bin'), { recursive: true });
    if (program === null) await writeFile(path, '#!/bin/sh\nexit 3\n');
    else await copyFile(program, path);
    await chmod(path, 0o755);
    const environment = processEnvironment();
    return {
      ...environment,
      PATH: `${join(folder(), 'bin')}${delimiter}${environment['PATH'] ?? ''}`,
      TEST_FOLDER: folder(),
    };
  };

  afterEach(() => eventually('the end of every process', async () => (await processesOf(folder())).length === 0));

  it('is preferred to the embedded engine', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    expect(redis).to.include({ embedded: false, title: `Redis (${join(folder(), 'bin', 'redis-server')})` });
    const mongo = await chooseMongo(site(await withProgram('mongod', STAND_IN)));
    expect(mongo).to.include({ embedded: false, title: `mongod (${join(folder(), 'bin', 'mongod')})` });
    expect(await chooseRedis(site({ PATH: '' }))).to.include({ embedded: true });
    expect(await chooseMongo(site({ PATH: '' }))).to.include({ embedded: true });
  });

  it('is not used when the embedded engine has data in the folder', async () => {
    await mkdir(join(folder(), 'mongodb-embedded'));
    await writeFile(join(folder(), 'mongodb-embedded', 'WiredTiger'), '');
    const withServer = site(await withProgram('mongod', STAND_IN));
    expect(await chooseMongo(withServer)).to.include({ embedded: true });
    // Data of the server, too: it is what the last run used.
    await mkdir(join(folder(), 'mongodb'));
    await writeFile(join(folder(), 'mongodb', 'WiredTiger'), '');
    expect(await chooseMongo(withServer)).to.include({ embedded: false });
  });

  it('and an embedded engine keep their data where only this user can read them', async () => {
    const environment = {
      ...(await withProgram('mongod', STAND_IN)),
      ...(await withProgram('redis-server', STAND_IN)),
    };
    await chooseMongo(site({ PATH: '' }));
    await chooseMongo(site(environment));
    await chooseRedis(site(environment));
    const folders = (await readdir(folder())).filter((name) => name !== 'bin');
    expect(folders).to.have.members(['mongodb', 'mongodb-embedded', 'redis']);
    for (const name of folders) expect((await stat(join(folder(), name))).mode & 0o777, name).to.equal(0o700);
  });

  it('is looked for in absolute folders alone, and is a file', async () => {
    const { PATH } = await withProgram('redis-server', STAND_IN);
    expect(await chooseRedis(site({ PATH: relative('.', join(folder(), 'bin')) }))).to.include({ embedded: true });
    await mkdir(join(folder(), 'first', 'redis-server'), { recursive: true });
    const engine = await chooseRedis(site({ PATH: [join(folder(), 'first'), PATH].join(delimiter) }));
    expect(engine.title).to.equal(`Redis (${join(folder(), 'bin', 'redis-server')})`);
  });

  it('is ended when the other database does not start', async () => {
    await withProgram('mongod', null);
    const environment = await withProgram('redis-server', STAND_IN);
    const choice = { mongoUrl: undefined, redisUrl: undefined, dataDir: folder(), environment };
    const failure = await startEngines(choice, NO_EVENTS).catch(String);
    expect(failure).to.include('mongod').and.to.include('status 3');
    expect(await processesOf(folder())).to.deep.equal([]);
  });

  it('starts and stops with its guard', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    const guard = await launch(redis.child);
    await redisCommands(Number(new URL(redis.url).port), ['PING']);
    expect(await guard.stop()).to.include({ code: 0 });
    expect(await processesOf(folder())).to.deep.equal([]);
  });

  it('ends when its guard is killed, and vice versa', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    const first = await launch(redis.child);
    process.kill(Number(first.details['server']), 'SIGKILL');
    expect((await first.exited).code).to.equal(1);
    const second = await launch(redis.child);
    process.kill(second.pid, 'SIGKILL');
    await second.exited;
    await eventually('the end of the server', async () => (await processesOf(folder())).length === 0);
  });

  it('ends when its guard fails, on a system without setpriv', async () => {
    const environment = await withProgram('redis-server', STAND_IN);
    await symlink(process.execPath, join(folder(), 'bin', 'node'));
    const redis = await chooseRedis(site({ ...environment, PATH: join(folder(), 'bin') }));
    const failing = 'data:text/javascript,process.on("SIGUSR2", () => { throw new Error("a mistake"); })';
    const guard = await launch({ ...redis.child, nodeArgs: ['--import', failing] });
    process.kill(guard.pid, 'SIGUSR2');
    expect((await guard.exited).reason).to.contain('a mistake');
    await eventually('the end of the server', async () => (await processesOf(folder())).length === 0);
  });

  it('fails with a reason when it cannot run', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', null)));
    const failure = await launch(redis.child).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.contains('redis-server')
      .and.contains('status 3');
  });
});

describe('a database whose address is given', () => {
  it('is used without a process, and shown without its credentials', async () => {
    const [mongoUrl, redisUrl] = ['mongodb://user:hidden@db.example/upsilon', 'redis://:hidden@cache.example:6380'];
    const choice = { mongoUrl, redisUrl, dataDir: tmpdir(), environment: {} };
    const { mongo, redis } = await startEngines(choice, NO_EVENTS);
    expect([mongo, redis].map(({ url, process }) => ({ url, process }))).to.deep.equal([
      { url: mongoUrl, process: null },
      { url: redisUrl, process: null },
    ]);
    expect(mongo.title).to.include('db.example').and.to.not.include('hidden');
    expect(redis.title).to.include('cache.example:6380').and.to.not.include('hidden');
  });
});
