import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../../../config/env.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { launch } from '../../../../ops/local/process/launch.ts';

const ENTRY = fileURLToPath(new URL('../../../support/children/untimed-valkey.ts', import.meta.url));

describe('a step of the embedded Redis', () => {
  it('writes every reply, short or long, single or pipelined, without its timer', async () => {
    const port = await freePort();
    const engine = await launch({
      name: 'Redis',
      entry: ENTRY,
      args: [String(port)],
      env: processEnvironment(),
      output: 'kept',
      readyWithinMs: 300_000,
      stopWithinMs: 5_000,
    });
    const redis = new Redis(port, '127.0.0.1');
    try {
      const long = 'upsilon '.repeat(2_500);
      for (const value of ['short', long]) {
        for (let number = 0; number < 20; number += 1) {
          await redis.set(`key:${number}`, value);
          expect(await redis.get(`key:${number}`)).to.equal(value);
        }
      }
      const replies = await Promise.all(Array.from({ length: 200 }, (_, number) => redis.echo(`${number} ${long}`)));
      expect(replies.map((reply) => Number.parseInt(reply, 10))).to.deep.equal(replies.map((_, number) => number));
    } finally {
      redis.disconnect();
      await engine.stop();
    }
  });
});
