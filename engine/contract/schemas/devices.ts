import * as z from 'zod';
import { labelFault, MAX_LABEL_LENGTH } from '../display-name.ts';
import { coded, requiredOr } from './coded.ts';
import { described, optional } from './described.ts';

/** Longest proof of possession, in characters. */
export const MAX_PROOF_LENGTH = 2_048;

/** An RFC 7638 thumbprint: 43 base64url characters. */
export const KID_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** The name of a device or of an automation token. */
export const DeviceName = z
  .string(coded('name_invalid'))
  .min(1, coded('name_invalid'))
  .max(MAX_LABEL_LENGTH, coded('name_invalid'))
  .superRefine((name, context) => {
    const detail = labelFault(name, 'A name');
    if (detail === null) return;
    context.addIssue({ code: 'custom', message: 'name_invalid', params: { detail }, input: name });
  });

export const Device = z
  .object({
    kid: described(z.string(), "RFC 7638 thumbprint of the device's public key."),
    name: z.string().nullable(),
    created_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    automation: z
      .object({ expires_at: z.iso.datetime(), used_at: z.iso.datetime().nullable() })
      .meta({ description: 'Of the key of an automation token: when the token expires, and when it was last used.' })
      .optional(),
  })
  .meta({ description: 'A device whose key may sign snapshots.' });

export const DeviceList = z.object({ devices: z.array(Device) }).meta({ description: "The operator's devices." });

/** The body of POST /devices. */
export const DeviceEnrolment = z
  .object(
    {
      jwk: z
        .object(
          {
            kty: z.literal('OKP', requiredOr('key_invalid')),
            crv: z.literal('Ed25519', requiredOr('key_invalid')),
            x: z.string(requiredOr('key_invalid')).regex(/^[A-Za-z0-9_-]{43}$/, coded('key_invalid')),
            d: optional(z.never(coded('key_invalid')), 'Never send a private key.'),
          },
          requiredOr('key_invalid'),
        )
        .meta({ description: 'The public key.' }),
      name: DeviceName.optional(),
      proof: described(
        z
          .string(requiredOr('proof_invalid'))
          .min(1, coded('proof_invalid'))
          .max(MAX_PROOF_LENGTH, coded('proof_invalid')),
        'Compact JWS by the key over {codename, iat}, typ device-proof+jws.',
      ),
    },
    coded('body_not_object'),
  )
  .meta({ description: 'A device key to enrol, with a proof that the device holds it.' });
