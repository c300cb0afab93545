import { Me, MeChange } from '../../../engine/contract/index.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { defineRoute } from '../../services.ts';
import { ownRecord } from './own-record.ts';

export const changeMe = defineRoute({
  method: 'patch',
  surface: 'base',
  path: '/me',
  operationId: 'changeMe',
  summary: 'Change your names',
  description:
    'A codename that is given up is kept from others for 90 days, and its owner may return to it. ' +
    'Boards show the change with their next version.',
  tag: 'me',
  auth: 'operator',
  body: { schema: MeChange, required: true },
  successes: [{ status: 200, description: 'Your operator as it is now.', schema: Me }],
  problems: ['codename_invalid', 'codename_taken', 'codename_reserved', 'display_name_invalid'],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async ({ body }, { services, caller }) => {
    const { members } = services;
    const { codename, display_name } = body;
    if (codename !== undefined) {
      const renaming = await fromStorage(() => members.rename(caller.operator, codename, null));
      if (renaming.kind === 'gone') throw new Problem('account_unknown');
      if ('detail' in renaming) {
        const code = `codename_${renaming.kind}` as const;
        const errors = [{ pointer: '/codename', code, detail: renaming.detail }];
        throw new Problem(code, { detail: renaming.detail, errors });
      }
    }
    if (display_name !== undefined) {
      await fromStorage(() => members.setDisplayName(caller.operator, display_name));
    }
    return { kind: 'json', status: 200, body: await ownRecord(services, caller) };
  },
});
