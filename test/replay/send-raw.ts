import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** How long a response may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Requests on one connection of `sendMany`. */
const ON_ONE_CONNECTION = 100;

/** A response as it was received, its body without transfer and content encoding. */
export interface Received {
  /** The status line; of interim responses also. Empty when the connection ended without a response. */
  readonly status: string;
  /** Names and values in their order and case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text?: string;
  /** A body that is not UTF-8. */
  readonly base64?: string;
  /** Bytes of the body before it was decoded. */
  readonly bytes: number;
  /** How the response broke its framing, such as bytes after the body. */
  readonly fault?: string;
}

interface Message {
  readonly status: string;
  readonly headers: [string, string][];
  readonly body: Buffer;
  readonly rest: Buffer;
}

/** Sends bytes on a new connection from the local address `from`, and returns the response. */
export async function sendRaw(port: number, from: string, bytes: Buffer, isHead: boolean): Promise<Received> {
  const { messages, fault } = await exchange(port, from, bytes, 1, isHead);
  const [message] = messages;
  if (message === undefined) return { status: '', headers: [], bytes: 0, fault: fault ?? 'no response' };
  const { status, headers, body, rest } = message;
  const extra = rest.length === 0 ? fault : `${rest.length} bytes after the body`;
  return {
    status,
    headers,
    ...readable(body, headers),
    bytes: body.length,
    ...(extra === undefined ? {} : { fault: extra }),
  };
}

/** Sends many requests from the same address, whose responses are dropped. */
export async function sendMany(port: number, from: string, requests: readonly Buffer[]): Promise<void> {
  for (let at = 0; at < requests.length; at += ON_ONE_CONNECTION) {
    const batch = requests.slice(at, at + ON_ONE_CONNECTION);
    const { messages, fault } = await exchange(port, from, Buffer.concat(batch), batch.length, false);
    if (messages.length < batch.length) throw new Error(`${messages.length} of ${batch.length} responses: ${fault}`);
  }
}

/** Writes bytes and reads `count` responses, or fewer when the connection ends. */
function exchange(port: number, from: string, bytes: Buffer, count: number, isHead: boolean) {
  return new Promise<{ messages: Message[]; fault?: string }>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const messages: Message[] = [];
    let received: Buffer = Buffer.alloc(0);
    const finish = (fault?: string): void => {
      socket.destroy();
      resolve(fault === undefined ? { messages } : { messages, fault });
    };
    const read = (ended: boolean): void => {
      while (messages.length < count) {
        const message = parseMessage(received, isHead, ended);
        if (message === null) return;
        messages.push(message);
        received = message.rest;
      }
      finish();
    };
    socket.setTimeout(PATIENCE_MS, () => finish('timed out'));
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data]);
      read(false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    socket.on('close', () => {
      read(true);
      finish(received.length === 0 ? 'closed' : 'closed within a response');
    });
    socket.write(bytes);
  });
}

/** The first final response in the bytes, with the status lines of interim ones; null when it is incomplete. */
function parseMessage(bytes: Buffer, isHead: boolean, ended: boolean): Message | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [status = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const after = bytes.subarray(end + 4);
  const code = Number(status.split(' ')[1]);
  if (code < 200) {
    const final = parseMessage(after, isHead, ended);
    return final && { ...final, status: `${status}, ${final.status}` };
  }
  if (isHead || code === 204 || code === 304) return { status, headers, body: Buffer.alloc(0), rest: after };
  const length = headerOf(headers, 'content-length');
  if (length !== undefined) return after.length < Number(length) ? null : split(after, Number(length));
  if (headerOf(headers, 'transfer-encoding') === 'chunked') {
    const chunks = dechunk(after);
    return chunks && { status, headers, ...chunks };
  }
  return ended ? split(after, after.length) : null;

  function split(data: Buffer, at: number): Message {
    return { status, headers, body: data.subarray(0, at), rest: data.subarray(at) };
  }
}

function dechunk(bytes: Buffer): { body: Buffer; rest: Buffer } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(next) };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

function headerOf(headers: readonly (readonly [string, string])[], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function readable(
  body: Buffer,
  headers: readonly (readonly [string, string])[],
): { text: string } | { base64: string } {
  const encoding = body.length === 0 ? undefined : headerOf(headers, 'content-encoding');
  let plain = body;
  if (encoding === 'gzip') plain = gunzipSync(body);
  if (encoding === 'br') plain = brotliDecompressSync(body);
  const text = plain.toString('utf8');
  return Buffer.from(text).equals(plain) ? { text } : { base64: plain.toString('base64') };
}
