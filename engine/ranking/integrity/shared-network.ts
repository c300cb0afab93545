import { DAY_MS } from '../../../config/units.ts';
import { bitOf, FLAGGING, ruleNamed, THRESHOLDS } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { NetworkSightingDocument } from '../storage/network-sightings.ts';
import { assertFinding } from './assert-finding.ts';
import { crossedRules } from './crossed-rules.ts';

const { network_days: DAYS, network_operators: MAX_OPERATORS } = THRESHOLDS;

/** Sightings per read. */
const SIGHTINGS_A_READ = 500;

const SHARED = bitOf(ruleNamed('shared-network'));

/** Marks the networks of flagged operators on which no others are. */
export async function markNetworks(
  context: RankingContext,
  methodology: Methodology,
  flagged: readonly number[],
): Promise<void> {
  const { networkSightings } = context.stores;
  const sightings = flagged.length === 0 ? [] : await networkSightings.of(flagged, firstDay(context));
  const networks = await flaggedNetworks(context, methodology, sightings);
  if (networks.size > 0) await networkSightings.mark([...networks]);
  await context.failpoint('integrity.networks_marked');
}

/** Sets the finding of operators on marked networks, removes it and the mark where it no longer holds, and deletes old sightings. */
export async function assertNetworks(context: RankingContext, methodology: Methodology): Promise<void> {
  const { networkSightings } = context.stores;
  for await (const marked of networkSightings.marked(SIGHTINGS_A_READ)) {
    const operators = [...new Set(marked.map(({ operator }) => operator))];
    const sightings = await networkSightings.of(operators, firstDay(context));
    const networks = await flaggedNetworks(context, methodology, sightings);
    const holding = sightings.filter(({ network }) => networks.has(network));
    await assertFinding(context, SHARED, operators, new Set(holding.map(({ operator }) => operator)));
    await context.failpoint('integrity.networks_asserted');
    const held = new Set(holding.map(({ _id }) => _id));
    const parted = marked.filter(({ _id }) => !held.has(_id)).map(({ _id }) => _id);
    if (parted.length > 0) await networkSightings.unmark(parted);
  }
  await networkSightings.removeBefore(firstDay(context));
}

function firstDay({ clock }: RankingContext): Date {
  return new Date(clock() - DAYS * DAY_MS);
}

/** The networks among sightings that several operators share, at most `MAX_OPERATORS`, who all are flagged or excluded by other rules. */
async function flaggedNetworks(
  context: RankingContext,
  methodology: Methodology,
  sightings: readonly NetworkSightingDocument[],
): Promise<ReadonlySet<string>> {
  const { networkSightings, operators: records } = context.stores;
  const flagged = new Set<string>();
  for (const network of new Set(sightings.map((sighting) => sighting.network))) {
    const operators = await networkSightings.operatorsOn(network, firstDay(context), MAX_OPERATORS + 1);
    if (operators.length < 2 || operators.length > MAX_OPERATORS) continue;
    const masks = crossedRules(await records.totalsOf(operators, methodology), methodology);
    if (masks.every((mask) => (mask & FLAGGING) !== 0)) flagged.add(network);
  }
  return flagged;
}
