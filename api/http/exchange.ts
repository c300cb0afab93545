import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ProblemCode } from '../../engine/contract/index.ts';

/** One request, independent of the framework. */
export interface Exchange {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  /** The raw query without its question mark. */
  readonly search: string;
  /** Decoded path parameters; null when a percent-escape in the path is malformed. */
  readonly params: Readonly<Record<string, string>> | null;
  /** A request header by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The text by which the limiter counts this client. */
  readonly client: string;
  /** Reads the body, of at most `maxBytes` (default: the limit of JSON bodies). Call it once: the body is not kept. @throws Problem. */
  readonly readBody: (maxBytes?: number) => Promise<Buffer>;
}

/** The exchange of a request whose target and client the caller read. */
export function exchangeOf(
  request: IncomingMessage,
  target: Pick<Exchange, 'path' | 'search' | 'params' | 'client' | 'readBody'>,
): Exchange {
  const { headers, method = 'GET' } = request;
  return {
    method,
    ...target,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
  };
}

/** One finished response, ready for any transport. The response to HEAD has the headers of GET and `body` null. */
export interface Outcome {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
  /** A body that is sent as it is read, in place of `body`. */
  readonly stream?: Readable;
  /** The code of a problem. */
  readonly code: ProblemCode | null;
}
