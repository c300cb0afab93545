import { expect } from 'chai';
import * as fc from 'fast-check';
import { MessageReader } from '../../../../ops/local/mongo/message-reader.ts';

/** A wire message: its length, then arbitrary bytes. */
function message(body: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(16), body]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

describe('MessageReader', () => {
  it('returns the sent messages for any split into chunks', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), cuts, (bodies, sizes) => {
        const sent = bodies.map(message);
        const stream = Buffer.concat(sent);
        const reader = new MessageReader();
        const received: string[] = [];
        for (let at = 0, chunk = 0; at < stream.length; chunk += 1) {
          const size = sizes[chunk % sizes.length] ?? 1;
          for (const one of reader.push(stream.subarray(at, at + size))) received.push(one.toString('hex'));
          at += size;
        }
        expect(received).to.deep.equal(sent.map((one) => one.toString('hex')));
      }),
    );
  });

  for (const length of [0, 15, -1, 100_000_000]) {
    it(`refuses a message that claims ${length} bytes`, () => {
      const bytes = Buffer.alloc(16);
      bytes.writeInt32LE(length, 0);
      expect(() => [...new MessageReader().push(bytes)]).to.throw('wire message');
    });
  }
});
