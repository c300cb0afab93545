import * as z from 'zod';
import { parseDetachedJws } from '../signing/detached-jws.ts';
import { MAX_COUNT, PLATFORM_PATTERN } from '../signing/format.ts';
import { parseSnapshotHeader } from '../signing/parse-snapshot-header.ts';
import { signedPayloadSchema } from '../snapshot.ts';
import { coded, requiredOr } from './coded.ts';
import { described, optional } from './described.ts';

/** A snapshot's id in a signed header or a path. */
export const JTI_PATTERN = /^[A-Za-z0-9_-]{8,64}$/;

/** A codename in any case; codenames are case-insensitive. */
const ANY_CASE_CODENAME = /^[a-zA-Z0-9][a-zA-Z0-9-]{1,30}[a-zA-Z0-9]$/;

export const Codename = z
  .string(requiredOr('codename_invalid'))
  .regex(ANY_CASE_CODENAME, coded('codename_invalid'))
  .meta({ description: 'Operator codename, case-insensitive.' });

const Count = z
  .number({
    error: ({ input }) => {
      if (input === undefined) return 'field_missing';
      return typeof input === 'number' ? 'count_not_finite' : 'count_not_a_number';
    },
  })
  .min(0, coded('count_negative'))
  .max(MAX_COUNT, coded('count_too_large'))
  // zod's own `multipleOf` takes 1e-160 for a multiple of 1.
  .refine(Number.isInteger, coded('count_fractional'))
  .meta({ multipleOf: 1 });

/** A parsed detached JWS with a valid snapshot header. */
export interface ReadSignature {
  /** The signature as received. */
  readonly compact: string;
  readonly jti: string;
  readonly kid: string;
}

const Signature = z
  .string(requiredOr('signature_malformed'))
  .transform((compact, context): ReadSignature => {
    const jws = parseDetachedJws(compact);
    if (jws === null) {
      context.addIssue({ code: 'custom', message: 'signature_malformed', input: compact });
      return z.NEVER;
    }
    const header = parseSnapshotHeader(jws.header);
    if (!('refused' in header)) return { compact, jti: header.jti, kid: header.kid };
    const params = { detail: header.refused };
    context.addIssue({ code: 'custom', message: 'signature_header_invalid', params, input: compact });
    return z.NEVER;
  })
  .meta({ description: 'Detached compact JWS by an enrolled device key over the other signed members.' });

/** Contract, part 2. Other members are dropped, since they are not signed. Parsing replaces `signature` by its parts. */
export const SnapshotSubmission = z
  .object(
    {
      ...signedPayloadSchema.omit({ platform: true }).shape,
      codename: Codename,
      input: described(Count, 'Total input tokens consumed.'),
      output: described(Count, 'Total output tokens generated.'),
      cache_read: described(Count, 'Tokens read from the prompt cache.'),
      cache_write: described(Count, 'Tokens written to the prompt cache.'),
      signature: Signature,
      platform: optional(
        z.string(coded('platform_invalid')).regex(PLATFORM_PATTERN, coded('platform_invalid')),
        'AI platform identifier.',
      ),
    },
    coded('body_not_object'),
  )
  .meta({ description: 'Cumulative token counts, signed by the official command-line tool.' });
