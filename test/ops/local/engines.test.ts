import { expect } from 'chai';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { freshDatabase } from '../../support/engines.ts';

describe('the engines of a bare machine', () => {
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

  it('answer a lone Redis command at once', async () => {
    const { redisUrl, prefix } = await freshDatabase();
    const redis = new Redis(redisUrl);
    try {
      await redis.ping();
      const start = performance.now();
      for (let number = 0; number < 20; number += 1) await redis.set(`${prefix}:${number}`, number);
      // A reply that waits for Valkey's timer takes 100 ms; one that does not takes less than one.
      expect((performance.now() - start) / 20).to.be.below(50);
    } finally {
      redis.disconnect();
    }
  });

  it('answer long Redis commands at once', async () => {
    const { redisUrl, prefix } = await freshDatabase();
    const redis = new Redis(redisUrl);
    const long = 'upsilon '.repeat(2_500);
    try {
      await redis.ping();
      const start = performance.now();
      for (let number = 0; number < 20; number += 1) {
        await redis.set(`${prefix}:${number}`, long);
        expect(await redis.get(`${prefix}:${number}`)).to.equal(long);
      }
      // A reply in two parts of which the second waits for a delayed acknowledgement takes 40 ms.
      expect((performance.now() - start) / 20).to.be.below(25);
    } finally {
      redis.disconnect();
    }
  });

  it('refuse writes to Redis rather than forget some', async () => {
    const { redisUrl } = await freshDatabase();
    const redis = new Redis(redisUrl);
    try {
      expect(await redis.config('GET', 'maxmemory-policy')).to.deep.equal(['maxmemory-policy', 'noeviction']);
    } finally {
      redis.disconnect();
    }
  });

  it('survive a command that the embedded MongoDB cannot take', async () => {
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
