import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import * as z from 'zod';
import { listenOnFreePort } from '../listen.ts';

type Operation = 'verify' | 'settle';

/** What a facilitator does: the official one does it on a chain, a scripted one as if there were one. */
export type FacilitatorWork = Pick<x402Facilitator, 'verify' | 'settle'>;

/** What a test does to the facilitator's answers. Called when the facilitator has done its work, or before. */
export interface Mischief {
  /** Before the work: an answer of its own spares the work. */
  readonly before?: (operation: Operation, response: ServerResponse) => Promise<boolean> | boolean;
  /** After the work: true keeps the answer to itself. */
  readonly after?: (operation: Operation, response: ServerResponse) => Promise<boolean> | boolean;
}

/** A facilitator behind HTTP that counts requests. */
export class LocalFacilitator implements AsyncDisposable {
  readonly url: string;
  readonly calls = { verify: 0, settle: 0 };
  mischief: Mischief = {};
  readonly #server: Server;

  constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const REQUEST = z.object({
  paymentPayload: z.custom<PaymentPayload>((value) => typeof value === 'object'),
  paymentRequirements: z.custom<PaymentRequirements>((value) => typeof value === 'object'),
});

/** Starts a facilitator whose work somebody does. */
export async function startFacilitator(facilitator: FacilitatorWork): Promise<LocalFacilitator> {
  let local: LocalFacilitator | null = null;
  const server = createServer((request, response) => {
    if (local === null) return;
    answer(facilitator, local, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  local = new LocalFacilitator(server, await listenOnFreePort(server));
  return local;
}

async function answer(
  facilitator: FacilitatorWork,
  local: LocalFacilitator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const operation = request.url === '/verify' ? 'verify' : 'settle';
  local.calls[operation] += 1;
  const { paymentPayload, paymentRequirements } = REQUEST.parse(await json(request));
  if ((await local.mischief.before?.(operation, response)) === true) return;
  const result = await facilitator[operation](paymentPayload, paymentRequirements);
  if ((await local.mischief.after?.(operation, response)) === true) return;
  end(response, result);
}

function end(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
