import * as z from 'zod';
import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardLine } from '../../../engine/ranking/index.ts';
import { type Scanned, similarCascades } from '../analysis/similar-cascades.ts';
import { count, joinLines, showLine, showNumber, showScores } from '../text.ts';
import { boardFields, codenameField, Line, toolInput, windowField } from './fields.ts';
import { requireOperator, requireRanked } from './require-operator.ts';
import { defineQuery } from './tool.ts';

const WAYS = ['rank', 'platform', 'cascade'] as const;
const MAX_PEERS = 25;
const DEFAULT_PEERS = 10;

/** Entries read on each side of an operator. */
const REACH = 250;

type Way = (typeof WAYS)[number];

export const discoverPeers = defineQuery({
  name: 'discover_peers',
  title: 'Peers of an operator',
  summary: 'Operators near an operator: by rank, by platform, or by similarity of the cascade.',
  description:
    'Operators around one operator in a window. by=rank: its neighbours on the board, half above and half below where there ' +
    'are enough. by=platform: those nearest in rank with the same platform. by=cascade: those whose Leverage and Velocity are ' +
    'most similar to its own (distance over the logarithms of both: 0 is equal, 0.69 is one ratio twice as large), most similar first. ' +
    `Reads up to ${REACH} entries on each side; scanned is the number read, and certain is true when no entry beyond them could belong in the result.`,
  input: toolInput({
    codename: codenameField,
    by: z.enum(WAYS).default('rank').describe('How peers are chosen.'),
    window: windowField,
    limit: z.int().min(1).max(MAX_PEERS).default(DEFAULT_PEERS).describe('Maximum number of peers to return.'),
  }),
  output: z.object({
    ...boardFields,
    by: z.enum(WAYS),
    operator: Line,
    peers: z.array(Line.extend({ distance: z.number().min(0).nullable().describe('For by=cascade; else null.') })),
    scanned: z.int().min(0).describe('Entries read, without the operator.'),
    certain: z.boolean().describe('Whether no entry outside those read could belong in the result.'),
  }),
  async find({ codename, by, window, limit }, board) {
    const profile = await requireOperator(board, codename);
    const { percentile: _, ...standing } = requireRanked(profile, window);
    const own = await board.page({ window, limit: 1, start: { around: codename }, at: null });
    const { offset: place, rows } = own.kind === 'page' ? own : { offset: null, rows: [] };
    const operator = { codename: profile.codename, platform: rows[0]?.platform ?? profile.platform, ...standing };
    const position = place ?? operator.rank - 1;
    const reach = by === 'rank' ? limit : REACH;
    const offset = Math.max(0, position - reach);
    const end = position + reach + 1;
    const lines = await board.rows(window, offset, end - offset);
    const more = { above: offset > 0, below: end < board.view.totals[window] };
    const candidates = lines.filter((line) => line.codename !== operator.codename);
    const found = { by, operator, ...pick(by, operator, limit, { candidates, more }) };
    return [found, showPeers(window, found)];
  },
});

/** The peers among the entries around an operator, which are in board order and without itself. */
function pick(by: Way, operator: BoardLine, limit: number, { candidates, more }: Scanned<BoardLine>) {
  const scanned = candidates.length;
  if (by === 'cascade') {
    const { similar, certain } = similarCascades(operator, { candidates, more }, limit);
    return { peers: similar.map(({ candidate, distance }) => ({ ...candidate, distance })), scanned, certain };
  }
  const fitting = by === 'rank' ? candidates : candidates.filter(({ platform }) => platform === operator.platform);
  const { peers, above, below } = nearest(operator, fitting, limit);
  // A side is certain when it has its half, and what the other lacks, or when it was read to the end of the board.
  const half = Math.ceil(limit / 2);
  const hasAbove = above >= Math.max(half, limit - below);
  const hasBelow = below >= Math.max(limit - half, limit - above);
  const certain = (hasAbove || !more.above) && (hasBelow || !more.below);
  return { peers: peers.map((line) => ({ ...line, distance: null })), scanned, certain };
}

/** Half of the peers from above and half from below, in board order; more from one side when the other has too few. */
function nearest(operator: BoardLine, lines: readonly BoardLine[], limit: number) {
  const firstBelow = lines.findIndex((line) => line.yield_ <= operator.yield_);
  const above = firstBelow < 0 ? lines.length : firstBelow;
  const below = lines.length - above;
  const taken = Math.min(above, Math.max(Math.ceil(limit / 2), limit - below));
  return { peers: lines.slice(above - taken, above - taken + limit), above, below };
}

const TITLES: Readonly<Record<Way, (operator: BoardLine) => string>> = {
  rank: () => 'Neighbours in rank:',
  platform: ({ platform }) => `Nearest in rank on ${platform}:`,
  cascade: () => 'Most similar in Leverage and Velocity:',
};

type Found = ReturnType<typeof pick> & { readonly by: Way; readonly operator: BoardLine };

function showPeers(window: Window, { by, operator, peers, scanned, certain }: Found): string {
  return joinLines(
    `${operator.codename} is #${operator.rank} ${windowSentence(window)}: ${showScores(operator)}, ${operator.platform}.`,
    peers.length === 0 ? 'No peers were found.' : TITLES[by](operator),
    ...peers.map((peer) =>
      peer.distance === null ? showLine(peer) : `${showLine(peer)}; distance ${showNumber(peer.distance)}`,
    ),
    certain ? null : `Read ${count(scanned, 'entry', 'entries')} around it; there may be other peers beyond them.`,
  );
}
