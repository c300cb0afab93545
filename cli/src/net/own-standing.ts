import { hasShape, isObject, objectOf, textOf } from '../json.ts';
import { printableText } from './problem.ts';
import { BOARD_TIMEOUT_MS, boardOf, fetchProfile, fetchStanding, read } from './public-board.ts';

/** Why a rank changed, as the service returns it: null parts are unknown. */
export type RankChange = NonNullable<ReturnType<typeof readChange>>;

/** What the service says of an operator's row over all time. */
export type OwnStanding = NonNullable<Awaited<ReturnType<typeof fetchOwnStanding>>>;

/**
 * Reads it as anybody may, with the reasons why the rank changed since a moment (milliseconds since the epoch; null: without). Null when
 * the service knows no such operator. Throws a `CliError` without a response.
 */
export async function fetchOwnStanding(baseUrl: string, codename: string, since: number | null) {
  const profile = await fetchProfile(baseUrl, codename, BOARD_TIMEOUT_MS);
  if (profile === null) return null;
  const yield_ = numberOf(profile['yield_']);
  const moment = since === null ? {} : { since: new Date(since).toISOString() };
  const [standing, history] = await Promise.all([
    yield_ === null ? null : fetchStanding(boardOf(baseUrl, 'all_time', profile), yield_),
    read(baseUrl, `operators/${codename}/history`, moment, (body) => body).catch(() => ({})),
  ]);
  const { page, changes } = objectOf(history);
  const siteUrl = siteOf(page, codename) ?? new URL(baseUrl).origin;
  const rank = numberOf(profile['rank']);
  // Of one board where both are known: the profile may be of the version before.
  const place = rank !== null && isObject(standing) ? standing : null;
  return {
    profile,
    siteUrl,
    page: `${siteUrl}/operators/${codename}`,
    codename,
    rank: place?.rank ?? rank,
    yield_,
    total: place?.total_operators ?? 0,
    percentile: place?.percentile ?? numberOf(profile['percentile']),
    class_tier: place?.class_tier ?? printableText(profile['class_tier']),
    witnessed_days: numberOf(profile['witnessed_days']),
    provisional: profile['provisional'] === true,
    /** What is next; the reason where that cannot be read, null without a Yield. */
    standing,
    change: readChange(objectOf(changes)['since']),
  };
}

/** The address of the website in that of the operator's page, if it contains nothing that a terminal, Markdown or HTML interprets. */
function siteOf(page: unknown, codename: string): string | null {
  const [, site] = /^(https?:\/\/[\w.:[\]-]+(?:\/[\w.-]+)*)\/operators\/([\w-]+)$/.exec(textOf(page) ?? '') ?? [];
  return String(page).endsWith(`/${codename}`) ? (site ?? null) : null;
}

function readChange(value: unknown) {
  if (!hasShape(value, { since: 'string' }) || Number.isNaN(Date.parse(value.since))) return null;
  const { rank_then, change, own, field, method } = objectOf(value);
  const parts = { own: numberOf(own), field: numberOf(field), method: numberOf(method) };
  return { since: value.since, rank_then: numberOf(rank_then), change: numberOf(change), ...parts };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
