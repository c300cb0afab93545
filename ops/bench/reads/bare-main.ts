import { createServer } from 'node:http';
import * as z from 'zod';
import { BareResponse } from './bare-response.ts';

/** The peer: only `node:http`, sending the recorded responses of its argument by path when it has read a request. */
const responses = new Map(
  z
    .array(BareResponse)
    .parse(JSON.parse(process.argv[2] ?? '[]'))
    .map(({ path, headers, body }) => [path, { headers, body: Buffer.from(body, 'base64') }]),
);

const server = createServer((request, response) => {
  const { url = '', method } = request;
  const query = url.indexOf('?');
  const recorded = responses.get(query < 0 ? url : url.slice(0, query));
  if (recorded === undefined) {
    response.writeHead(404).end();
    return;
  }
  const send = (): void => {
    response.writeHead(200, recorded.headers);
    response.end(recorded.body);
  };
  if (method === 'POST') request.resume().on('end', send);
  else send();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
