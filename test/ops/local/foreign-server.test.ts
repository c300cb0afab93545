import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { chooseMongo } from '../../../ops/local/mongo/choose-mongo.ts';
import { launch } from '../../../ops/local/process/launch.ts';
import { chooseRedis } from '../../../ops/local/redis/choose-redis.ts';
import { redisCommands } from '../../../ops/local/redis/redis-commands.ts';
import { eventually } from '../../support/eventually.ts';
import { processesOf } from '../../support/starter.ts';

const STAND_IN = fileURLToPath(new URL('../../support/children/redis-server', import.meta.url));

describe('a server program on the PATH', () => {
  let folder: string;
  const site = (environment: Record<string, string> = {}) => ({ dataDir: folder, cacheDir: folder, environment });
  /** An environment whose PATH contains the stand-in and Node. */
  const withProgram = async (name: string, program: string | null) => {
    const path = join(folder, 'bin', name);
    await mkdir(join(folder, 'bin'), { recursive: true });
    if (program === null) await writeFile(path, '#!/bin/sh\nexit 3\n');
    else await copyFile(program, path);
    await chmod(path, 0o755);
    const environment = processEnvironment();
    return {
      ...environment,
      PATH: `${join(folder, 'bin')}${delimiter}${environment['PATH'] ?? ''}`,
      TEST_FOLDER: folder,
    };
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upsilon-foreign-'));
  });
  afterEach(async () => {
    await eventually('the end of every process', async () => (await processesOf(folder)).length === 0);
    await rm(folder, { recursive: true, force: true });
  });

  it('is preferred to the embedded engine', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    expect(redis).to.include({ embedded: false, title: `Redis (${join(folder, 'bin', 'redis-server')})` });
    const mongo = await chooseMongo(site(await withProgram('mongod', STAND_IN)));
    expect(mongo).to.include({ embedded: false, title: `mongod (${join(folder, 'bin', 'mongod')})` });
    expect(await chooseRedis(site({ PATH: '' }))).to.include({ embedded: true });
    expect(await chooseMongo(site({ PATH: '' }))).to.include({ embedded: true });
  });

  it('is not used when the embedded engine has data in the folder', async () => {
    await mkdir(join(folder, 'mongodb-embedded'));
    await writeFile(join(folder, 'mongodb-embedded', 'WiredTiger'), '');
    expect(await chooseMongo(site(await withProgram('mongod', STAND_IN)))).to.include({ embedded: true });
  });

  it('starts and stops with its guard', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    const guard = await launch(redis.child);
    await redisCommands(Number(new URL(redis.url).port), ['PING']);
    expect(await guard.stop()).to.include({ code: 0 });
    expect(await processesOf(folder)).to.deep.equal([]);
  });

  it('ends when its guard is killed, and vice versa', async () => {
    const redis = await chooseRedis(site(await withProgram('redis-server', STAND_IN)));
    const first = await launch(redis.child);
    process.kill(Number(first.details['server']), 'SIGKILL');
    expect((await first.exited).code).to.equal(1);
    const second = await launch(redis.child);
    process.kill(second.pid, 'SIGKILL');
    await second.exited;
    await eventually('the end of the server', async () => (await processesOf(folder)).length === 0);
  });

  it('ends when its guard fails, on a system without setpriv', async () => {
    const environment = await withProgram('redis-server', STAND_IN);
    await symlink(process.execPath, join(folder, 'bin', 'node'));
    const redis = await chooseRedis(site({ ...environment, PATH: join(folder, 'bin') }));
    const failing = 'data:text/javascript,process.on("SIGUSR2", () => { throw new Error("a mistake"); })';
    const guard = await launch({ ...redis.child, nodeArgs: ['--import', failing] });
    process.kill(guard.pid, 'SIGUSR2');
    expect((await guard.exited).reason).to.contain('a mistake');
    await eventually('the end of the server', async () => (await processesOf(folder)).length === 0);
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
