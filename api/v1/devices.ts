import * as z from 'zod';
import { Device, DeviceEnrolment, DeviceList, KID_PATTERN } from '../../engine/contract/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { NO_QUERY, OWN_ROUTE } from '../http/route.ts';

export const listDevices = defineRoute({
  ...OWN_ROUTE,
  method: 'get',
  path: '/devices',
  operationId: 'listDevices',
  summary: 'Your devices',
  description: 'Every enrolled device, including revoked ones.',
  tag: 'devices',
  query: NO_QUERY,
  successes: [{ status: 200, description: 'The devices.', schema: DeviceList }],
  handle: async (_input, { ctx, caller }) => {
    const devices = await fromStorage(() => ctx.accounts.devices.list(caller.operator));
    return { kind: 'json', status: 200, body: { devices } };
  },
});

export const enrolDevice = defineRoute({
  ...OWN_ROUTE,
  method: 'post',
  path: '/devices',
  operationId: 'enrolDevice',
  summary: 'Enrol a device',
  description:
    'Enrols a key that was generated on the device to sign your snapshots. Enrolling the same key again changes nothing.',
  tag: 'devices',
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

export const revokeDevice = defineRoute({
  ...OWN_ROUTE,
  method: 'delete',
  path: '/devices/{kid}',
  operationId: 'revokeDevice',
  summary: 'Revoke a device',
  description: "From now on, snapshots signed with the device's key are refused. Earlier snapshots stay counted.",
  tag: 'devices',
  officialClientsOnly: true,
  query: NO_QUERY,
  params: {
    schema: z.object({ kid: z.string().regex(KID_PATTERN).meta({ description: "Thumbprint of the device's key." }) }),
    unmatched: 'device_unknown',
  },
  successes: [{ status: 204, description: 'The device is revoked.' }],
  problems: ['device_unknown'],
  handle: async ({ params }, { ctx, caller }) => {
    const revoked = await fromStorage(() => ctx.accounts.devices.revoke(caller.operator, params.kid));
    if (!revoked) throw new Problem('device_unknown', { detail: 'You have no device with this key.' });
    return { kind: 'empty', status: 204 };
  },
});
