import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { cacheMib } from '../../../../ops/local/mongo/storage-settings.ts';
import { launch } from '../../../../ops/local/process/launch.ts';
import { connectRaw, isAccepted, untilGone } from '../../../support/stuck-clients.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const ENTRY = fileURLToPath(new URL('../../../../ops/local/mongo/embedded-main.ts', import.meta.url));
const CACHE_DIR = fileURLToPath(new URL('../../../../node_modules/.cache/upsilon', import.meta.url));
const WRITES = 200;

/** Replaces the time limits of tens of seconds. */
const CONNECTION_MS = '1500';

/** Size of the journal's beginning that contains a new directory's first records; the rest of the file is empty. */
const JOURNAL = join('journal', 'WiredTigerLog.0000000001');

describe('the embedded MongoDB', () => {
  const directory = useSuiteFolder();
  const port = useFixture(freePort);
  useFixture(() =>
    launch({
      name: 'MongoDB',
      entry: ENTRY,
      args: [directory(), String(port()), CACHE_DIR, CONNECTION_MS],
      env: processEnvironment(),
      readyWithinMs: 300_000,
      stopWithinMs: 60_000,
      output: 'kept',
    }),
  );
  const connection = useFixture(() => openMongo(`mongodb://127.0.0.1:${port()}/journal`));

  it('has written an acknowledged write to the operating system, where it survives a kill', async () => {
    // Without a journaled write concern: with one, a late journal write would usually still be in time for this test.
    const collection = connection().db!.collection<{ _id: string }>('acknowledged');
    const missing: string[] = [];
    for (let count = 0; count < WRITES; count++) {
      const id = `acknowledged-write-${String(count).padStart(6, '0')}`;
      await collection.insertOne({ _id: id }, { writeConcern: { w: 1 } });
      const journal = await readFile(join(directory(), JOURNAL));
      if (!journal.includes(id)) missing.push(id);
    }
    expect(missing, 'acknowledged but not in the journal').to.deep.equal([]);
  });

  it('closes connections that send nothing or an incomplete message, and keeps idle ones that got a reply', async () => {
    const beginning = Buffer.alloc(20);
    beginning.writeInt32LE(4_000, 0);
    const idle = await openMongo(`mongodb://127.0.0.1:${port()}/journal`);
    const sockets = ['', beginning.toString('latin1')].map((bytes) => connectRaw(port(), bytes));
    await Promise.all(sockets.map(untilGone));
    expect(await idle.db!.command({ ping: 1 })).to.include({ ok: 1 });
    await idle.close();
  });

  it('listens on one loopback address: it knows no authentication', async () => {
    expect(await isAccepted(port(), '127.0.0.1')).to.equal(true);
    expect(await isAccepted(port(), '127.0.0.2')).to.equal(false);
  });

  it('sizes its cache for the machine', async () => {
    const status = await connection().db!.admin().command({ serverStatus: 1 });
    expect(status['wiredTiger'].cache['maximum bytes configured']).to.equal(cacheMib(totalmem()) * 1024 * 1024);
    expect(cacheMib(1024 ** 3), 'on a small machine, in MiB').to.equal(256);
    expect(cacheMib(16 * 1024 ** 3), 'on a large one, in MiB').to.equal(2_048);
  });
});
