import { Device, DeviceEnrolment } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { NO_QUERY } from '../../http/route.ts';

export const enrolDevice = defineRoute({
  method: 'post',
  surface: 'base',
  path: '/devices',
  operationId: 'enrolDevice',
  summary: 'Enrol a device',
  description:
    'Enrols a key that was generated on the device to sign your snapshots. Enrolling the same key again changes nothing.',
  tag: 'devices',
  auth: 'operator',
  officialClientsOnly: true,
  query: NO_QUERY,
  body: { schema: DeviceEnrolment, required: true },
  successes: [
    {
      status: 201,
      description: 'The device is enrolled.',
      schema: Device,
      headers: { Location: 'Address at which the device can be revoked.' },
    },
    { status: 200, description: 'The device was already enrolled.', schema: Device },
  ],
  problems: ['name_invalid', 'key_invalid', 'proof_invalid', 'device_limit', 'key_taken', 'key_revoked'],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async ({ body }, { ctx, caller }) => {
    const { operator } = caller;
    // The proof is over the current codename; the codename cached with the token may be seconds old.
    const record = await fromStorage(() => ctx.members.byNumber(operator));
    const codename = record?.codename ?? caller.codename;
    const { kty, crv, x } = body.jwk;
    const named = body.name === undefined ? {} : { name: body.name };
    const request = { operator, codename, jwk: { kty, crv, x }, proof: body.proof, ...named };
    const outcome = await fromStorage(() => ctx.accounts.devices.enrol(request));
    if (outcome.kind === 'refused') throw new Problem(outcome.code, { detail: outcome.detail });
    if (outcome.kind === 'exists') return { kind: 'json', status: 200, body: outcome.device };
    const headers = { Location: `${ctx.config.baseUrl}/devices/${outcome.device.kid}` };
    return { kind: 'json', status: 201, body: outcome.device, headers };
  },
});
