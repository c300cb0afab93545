import { createServer } from 'node:http';
import * as z from 'zod';
import { BareResponse } from './bare-response.ts';

/** The peer: only `node:http`, sending the recorded responses of its argument by path. */
const responses = new Map(
  z
    .array(BareResponse)
    .parse(JSON.parse(process.argv[2] ?? '[]'))
    .map(({ path, headers, body }) => [path, { headers, body: Buffer.from(body, 'base64') }]),
);

const server = createServer((request, response) => {
  const recorded = responses.get(request.url ?? '');
  if (recorded === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, recorded.headers);
  response.end(recorded.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
