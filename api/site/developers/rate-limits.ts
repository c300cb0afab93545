import { LIMITS } from '../../../config/limits.ts';
import { MAX_LIVE_DEVICES } from '../../../engine/accounts/index.ts';
import { DEFAULT_LEADERBOARD_LIMIT, MAX_LEADERBOARD_LIMIT } from '../../../engine/contract/index.ts';
import { MAX_STREAMS, RETIRED_AFTER_DAYS } from '../../../engine/ranking/index.ts';
import { RATE_POLICIES, type RatePolicyName } from '../../http/rate-limit/rate-policy.ts';
import { m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

const COUNTED_BY: readonly (readonly [policy: RatePolicyName, what: string, by: string])[] = [
  ['public', 'Requests without a token: the board, profiles, these pages', 'client address (IPv6: its /64)'],
  ['snapshots', 'Snapshots', 'operator'],
  ['snapshotsDay', 'Snapshots in a day (UTC)', 'operator'],
  ['operator', 'Other requests with a token', 'operator'],
  ['failures', 'Requests whose token was not accepted', 'client address'],
];

export const rateLimits: Guide = {
  slug: 'rate-limits',
  title: 'Rate limits',
  about: 'How many requests a client may send in a window, and which headers report the remaining quota.',
  parts: () => [
    lede(m`Ranking data is cached and changes about once a second. Do not poll it at high frequency.`),
    table({
      caption: 'Quotas',
      columns: [
        { label: 'Policy', is: ['row'] },
        { label: 'Requests', is: ['number'] },
        { label: 'in seconds', is: ['number'] },
        { label: 'What' },
        { label: 'Counted by' },
      ],
      rows: COUNTED_BY.map(([key, what, by]) => {
        const { name, quota, windowMs } = RATE_POLICIES[key];
        return [name, readable(quota), readable(windowMs / 1000), what, by];
      }),
    }),
    prose(
      m`Processes share their counts once a second. A client that sends to several processes, or to one that has just started, can exceed a quota by what it sends within that second.`,
    ),
    heading(2, 'Headers'),
    prose(m`Every counted response reports the remaining quota, in structured fields and in plain ones:`),
    codeBlock(
      'http',
      [
        'RateLimit-Policy: "public";q=60;w=60',
        'RateLimit: "public";r=41;t=23',
        'RateLimit-Limit: 60',
        'RateLimit-Remaining: 41',
        'RateLimit-Reset: 23',
      ].join('\n'),
      'Headers of a response',
    ),
    bullets(
      m`\`q\` is the number of requests allowed in \`w\` seconds; \`r\` requests remain, and the quota resets in \`t\` seconds.`,
      m`Above the quota: 429 [rate_limited](site:/developers/errors/rate_limited) with **Retry-After**. Wait that long; retrying sooner gains nothing.`,
      m`A snapshot counts under both policies. The headers describe \`snapshots\`, or \`snapshots-day\` once its quota is used up.`,
      m`When more snapshots are waiting than the service can process soon: 429 [backlog_full](site:/developers/errors/backlog_full).`,
    ),
    heading(2, 'Sizes'),
    bullets(
      m`Request bodies: at most ${LIMITS.http.bodyBytes / 1024} KiB of JSON, nested at most ${LIMITS.http.jsonDepth} deep.`,
      m`Leaderboard entries: 1 to ${MAX_LEADERBOARD_LIMIT}, ${DEFAULT_LEADERBOARD_LIMIT} by default.`,
      m`Devices of an operator: ${MAX_LIVE_DEVICES}.`,
      m`Streams of an operator that grew within ${RETIRED_AFTER_DAYS} days: ${MAX_STREAMS}. Older ones stay counted.`,
      m`Waiting for a verdict with \`Prefer: wait=N\`: at most ${LIMITS.http.preferWaitMs / 1000} seconds.`,
    ),
  ],
};
