import { get } from 'node:http';
import * as z from 'zod';

/** An answer of the service as the bare server repeats it. */
export const BareAnswer = z.object({
  path: z.string(),
  /** Names and values in turns, as `writeHead` takes them, without those that Node adds by itself. */
  headers: z.array(z.string()),
  /** Base64. */
  body: z.string(),
});
export type BareAnswer = z.infer<typeof BareAnswer>;

const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive']);

/** Asks the service once. Throws unless it answers 200. */
export function captureAnswer(port: number, path: string): Promise<BareAnswer> {
  return new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', headers: { host: `localhost:${port}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200)
          resolve({ path, headers: sentHeaders(response.rawHeaders), body: Buffer.concat(chunks).toString('base64') });
        else reject(new Error(`${path} was answered ${response.statusCode}`));
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
