import { expect } from 'chai';
import { QUEUE_NAMES, queuePrefix } from '../../../../ops/runtime/queues/index.ts';

describe('the names of queues in Redis', () => {
  it('put the keys of each queue into one slot of a cluster, and those of different queues into different ones', () => {
    // Redis hashes the text in the first pair of braces, and nothing else of a key that has one.
    const hashed = QUEUE_NAMES.map((name) => /^\{([^{}]+)\}/.exec(queuePrefix('upsilon', name))?.[1]);
    expect(hashed).to.not.include(undefined);
    expect(new Set(hashed)).to.have.property('size', QUEUE_NAMES.length);
  });
});
