import { Me, MeChange } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { ownRecord } from './own-record.ts';

export const changeMe = defineRoute({
  method: 'patch',
  surface: 'base',
  path: '/me',
  operationId: 'changeMe',
  summary: 'Change your names',
  description:
    'The last 3 codenames that you gave up are reserved for you for 90 days each. A codename can ' +
    'be changed 3 times in 30 days. ' +
    'The change appears with the next board version.',
  tag: 'me',
  auth: 'operator',
  officialClientsOnly: true,
  body: { schema: MeChange, required: true },
  successes: [{ status: 200, description: 'Your operator after the change.', schema: Me }],
  problems: ['codename_invalid', 'codename_taken', 'codename_reserved', 'codename_limit', 'display_name_invalid'],
  limit: 'operator',
  cache: null,
  documented: true,
  handle: async ({ body }, { ctx, caller }) => {
    const { members } = ctx;
    const { codename, display_name } = body;
    if (codename !== undefined) {
      const renaming = await fromStorage(() => members.rename(caller.operator, codename, null));
      if ('detail' in renaming) {
        const code = `codename_${renaming.kind}` as const;
        const errors = [{ pointer: '/codename', code, detail: renaming.detail }];
        const headers = renaming.kind === 'limit' ? retryAfter(renaming.waitMs) : {};
        throw new Problem(code, { detail: renaming.detail, errors, headers });
      }
    }
    if (display_name !== undefined) {
      const naming = await fromStorage(() => members.setDisplayName(caller.operator, display_name));
      if (naming.kind === 'invalid') {
        const { detail } = naming;
        const errors = [{ pointer: '/display_name', code: 'display_name_invalid', detail }];
        throw new Problem('display_name_invalid', { detail, errors });
      }
    }
    return { kind: 'json', status: 200, body: await ownRecord(ctx, caller) };
  },
});

function retryAfter(waitMs: number): Record<string, string> {
  return { 'Retry-After': String(Math.ceil(waitMs / 1_000)) };
}
