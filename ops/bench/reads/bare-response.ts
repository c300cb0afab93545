import { get } from 'node:http';
import * as z from 'zod';

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
export function captureResponse(port: number, path: string): Promise<BareResponse> {
  return new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', headers: { host: `localhost:${port}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200)
          resolve({ path, headers: sentHeaders(response.rawHeaders), body: Buffer.concat(chunks).toString('base64') });
        else reject(new Error(`${path} returned ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

function sentHeaders(raw: readonly string[]): string[] {
  const sent: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    if (!ADDED_BY_NODE.has(name.toLowerCase())) sent.push(name, value);
  }
  return sent;
}
