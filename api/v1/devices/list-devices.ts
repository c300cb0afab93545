import { DeviceList } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import { NO_QUERY } from '../../http/route.ts';

export const listDevices = defineRoute({
  method: 'get',
  surface: 'base',
  path: '/devices',
  operationId: 'listDevices',
  summary: 'Your devices',
  description: 'Every enrolled device, including revoked ones.',
  tag: 'devices',
  auth: 'operator',
  query: NO_QUERY,
  successes: [{ status: 200, description: 'The devices.', schema: DeviceList }],
  problems: [],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async (_input, { ctx, caller }) => {
    const devices = await fromStorage(() => ctx.accounts.devices.list(caller.operator));
    return { kind: 'json', status: 200, body: { devices } };
  },
});
