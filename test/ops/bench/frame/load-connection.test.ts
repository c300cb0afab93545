import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { LoadConnection, requestText } from '../../../../ops/bench/frame/load-connection.ts';
import { captureResponse } from '../../../../ops/bench/reads/bare-response.ts';

/** Repeats the request: in two chunks of two packets, in none, or with its length. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const echo = `${request.method} ${request.url} ${request.headers['content-type']} ${body}`;
  if (request.url === '/chunks') {
    response.write('begin ');
    setImmediate(() => response.end(echo));
  } else if (request.url === '/empty') {
    response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end();
  } else {
    response.writeHead(200, { 'Content-Length': echo.length }).end(echo);
  }
}

describe('a connection of a load generator', () => {
  let server: Server;
  let connection: LoadConnection;
  let port = 0;

  before(async () => {
    server = createServer((request, response) => void respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    connection = await LoadConnection.open(port);
  });

  after(() => {
    connection.close();
    server.close();
  });

  it('sends one request after another, as text or bytes', async () => {
    const get = await connection.exchange(Buffer.from(requestText(port, '/a', 'X-Forwarded-For: 192.0.2.1\r\n')));
    expect([get.status, get.body.toString()]).to.deep.equal([200, 'GET /a undefined ']);
    const post = await connection.exchange(requestText(port, '/b', '', '{"c":1}'));
    expect(post.body.toString()).to.equal('POST /b application/json {"c":1}');
  });

  it('reads a response in chunks to its end', async () => {
    const chunked = await connection.exchange(requestText(port, '/chunks'));
    expect(chunked.body.toString()).to.match(/^6\r\nbegin \r\n[\s\S]+\r\n0\r\n\r\n$/);
    expect((await connection.exchange(requestText(port, '/empty'))).body.toString()).to.equal('0\r\n\r\n');
    expect((await connection.exchange(requestText(port, '/a'))).body.toString()).to.equal('GET /a undefined ');
  });

  it('records a body without its chunks', async () => {
    const { body, headers, path } = await captureResponse(port, { path: '/chunks', body: '{}' });
    expect(Buffer.from(body, 'base64').toString()).to.equal('begin POST /chunks application/json {}');
    expect({ headers, path }).to.deep.equal({ headers: [], path: '/chunks' });
  });
});
