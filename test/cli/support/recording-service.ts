import { createServer, type IncomingHttpHeaders } from 'node:http';
import { thumbprint } from '../../../cli/src/signing/device-key.ts';

/** A request as it arrived, whole. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** The reply; null closes the connection without a response. A body that is a string is sent as it is, any other as JSON. */
export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
} | null;

/** A local HTTP server that records every request and replies as its test specifies. */
export interface RecordingService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
}

/** Floors of a board that requires nothing. */
export const NO_FLOORS = { minimum_tokens: 0, minimum_input: 0, minimum_input_share: 0 };

/** A standing, as a service returns it for a Yield of 6. */
export const STANDING = {
  rank: 3,
  total_operators: 4,
  percentile: 50,
  class_tier: 'REFINER',
  needs: [],
  next_place: { rank: 2, yield_: 7, class_tier: 'REFINER' },
  next_tier: { rank: 2, yield_: 10, class_tier: 'SEEKER' },
};

/** A reply of a board without floors on which every Yield has this standing, and nobody a profile; null for other requests. */
export function boardReply({ path }: RecordedRequest, standing: object = STANDING): Reply {
  if (path.includes('/leaderboard?')) return { status: 200, body: { floors: NO_FLOORS, entries: [] } };
  if (path.includes('/standing?')) return { status: 200, body: standing };
  return path.includes('/operators/') ? { status: 404, body: { code: 'operator_unknown' } } : null;
}

/** Starts a service on a free port of the loopback interface. `reply` sees the request and how many came before it. */
export async function startService(
  reply: (request: RecordedRequest, before: number) => Reply,
): Promise<RecordingService> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = incoming;
      const request = { method, path: url, headers, rawHeaders, body: Buffer.concat(parts).toString('utf8') };
      const answer = reply(request, requests.length);
      requests.push(request);
      if (answer === null) return void incoming.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/api/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A reply that refuses requests without a token, enrols every key and accepts every snapshot with this answer. */
export function acceptAll(result: object = { accepted: true, codename: 'test-lantern', rank: 3 }) {
  return ({ method, path, body }: RecordedRequest): Reply => {
    if (!path.endsWith('/devices')) return { status: 200, body: result };
    if (method === 'GET') return { status: 401, body: { code: 'token_missing' } };
    return { status: 201, body: { kid: thumbprint(JSON.parse(body).jwk) } };
  };
}
