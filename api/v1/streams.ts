import { HOUR_MS } from '../../config/units.ts';
import { StreamList, StreamsQuery } from '../../engine/contract/index.ts';
import { MAX_STREAMS, RETIRED_AFTER_DAYS } from '../../engine/ranking/index.ts';
import { accountUnknown } from '../auth/challenge.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage } from '../http/problem.ts';
import { OWN_ROUTE } from '../http/route.ts';

export const listStreams = defineRoute({
  ...OWN_ROUTE,
  method: 'get',
  path: '/streams',
  operationId: 'listStreams',
  summary: 'Your streams',
  description:
    `Your snapshots by ledger and platform. A stream that does not grow for ${RETIRED_AFTER_DAYS} days is retired: its ` +
    'counts stay in your totals, listed as one sum for each platform, and another stream may take its place. When a ' +
    'retired stream grows again, it continues where it stopped. With `stream`, the streams of one ledger are listed, retired ' +
    'ones too.',
  tag: 'snapshots',
  query: StreamsQuery,
  successes: [{ status: 200, description: 'The streams.', schema: StreamList }],
  handle: async ({ query }, { ctx, caller }) => {
    const found = await fromStorage(() => ctx.members.streams(caller.operator, query.stream ?? null));
    if (found === null) throw accountUnknown(ctx.config);
    const streams = found.active.map(({ ledger, platform, epoch, counts, hour }) => {
      const last_grew_at = hour === null ? null : new Date((hour + 1) * HOUR_MS).toISOString();
      return { stream: ledger, platform, epoch, ...counts, last_grew_at };
    });
    const retired = found.retired.map(({ counts, ...rest }) => ({ ...rest, ...counts }));
    return { kind: 'json', status: 200, body: { limit: MAX_STREAMS, streams, retired } };
  },
});
