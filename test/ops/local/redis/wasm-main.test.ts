import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../../../config/env.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { launch } from '../../../../ops/local/process/launch.ts';
import { eventually } from '../../../support/eventually.ts';
import { isAccepted, StuckClients } from '../../../support/stuck-clients.ts';

const ENTRY = fileURLToPath(new URL('../../../../ops/local/redis/wasm-main.ts', import.meta.url));

/** Replaces the time limits of tens of seconds. */
const CONNECTION_MS = '1500';

/** Replies to this many reads exceed the system's socket buffers. */
const VALUE_BYTES = 2 ** 20;
const READS = 20;

describe('the embedded Redis', () => {
  it('closes connections that send or read nothing, keeps idle ones that got a reply, and listens on loopback', async () => {
    const port = await freePort();
    const times = { readyWithinMs: 300_000, stopWithinMs: 5_000 };
    const args = [String(port), '256mb', CONNECTION_MS];
    const engine = await launch({
      name: 'Redis',
      entry: ENTRY,
      args,
      env: processEnvironment(),
      output: 'kept',
      ...times,
    });
    const idle = new Redis(port, '127.0.0.1');
    try {
      let disconnects = 0;
      idle.on('close', () => (disconnects += 1));
      expect(await isAccepted(port, '127.0.0.2')).to.equal(false);
      expect(await idle.config('GET', 'maxmemory')).to.deep.equal(['maxmemory', String(256 * 2 ** 20)]);
      await idle.set('long', 'x'.repeat(VALUE_BYTES));
      const stuck = new StuckClients(port);
      await stuck.open(3, '');
      await stuck.open(3, 'GET long\r\n'.repeat(READS));
      const clients = async () =>
        String(await idle.client('LIST'))
          .trim()
          .split('\n').length;
      await eventually('the stuck clients', async () => (await clients()) === 7);
      await eventually('their end', async () => (await clients()) === 1);
      stuck[Symbol.dispose]();
      expect(await idle.ping()).to.equal('PONG');
      expect(disconnects).to.equal(0);
    } finally {
      idle.disconnect();
      await engine.stop();
    }
  });
});
