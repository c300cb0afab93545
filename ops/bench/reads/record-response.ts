import { LoadConnection } from '../client/load-connection.ts';
import { readText } from '../client/requests.ts';

/** A response of the service, which the bare server repeats. */
export interface RecordedResponse {
  readonly path: string;
  /** Alternating names and values, as `writeHead` takes them, without headers that Node adds. */
  readonly headers: readonly string[];
  /** Base64. */
  readonly body: string;
}

const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive']);

/** Records one response of a server. @throws when its status is not 200. */
export async function recordResponse(port: number, path: string): Promise<RecordedResponse> {
  const connection = await LoadConnection.open(port);
  const { status, head, body } = await connection.exchange(readText(port, { path }));
  connection.close();
  if (status !== 200) throw new Error(`${path} returned ${status}`);
  const headers = head
    .split('\r\n')
    .slice(1)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      const name = line.slice(0, colon);
      return ADDED_BY_NODE.has(name.toLowerCase()) ? [] : [name, line.slice(colon + 2)];
    });
  return { path, headers, body: body.toString('base64') };
}
