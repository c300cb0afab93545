import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { type Connection, openMongo } from '../../../../engine/mongo/index.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { cacheMib } from '../../../../ops/local/mongo/storage-settings.ts';
import { launch, type RunningChild } from '../../../../ops/local/process/launch.ts';
import { connectRaw, untilGone } from '../../../support/stuck-clients.ts';

const ENTRY = fileURLToPath(new URL('../../../../ops/local/mongo/embedded-main.ts', import.meta.url));
const CACHE_DIR = fileURLToPath(new URL('../../../../node_modules/.cache/upsilon', import.meta.url));
const WRITES = 200;

/** In place of the tens of seconds that connections may be silent, unread or within a message. */
const CONNECTION_MS = '1500';

/** Where a fresh directory's first journal records are; the rest of the file is empty for a long time. */
const JOURNAL = join('journal', 'WiredTigerLog.0000000001');

describe('the embedded MongoDB', function () {
  this.timeout(60_000);
  let directory: string;
  let port: number;
  let engine: RunningChild;
  let connection: Connection;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'upsilon-journal-'));
    port = await freePort();
    engine = await launch({
      name: 'MongoDB',
      entry: ENTRY,
      args: [directory, String(port), CACHE_DIR, CONNECTION_MS],
      env: processEnvironment(),
      readyWithinMs: 30_000,
      stopWithinMs: 15_000,
      output: 'kept',
    });
    connection = await openMongo(`mongodb://127.0.0.1:${port}/journal`);
  });

  after(async () => {
    await connection?.close();
    await engine?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('has given a write to the system once it answers it, where a kill of its own cannot reach it', async () => {
    // Without a journaled write concern: with one, a journal that is merely late is mostly in time to be read here.
    const collection = connection.db!.collection<{ _id: string }>('answered');
    const missing: string[] = [];
    for (let count = 0; count < WRITES; count++) {
      const id = `answered-write-${String(count).padStart(6, '0')}`;
      await collection.insertOne({ _id: id }, { writeConcern: { w: 1 } });
      const journal = await readFile(join(directory, JOURNAL));
      if (!journal.includes(id)) missing.push(id);
    }
    expect(missing, 'answered and not in the journal').to.deep.equal([]);
  });

  it('closes connections that send nothing or a part of a message, and keeps idle ones that got a reply', async () => {
    const beginning = Buffer.alloc(20);
    beginning.writeInt32LE(4_000, 0);
    const idle = await openMongo(`mongodb://127.0.0.1:${port}/journal`);
    const sockets = ['', beginning.toString('latin1')].map((bytes) => connectRaw(port, bytes));
    await Promise.all(sockets.map(untilGone));
    expect(await idle.db!.command({ ping: 1 })).to.include({ ok: 1 });
    await idle.close();
  });

  it('keeps records in memory as far as the machine allows', async () => {
    const status = await connection.db!.admin().command({ serverStatus: 1 });
    expect(status['wiredTiger'].cache['maximum bytes configured']).to.equal(cacheMib(totalmem()) * 1024 * 1024);
    expect(cacheMib(1024 ** 3), 'on a small machine, in MiB').to.equal(256);
    expect(cacheMib(16 * 1024 ** 3), 'on a large one, in MiB').to.equal(2_048);
  });
});
