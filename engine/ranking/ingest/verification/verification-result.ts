import type { RefusalCode } from '../../../contract/refusals.ts';

/** The verification result of one log entry. */
export type VerificationResult =
  | {
      readonly ok: true;
      readonly kid: string;
      /** The ledger: the header's `stream`, else the `kid`. */
      readonly stream: string;
      readonly epoch: number;
      /** The time of the totals, in milliseconds since the epoch: the header's `as_of`, else its `iat`. */
      readonly asOf: number;
    }
  | Refusal;

/** A refusal: a stable code, and a sentence that says how to correct the snapshot. */
export interface Refusal {
  readonly ok: false;
  readonly reason: RefusalCode;
  readonly detail: string;
}

export function refusal(reason: RefusalCode, detail: string): Refusal {
  return { ok: false, reason, detail };
}
