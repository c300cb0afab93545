import { expect } from 'chai';
import mongoose from 'mongoose';
import { refuseFatal, replyHeader } from '../../../../ops/local/mongo/wire.ts';

const { BSON } = mongoose.mongo;

/** An OP_MSG as a driver sends it. */
function command(document: object, requestId = 7): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const bytes = Buffer.concat([Buffer.alloc(21), body]);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(2013, 12);
  return bytes;
}

describe('the commands that would end the embedded MongoDB', () => {
  for (const name of [
    'startSession',
    'endSessions',
    'killSessions',
    'killAllSessions',
    'killAllSessionsByPattern',
    'refreshSessions',
  ]) {
    it(`are refused: ${name}`, async () => {
      const reply = await refuseFatal(command({ [name]: 1, $db: 'admin' }));
      expect(reply).to.include({ requestId: 7, moreToCome: false, legacy: false });
      const response = BSON.deserialize(reply?.response ?? Buffer.alloc(0));
      expect(response).to.deep.equal({
        ok: 0,
        errmsg: `no such command: '${name}'`,
        code: 59,
        codeName: 'CommandNotFound',
      });
    });
  }

  it('are refused behind another section, whatever length that claims to have', async () => {
    const plain = command({ endSessions: 1 });
    for (const [claimed, bytes] of [
      [9, 'docs\0'],
      [-100, ''],
    ] as const) {
      const section = Buffer.concat([Buffer.from([1]), Buffer.alloc(4), Buffer.from(bytes)]);
      section.writeInt32LE(claimed, 1);
      const message = Buffer.concat([plain.subarray(0, 20), section, plain.subarray(20)]);
      expect(await refuseFatal(message)).to.include({ requestId: 7 });
    }
  });

  for (const name of ['ping', 'find', 'insert', 'sessions', 'startSessionX']) {
    it(`do not include ${name}`, async () => expect(await refuseFatal(command({ [name]: 1 }))).to.equal(null));
  }
});

describe('replyHeader', () => {
  it('frames an OP_MSG and an OP_REPLY', () => {
    const response = Buffer.from(BSON.serialize({ ok: 1 }));
    const modern = replyHeader({ requestId: 9, moreToCome: false, legacy: false, response }, 3);
    expect([0, 4, 8, 12].map((at) => modern.readInt32LE(at))).to.deep.equal([21 + response.length, 3, 9, 2013]);
    const legacy = replyHeader({ requestId: 9, moreToCome: false, legacy: true, response }, 3);
    expect([0, 4, 8, 12, 32].map((at) => legacy.readInt32LE(at))).to.deep.equal([36 + response.length, 3, 9, 1, 1]);
  });
});
