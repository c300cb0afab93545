import * as z from 'zod';
import { getRequest, LoadConnection } from '../frame/load-connection.ts';

/** A recorded response of the service, which the bare server sends. */
export const BareResponse = z.object({
  path: z.string(),
  /** Alternating names and values, as `writeHead` takes them, without headers that Node adds. */
  headers: z.array(z.string()),
  /** Base64. */
  body: z.string(),
});
export type BareResponse = z.infer<typeof BareResponse>;

const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive']);

/** Records one response of the service. @throws when its status is not 200. */
export async function captureResponse(port: number, path: string): Promise<BareResponse> {
  const connection = await LoadConnection.open(port);
  const { status, head, body } = await connection.exchange(getRequest(port, path));
  connection.close();
  if (status !== 200) throw new Error(`${path} returned ${status}`);
  const lines = head.split('\r\n').slice(1);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const sent = headers.filter(([name]) => !ADDED_BY_NODE.has(name.toLowerCase()));
  return { path, headers: sent.flat(), body: body.toString('base64') };
}
