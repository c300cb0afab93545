import { createServer } from 'node:http';
import type { RecordedResponse } from './record-response.ts';

/** The peer: only `node:http`, sending the recorded responses of its argument by path. */
const recorded: readonly RecordedResponse[] = JSON.parse(process.argv[2] ?? '[]');
const responses = new Map(
  recorded.map(({ path, headers, body }) => [path, { headers: [...headers], body: Buffer.from(body, 'base64') }]),
);

const server = createServer(({ url = '' }, response) => {
  const found = responses.get(url);
  if (found === undefined) response.writeHead(404).end();
  else response.writeHead(200, found.headers).end(found.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
