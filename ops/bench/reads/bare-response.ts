import * as z from 'zod';
import { LoadConnection, requestText } from '../frame/load-connection.ts';
import type { LoadRequest } from './client-main.ts';

/** A recorded response of the service, which the bare server sends. */
export const BareResponse = z.object({
  /** Without the query. */
  path: z.string(),
  /** Alternating names and values, as `writeHead` takes them, without headers that Node adds. */
  headers: z.array(z.string()),
  /** Base64. */
  body: z.string(),
});
export type BareResponse = z.infer<typeof BareResponse>;

const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Records one response of the service. @throws when its status is not 200. */
export async function captureResponse(port: number, { path, body: json }: LoadRequest): Promise<BareResponse> {
  const connection = await LoadConnection.open(port);
  const { status, head, body } = await connection.exchange(requestText(port, path, '', json));
  connection.close();
  if (status !== 200) throw new Error(`${path} returned ${status}`);
  return bareResponse(path, head, body);
}

/** A response as the bare server sends it. */
export function bareResponse(path: string, head: string, body: Buffer): BareResponse {
  const lines = head.split('\r\n').slice(1);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const sent = headers.filter(([name]) => !ADDED_BY_NODE.has(name.toLowerCase()));
  const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  const bytes = isChunked ? withoutChunks(body) : body;
  return { path: path.split('?', 1)[0]!, headers: sent.flat(), body: bytes.toString('base64') };
}

function withoutChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const start = body.indexOf('\r\n', at) + 2;
    const length = Number.parseInt(body.toString('latin1', at, start), 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(body.subarray(start, start + length));
    at = start + length + 2;
  }
}
