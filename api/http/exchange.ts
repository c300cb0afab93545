import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { ProblemCode } from '../../engine/contract/index.ts';

export type BodyType = 'application/json' | 'application/x-www-form-urlencoded';

export interface Exchange {
  /** Upper case. */
  readonly method: string;
  /** The raw query without its question mark. */
  readonly search: string;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** A request header by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The text by which the limiter counts this client. */
  readonly client: string;
  /** Reads the body, of at most `maxBytes` (default: the limit of JSON bodies). Call it once: the body is not kept. @throws Problem. */
  readonly readBody: (type: BodyType, maxBytes?: number) => Promise<Buffer>;
  /** The same request, for handlers and libraries that write the response themselves. */
  readonly koa: Context;
}

/** The parts of a request on which the form of the response depends. */
export type ResultExchange = Pick<Exchange, 'method' | 'header'>;

/** One finished response, ready for any transport. The response to HEAD has the headers of GET and `body` null. */
export interface Outcome {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
  /** A body that is sent as it is read, in place of `body`. */
  readonly stream?: Readable;
  /** Called once the headers are sent, in place of `body`: writes to the response until it ends. */
  readonly begin?: () => void;
  /** The code of a problem. */
  readonly code: ProblemCode | null;
}
