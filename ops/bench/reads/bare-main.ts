import { createServer } from 'node:http';
import * as z from 'zod';
import { BareAnswer } from './bare-answer.ts';

/** The peer: nothing but `node:http`, sending the answers that it is given as its argument, by path. */
const answers = new Map(
  z
    .array(BareAnswer)
    .parse(JSON.parse(process.argv[2] ?? '[]'))
    .map(({ path, headers, body }) => [path, { headers, body: Buffer.from(body, 'base64') }]),
);

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
