import { expect } from 'chai';
import { mongo } from 'mongoose';
import { isStoreUnavailable } from '../../../../engine/ranking/storage/store-errors.ts';

const server = (code: number, errorLabels: string[] = []): Error =>
  new mongo.MongoServerError({ message: 'refused', code, errorLabels });

describe('store errors', () => {
  it('count as unavailability when the store is unreachable, stopping, stepping down, full or out of time', () => {
    const failing = [
      new mongo.MongoNetworkError('connection 3 closed'),
      new mongo.MongoNetworkTimeoutError('timed out'),
      new mongo.MongoServerSelectionError('no server', Object.assign(Object.create(null), {})),
      new mongo.MongoNotConnectedError('not connected'),
      new mongo.MongoTopologyClosedError(),
      new mongo.MongoClientClosedError(),
      new mongo.MongoExpiredSessionError(),
      Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
      Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' }),
      Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' }),
      server(11_600),
      server(91),
      server(189),
      server(10_107),
      server(14_031),
      server(50),
      server(112),
      server(4_711, ['RetryableWriteError']),
    ];
    for (const error of failing) expect(isStoreUnavailable(error), `${error.name} ${error.message}`).to.equal(true);
  });

  it('count as errors of the request otherwise', () => {
    const refusing = [
      server(11_000),
      server(2),
      server(121),
      server(10_334),
      new mongo.MongoInvalidArgumentError('not a document'),
      new Error('a mark series of 5 bytes is damaged'),
      new TypeError('undefined is not a function'),
      Object.assign(new TypeError('not a buffer'), { code: 'ERR_INVALID_ARG_TYPE' }),
      'not an error',
    ];
    for (const error of refusing) expect(isStoreUnavailable(error), String(error)).to.equal(false);
  });
});
