import { randomBytes } from 'node:crypto';
import type { PaymentPayload } from '@x402/core/types';
import * as z from 'zod';
import type { FacilitatorWork } from './local-facilitator.ts';

const PAYLOAD = z.object({ authorization: z.object({ from: z.string(), nonce: z.string() }) });

/**
 * A facilitator without a chain, for tests that need none: it accepts every payment, and settles each nonce once, in
 * the shapes of the real one.
 */
export function scriptedFacilitator(): FacilitatorWork {
  const spent = new Set<string>();
  const network = 'eip155:84532' as const;
  return {
    async verify(payment) {
      const { from: payer, nonce } = read(payment);
      if (!spent.has(nonce)) return { isValid: true, payer };
      return { isValid: false, payer, invalidReason: 'invalid_exact_evm_nonce_already_used' };
    },
    async settle(payment) {
      const { from: payer, nonce } = read(payment);
      const failure = { success: false, payer, transaction: '', network };
      if (spent.has(nonce)) return { ...failure, errorReason: 'invalid_exact_evm_nonce_already_used' };
      spent.add(nonce);
      return { success: true, payer, transaction: `0x${randomBytes(32).toString('hex')}`, network };
    },
  };
}

function read({ payload }: PaymentPayload): z.output<typeof PAYLOAD>['authorization'] {
  return PAYLOAD.parse(payload).authorization;
}
