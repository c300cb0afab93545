import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createHeadWriter, endInOnePiece, flatten, makeReadyHead } from '../../../../api/http/fast-path/ready-head.ts';
import { freePort } from '../../../../ops/local/free-port.ts';

const HEADERS = {
  ETag: '"tag"',
  'Content-Length': '2',
  RateLimit: '"public";r=5;t=3',
  'RateLimit-Limit': '60',
  'RateLimit-Remaining': '5',
  'RateLimit-Reset': '3',
  'Access-Control-Allow-Origin': '*',
};

/** Two bytes that no head has. */
const BODY = '{}';

describe('api: a ready head', () => {
  it('is the text of the headers, cut where the quota is reported, without the length', () => {
    expect(makeReadyHead(429, flatten(HEADERS))).to.deep.include({
      status: 429,
      untilRateLimit: 'HTTP/1.1 429 Too Many Requests\r\nETag: "tag"\r\nRateLimit: ',
      untilRemaining: '\r\nRateLimit-Limit: 60\r\nRateLimit-Remaining: ',
      untilReset: '\r\nRateLimit-Reset: ',
      rest: '\r\nAccess-Control-Allow-Origin: *\r\n',
      length: ['Content-Length', '2'],
    });
  });

  for (const [name, headers] of [
    ['a value that begins a line of its own', { ...HEADERS, ETag: '"tag"\r\nSet-Cookie: a=b' }],
    ['a value beyond one byte a character', { ...HEADERS, ETag: '"ϒ"' }],
    ['a name that is none', { ...HEADERS, 'E Tag': '"tag"' }],
  ] as const) {
    it(`is not made of ${name}`, () => {
      expect(() => makeReadyHead(200, flatten(headers))).to.throw(TypeError);
    });
  }
});

describe('api: a head writer', () => {
  for (const connection of ['keep-alive', 'close']) {
    it(`writes what Node writes, in each response of a connection that the client wants ${connection}`, async () => {
      const writeHead = createHeadWriter();
      const answers = [
        [200, HEADERS],
        [200, { ...HEADERS, RateLimit: '"public";r=4;t=3', 'RateLimit-Remaining': '4' }],
        [404, { ...HEADERS, 'Content-Language': 'en' }],
        [202, { ...HEADERS, date: 'Thu, 01 Jan 1970 00:00:00 GMT' }],
        [400, { ...HEADERS, Connection: 'close' }],
      ] as const;
      const respond = async (ours: boolean): Promise<string[][]> => {
        let served = 0;
        const statuses: number[] = [];
        const server = createServer((_, response) => {
          const [status, headers] = answers[served++]!;
          response.sendDate = 'date' in headers;
          if (ours) {
            writeHead(response, status, headers);
            endInOnePiece(response, BODY);
          } else response.writeHead(status, headers).end(BODY);
          statuses.push(response.statusCode);
        });
        const port = await freePort();
        await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
        const socket = connect(port, '127.0.0.1');
        const head = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`;
        socket.write(head.repeat(connection === 'close' ? 1 : answers.length));
        const received = (await text(socket)).split(BODY);
        server.close();
        // The order of a head's lines has no meaning.
        return [...received.map((one) => one.split('\r\n').toSorted()), statuses.map(String)];
      };
      const ours = await respond(true);
      expect(ours).to.deep.equal(await respond(false));
      expect(ours).to.have.lengthOf(connection === 'close' ? 3 : answers.length + 2);
    });
  }

  it('refuses a value with a line break after a good one, and a bad name', () => {
    const writeHead = createHeadWriter();
    const respond = (headers: Readonly<Record<string, string>>): void => {
      writeHead(new ServerResponse(new IncomingMessage(new Socket())), 200, headers);
    };
    respond(HEADERS);
    expect(() => respond({ ...HEADERS, ETag: '"tag"\r\nSet-Cookie: a=b' })).to.throw(TypeError);
    expect(() => respond({ ...HEADERS, 'E Tag': '"tag"' })).to.throw(TypeError);
  });
});
