import { DAY_MS, HOUR_MS, readableMinute } from '../../../config/units.ts';
import { heldText, lackedOf, missingText, unrankedText } from '../../../engine/contract/unranked.ts';
import type { OperatorRecord, UsageAtDay } from '../../../engine/ranking/index.ts';
import { lineChart } from '../../charts/line-chart.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { createResolver } from '../render/addresses.ts';
import { m, text } from '../render/inline.ts';
import { movement, percentile, readable, readableScore, tierBadge } from '../render/numbers.ts';
import { facts } from '../render/parts.ts';
import { firstSteps } from './first-steps.ts';
import { waysTo } from './goals.ts';

type StandingContext = Pick<ApiContext, 'config' | 'members' | 'board'>;

/** Where an operator stands over all time, what comes next and what arrived; how to begin where nothing did. */
export async function ownStanding(ctx: StandingContext, record: OperatorRecord): Promise<Html> {
  const [days, streams] = await Promise.all([
    ctx.members.usageByDay(record.operator),
    ctx.members.streams(record.operator, null),
  ]);
  const place = await placeOf(ctx, record, days.at(-1));
  const active = (streams?.active ?? []).toSorted((one, other) => (other.hour ?? 0) - (one.hour ?? 0));
  const machines = [...new Set(active.map(({ ledger }) => ledger))];
  const arrived = active.map(({ ledger, platform, hour }) => {
    const machine = machines.length === 1 ? '' : `, machine ${machines.indexOf(ledger) + 1}`;
    const when = hour === null ? 'no usage yet' : `last usage ${readableMinute((hour + 1) * HOUR_MS)}`;
    return html`<li><span>${platform}${machine}</span><span class="soft">${when}</span></li>`;
  });
  return html`${place}
${historyChart(record.codename, days)}
${arrived.length === 0 ? null : html`<h3>What arrived</h3>\n<ul class="rows">${arrived}</ul>`}`;
}

async function placeOf(ctx: StandingContext, record: OperatorRecord, counts: UsageAtDay | undefined): Promise<Html> {
  const { board, config } = ctx;
  const { siteUrl } = config;
  const { operator, codename, listed } = record;
  const standing = (await board.withBoardView((view) => view.ownProfile(operator)))?.windows.all_time;
  const { rank = null, yield_ = null, class_tier: tier = null } = standing ?? {};
  if (!listed) return offBoard(ctx, record, rank ?? standing?.would_be ?? null, yield_);
  const page = html`<a href="${siteUrl}/operators/${codename}">Your page</a>`;
  if (standing === undefined || standing.unranked === 'no_tokens') {
    const steps = firstSteps(config).html(createResolver(config, 'login'));
    return html`<p>You are not ranked yet. Three commands take you to the board:</p>\n${steps}`;
  }
  if (rank === null || yield_ === null) {
    const lacks = lackedOf(standing.missing).map(missingText);
    const numbers = lacks.length === 0 ? '' : `: it ${lacks.join(', and ')}`;
    return standing.unranked === 'held'
      ? html`<p>You are not numbered yet: your Yield ${heldText(standing.would_be, standing.missing)}.</p>\n<p>${page}</p>`
      : html`<p>You are not ranked, because ${unrankedText(standing.unranked)}${numbers}.</p>\n<p>${page}</p>`;
  }
  const [goals, [above]] = await Promise.all([
    board.standing({ window: 'all_time', yield_, without: codename }),
    board.neighbours(codename, 'all_time', 1),
  ]);
  const numbers = facts(
    [
      ['Rank', m`${readable(rank)} of ${readable(board.view().totals.all_time)}`],
      ['Yield', text(readableScore(yield_))],
      ['Tier', tierBadge(tier)],
      ['Percentile', percentile(standing.percentile)],
      ['Since yesterday', movement(standing.movement_24h)],
      ['In 7 days', movement(standing.movement_7d)],
    ],
    'headline',
  ).html(createResolver(config, 'login'));
  const next = goals?.next_tier ?? null;
  const ways = next === null || counts === undefined ? '' : waysTo(counts, next.yield_);
  const goal =
    next === null
      ? html`<p>You are in the highest tier.</p>`
      : html`<p><strong>Next goal: ${next.class_tier}</strong>, from a Yield of ${readableScore(next.yield_)}${ways === '' ? '' : `: ${ways}`}. That would be rank ${readable(next.rank)}.</p>`;
  const compare =
    above === undefined || above.codename === codename
      ? null
      : html` · <a href="${siteUrl}/compare?a=${codename}&amp;b=${above.codename}">Compare with ${above.codename}, who is next</a>`;
  return html`${numbers}\n${goal}\n<p>${page}${compare}</p>`;
}

/** Why others do not see an operator, and what it would be. */
function offBoard(
  { config: { contact } }: StandingContext,
  { offBoards }: OperatorRecord,
  place: number | null,
  yield_: number | null,
): Html {
  const would =
    place === null || yield_ === null
      ? null
      : html` You would be rank <strong>${readable(place)}</strong>, with a Yield of <strong>${readableScore(yield_)}</strong>.`;
  if (offBoards.includes('hidden')) {
    return html`<p>You are <strong>hidden</strong>: only you see your counts, until you <a href="#hide">show yourself again</a>.${would}</p>`;
  }
  const ask = contact === null ? null : html` <a href="${contact}">Ask them why</a>.`;
  return html`<p>You are on no board: the people who run this service took you off.${ask}${would}</p>`;
}

/** The Yield at the end of each submitted day, for its owner alone: in public, exact ratios of past days would be a diary of counts. */
function historyChart(codename: string, days: readonly UsageAtDay[]): Html {
  const points = days.map(({ day, input, output, cache_read }) => ({
    at: day * DAY_MS,
    value: input > 0 ? (cache_read * output) / (input * input) : null,
  }));
  const chart = lineChart({
    id: 'submitted',
    title: `Yield of ${codename} by day`,
    description: 'Yield over all time at the end of each day, from submitted history.',
    ranks: false,
    series: [points],
  });
  if (chart === null) return NOTHING;
  const scale = chart.isLogarithmic ? ', logarithmic scale' : '';
  return html`<figure>${chart.svg}<figcaption class="soft">Your Yield by day, from submitted history${scale}. Only you see it: your public page begins with the first board that has you.</figcaption></figure>`;
}
