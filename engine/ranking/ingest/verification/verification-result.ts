import type { RefusalCode } from '../../../contract/refusals.ts';

/** What verification says of one log entry. */
export type VerificationResult =
  | {
      readonly ok: true;
      readonly kid: string;
      /** The ledger whose totals these are: the header's `stream`, else the `kid`. */
      readonly stream: string;
      readonly epoch: number;
      /** The moment whose totals these are, in milliseconds since the epoch: the header's `as_of`, else its `iat`. */
      readonly asOf: number;
    }
  | Refusal;

/** A refused entry: a stable code, and a sentence that tells its sender what to do. */
export interface Refusal {
  readonly ok: false;
  readonly reason: RefusalCode;
  readonly detail: string;
}

export function refusal(reason: RefusalCode, detail: string): Refusal {
  return { ok: false, reason, detail };
}
