import { OpenRow, OpenRowQuery } from '../../engine/contract/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { BY_CODENAME } from './operators.ts';

/** An addition to the contract. Nothing may keep the answer: an operator that closes its row is served no more. */
export const listOperatorSnapshots = defineRoute({
  method: 'get',
  surface: 'base',
  auth: 'public',
  path: '/operators/{codename}/snapshots',
  operationId: 'listOperatorSnapshots',
  summary: 'The signed snapshots of an open row',
  description:
    'The accepted snapshots in signed form, with the keys, of an operator that opened its history: at most 500 a page, by `jti` from the last one down. See /developers/open-rows.',
  tag: 'operators',
  params: BY_CODENAME,
  query: OpenRowQuery,
  successes: [{ status: 200, description: 'A page.', schema: OpenRow }],
  problems: ['operator_unknown', 'row_not_open'],
  limit: 'openRows',
  handle: async ({ params: { codename }, query: { before = null } }, { ctx }) => {
    const found = await fromStorage(() => ctx.board.withBoardView((view) => view.openRow(codename, before)));
    if (found === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    if (found.page === null) throw new Problem('row_not_open');
    const devices = await fromStorage(() => ctx.accounts.devices.list(found.operator));
    const keys = devices.map(({ kid, x, created_at, revoked_at }) => ({ kid, x, created_at, revoked_at }));
    return { kind: 'json', status: 200, body: { ...found.page, keys } };
  },
});
