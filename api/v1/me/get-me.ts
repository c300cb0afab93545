import { Me } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { ownRecord } from './own-record.ts';

export const getMe = defineRoute({
  method: 'get',
  surface: 'base',
  path: '/me',
  operationId: 'getMe',
  summary: 'Your operator',
  description: 'Names, plan and address of the operator to whom the access token belongs.',
  tag: 'me',
  auth: 'operator',
  successes: [{ status: 200, description: 'Your operator.', schema: Me }],
  problems: [],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async (_input, { ctx, caller }) => ({
    kind: 'json',
    status: 200,
    body: await ownRecord(ctx, caller),
  }),
});
