import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { createChain } from '../../../../engine/billing/x402/chain.ts';
import { CHAIN_LOOKBACK_BLOCKS } from '../../../../engine/billing/x402/limits.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { termsOf } from '../../../support/x402/payments.ts';

const NEWEST = 60_000n;
const ADDRESS = `0x${'ab'.repeat(20)}` as const;
const HASH = `0x${'cd'.repeat(32)}` as const;
/** Of the event by which a payer cancels an authorization (EIP-3009). */
const CANCELED = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';
const TERMS = termsOf(ADDRESS, ADDRESS);
const AUTHORIZATION = {
  from: ADDRESS,
  to: ADDRESS,
  value: '10000',
  validAfter: '0',
  validBefore: '1',
  nonce: HASH,
} as const;

const CALL = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()).default([]) });
const LOGS = z.object({ fromBlock: z.string(), topics: z.array(z.string()) });

/** What a node over JSON-RPC returns of a chain on which the authorization was cancelled in a block. */
function nodeReply({ method, params }: z.infer<typeof CALL>, canceledIn: bigint): unknown {
  if (method === 'eth_call') return `0x${'1'.padStart(64, '0')}`;
  if (method === 'eth_blockNumber') return `0x${NEWEST.toString(16)}`;
  const { fromBlock, topics } = LOGS.parse(params[0]);
  if (topics[0] !== CANCELED || BigInt(fromBlock) > canceledIn) return [];
  const place = { blockHash: HASH, blockNumber: `0x${canceledIn.toString(16)}`, logIndex: '0x0' };
  return [
    { address: ADDRESS, topics, data: '0x', transactionHash: HASH, transactionIndex: '0x0', removed: false, ...place },
  ];
}

describe('a payment on the chain', () => {
  const server = useFixture<Server>(() =>
    createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(Buffer.from(chunk));
        const call = CALL.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        const reply = { jsonrpc: '2.0', id: call.id, result: nodeReply(call, canceledIn) };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
      })();
    }),
  );
  const chain = useFixture(async () => createChain(`http://127.0.0.1:${await listenOnFreePort(server())}`));
  let canceledIn = 0n;

  after(() => server().closeAllConnections());

  const finding = (): Promise<string> =>
    chain()
      .find({ signature: '0x', authorization: AUTHORIZATION }, TERMS)
      .then(({ kind }) => kind, String);

  it('is spent when its payer cancelled it, as far back as the chain is searched', async () => {
    canceledIn = NEWEST - CHAIN_LOOKBACK_BLOCKS;
    expect(await finding()).to.equal('spent');
  });

  it('is not known when it was used before that', async () => {
    canceledIn = NEWEST - CHAIN_LOOKBACK_BLOCKS - 1n;
    expect(await finding()).to.match(/^Error: a payment was spent before/);
  });
});
