import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { freshDatabase } from '../../../support/engines.ts';

/** More than Valkey writes in one call, less than a segment on the loopback interface. */
const LONG_VALUE = 'upsilon '.repeat(2_500);
const REPLY_BYTES = `$${LONG_VALUE.length}\r\n${LONG_VALUE}\r\n`.length;
/** More than the initial window of a connection. */
const LONG_READS = 40;

describe('the embedded engines', () => {
  it('store a document in MongoDB, journaled', async () => {
    const { mongoUrl, databaseName } = await freshDatabase();
    const connection = await mongoose.createConnection(mongoUrl).asPromise();
    try {
      expect(connection.name).to.equal(databaseName);
      const things = connection.collection<{ name: string }>('things');
      await things.insertOne({ name: 'first' }, { writeConcern: { w: 'majority', j: true } });
      expect(await things.findOne({}, { projection: { _id: 0 } })).to.deep.equal({ name: 'first' });
    } finally {
      await connection.close();
    }
  });

  it('write a long reply without waiting for an acknowledgement', async () => {
    const { redisUrl, prefix } = await freshDatabase();
    const redis = new Redis(redisUrl);
    const { hostname, port } = new URL(redisUrl);
    const [reader, beside] = [connect(Number(port), hostname), connect(Number(port), hostname)];
    let repliesBeside = 0;
    beside.on('data', () => {
      repliesBeside += 1;
      beside.write('PING\r\n');
    });
    try {
      await redis.set(prefix, LONG_VALUE);
      beside.write('PING\r\n');
      let meanwhile = 0;
      for (let number = 0; number < LONG_READS; number += 1) {
        reader.write(`GET ${prefix}\r\n`);
        const began = await firstBytes(reader);
        const before = repliesBeside;
        await moreBytes(reader, began);
        meanwhile += repliesBeside - before;
      }
      // A delayed acknowledgement takes 40 ms: hundreds of replies for each read.
      expect(meanwhile, 'replies to another client during long ones').to.be.at.most(20 * LONG_READS);
    } finally {
      redis.disconnect();
      reader.destroy();
      beside.destroy();
    }
  });

  it('refuse writes to a full Redis instead of evicting keys', async () => {
    const { redisUrl } = await freshDatabase();
    const redis = new Redis(redisUrl);
    try {
      expect(await redis.config('GET', 'maxmemory-policy')).to.deep.equal(['maxmemory-policy', 'noeviction']);
    } finally {
      redis.disconnect();
    }
  });

  it('survive a command that would end the embedded MongoDB', async () => {
    const { mongoUrl } = await freshDatabase();
    const connection = await mongoose.createConnection(mongoUrl).asPromise();
    try {
      await connection.db!.command({ endSessions: [] }).catch(() => {});
      expect(await connection.db!.command({ ping: 1 })).to.include({ ok: 1 });
    } finally {
      await connection.close();
    }
  });
});

/** Waits for the start of a reply; returns its length. */
async function firstBytes(socket: Socket): Promise<number> {
  const [chunk]: Buffer[] = await once(socket, 'data');
  return chunk!.length;
}

/** Waits for the rest of a reply of which this many bytes have arrived. */
async function moreBytes(socket: Socket, began: number): Promise<void> {
  for (let bytes = began; bytes < REPLY_BYTES; ) bytes += await firstBytes(socket);
}
