import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as z from 'zod';
import { PremiumApiSummary } from '../../engine/contract/index.ts';
import { openShop } from '../api/premium/open-shop.ts';
import { leaveOut } from '../support/leave-out.ts';
import { chainFacilitator } from '../support/x402/chain-facilitator.ts';
import { findAnvil } from '../support/x402/find-anvil.ts';
import { startChain } from '../support/x402/local-chain.ts';
import { startFacilitator } from '../support/x402/local-facilitator.ts';
import { decoded } from '../support/x402/payments.ts';

const FOLDER = fileURLToPath(new URL('x402-v1', import.meta.url));

const PAID = z.object({ status: z.int(), body: z.unknown(), receipt: z.string().nullable() });

describe('the official client of x402 version 1', () => {
  const anvil = findAnvil();
  if ('missing' in anvil) {
    leaveOut('anvil', anvil.missing);
    return;
  }
  if (!existsSync(`${FOLDER}/node_modules/x402-fetch`)) {
    leaveOut('x402-v1', 'the x402 version 1 client is not installed (npm ci --prefix test/interop/x402-v1)');
    return;
  }

  it('pays for the premium route, and the seller receives the payment', async () => {
    await using chain = await startChain();
    await using facilitator = await startFacilitator(chainFacilitator(chain));
    const { address: payTo } = chain.seller;
    await using shop = await openShop({ payTo, facilitatorUrl: facilitator.url, rpcUrl: chain.rpcUrl });
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['pay.mjs', `${shop.origin}/api`, chain.payerKey], {
      cwd: FOLDER,
      timeout: 60_000,
    });
    const { status, body, receipt } = PAID.parse(JSON.parse(stdout));
    expect(status, stdout).to.equal(200);
    expect(PremiumApiSummary.parse(body).type).to.equal('premium_api_summary');
    expect(decoded(receipt)).to.deep.include({ success: true, network: 'base-sepolia', payer: chain.payer.address });
    expect(await chain.balanceOf(payTo)).to.equal(10_000n);
  });
});
