import { LIMITS } from '../../../config/limits.ts';
import { MAX_LIVE_DEVICES } from '../../../engine/accounts/index.ts';
import { DEFAULT_LEADERBOARD_LIMIT, MAX_LEADERBOARD_LIMIT } from '../../../engine/contract/index.ts';
import { MAX_STREAMS, RETIRED_AFTER_DAYS } from '../../../engine/ranking/index.ts';
import { STATED_POLICIES } from '../../http/rate-limit/rate-policy.ts';
import { m } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const rateLimits: Guide = {
  slug: 'rate-limits',
  title: 'Rate limits',
  about: 'How many requests you can send, and which headers tell you how many are left.',
  parts: () => [
    lede(m`Ranking data is cached and changes about once a second, so there is no point in polling faster than that.`),
    table({
      caption: 'Rate limits',
      className: 'stacked',
      columns: [
        { label: 'Policy', is: ['row'] },
        { label: 'Requests', is: ['number'] },
        { label: 'per seconds', is: ['number'] },
        { label: 'Applies to' },
        { label: 'Counted by' },
      ],
      rows: Object.values(STATED_POLICIES).map(({ name, quota, windowMs, counts, by }) => {
        return [name, readable(quota), readable(windowMs / 1000), counts, by];
      }),
    }),
    prose(
      m`Limits are enforced across processes on a best-effort basis: they share their counts once a second, so a client that reaches several processes can briefly exceed its quota.`,
    ),
    heading(2, 'Headers'),
    prose(m`Every response that counts tells you what is left, in both the standard and the traditional headers:`),
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
      m`\`q\` requests are allowed every \`w\` seconds; \`r\` requests remain, and the quota resets in \`t\` seconds.`,
      m`Over the quota you get 429 [rate_limited](site:/developers/errors/rate_limited) with **Retry-After**. Wait that long: retrying sooner does not help.`,
      m`The API description names the policies of each operation (\`x-rate-limits\`).`,
      m`A page or an image that is rendered for the request also counts toward \`renders\`. The headers describe it once its quota is used up.`,
      m`A snapshot counts toward both snapshot policies. The headers describe \`snapshots\`, or \`snapshots-day\` once its quota is used up.`,
      m`If the service has more snapshots waiting than it can process soon, you get 429 [backlog_full](site:/developers/errors/backlog_full).`,
    ),
    heading(2, 'Sizes'),
    bullets(
      m`Request bodies: at most ${LIMITS.http.bodyBytes / 1024} KiB of JSON, nested at most ${LIMITS.http.jsonDepth} levels deep.`,
      m`Leaderboard entries: 1 to ${MAX_LEADERBOARD_LIMIT}, ${DEFAULT_LEADERBOARD_LIMIT} by default.`,
      m`Devices per operator: ${MAX_LIVE_DEVICES}.`,
      m`Streams per operator that grew within the last ${RETIRED_AFTER_DAYS} days: ${MAX_STREAMS}. Older ones still count.`,
      m`Waiting for a verdict with \`Prefer: wait=N\`: at most ${LIMITS.http.preferWaitMs / 1000} seconds.`,
    ),
  ],
};
