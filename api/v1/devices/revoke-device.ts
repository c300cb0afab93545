import * as z from 'zod';
import { KID_PATTERN } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { NO_QUERY } from '../../http/route.ts';

export const revokeDevice = defineRoute({
  method: 'delete',
  surface: 'base',
  path: '/devices/{kid}',
  operationId: 'revokeDevice',
  summary: 'Revoke a device',
  description: "From now on, snapshots signed with the device's key are refused. Earlier snapshots stay counted.",
  tag: 'devices',
  auth: 'operator',
  officialClientsOnly: true,
  query: NO_QUERY,
  params: {
    schema: z.object({ kid: z.string().regex(KID_PATTERN).meta({ description: "Thumbprint of the device's key." }) }),
    unmatched: 'device_unknown',
  },
  successes: [{ status: 204, description: 'The device is revoked.' }],
  problems: ['device_unknown'],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async ({ params }, { ctx, caller }) => {
    const revoked = await fromStorage(() => ctx.accounts.devices.revoke(caller.operator, params.kid));
    if (!revoked) throw new Problem('device_unknown', { detail: 'You have no device with this key.' });
    return { kind: 'empty', status: 204 };
  },
});
