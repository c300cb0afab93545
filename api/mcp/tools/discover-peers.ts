import * as z from 'zod';
import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import { PLATFORMS, type Platform } from '../../../engine/contract/platforms.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import { similarCascades } from '../analysis/similar-cascades.ts';
import { count, joinLines, showLine, showNumber, showScores } from '../text.ts';
import { boardFields, codenameField, Line, toolInput, windowField } from './fields.ts';
import { requireOperator, requirePage, requireRanked } from './require-operator.ts';
import { defineQuery, ToolError } from './tool.ts';

const WAYS = ['rank', 'platform', 'cascade'] as const;
const MAX_PEERS = 25;
const DEFAULT_PEERS = 10;

/** Entries read on each side of an operator for similar cascades. */
const REACH = 250;

type Way = (typeof WAYS)[number];

type Operator = z.output<typeof Line>;

const Peers = z.object({
  ...boardFields,
  by: z.enum(WAYS),
  operator: Line,
  peers: z.array(Line.extend({ distance: z.number().min(0).nullable().describe('For by=cascade; else null.') })),
  scanned: z.int().min(0).describe('Entries read, without the operator.'),
  certain: z.boolean().describe('Whether no entry outside those read could belong in the result.'),
});

export const discoverPeers = defineQuery({
  name: 'discover_peers',
  title: 'Peers of an operator',
  summary: 'Operators near an operator: by rank, on the board of its platform, or by similarity of the cascade.',
  description:
    'Operators around one operator in a window. by=rank: its neighbours on the board, half above and half below, fewer at an end ' +
    'of the board. by=platform: its neighbours on the board of its platform, which ranks by the counts of that tool alone. ' +
    'by=cascade: those whose Leverage and Velocity are ' +
    'most similar to its own (distance over the logarithms of both: 0 is equal, 0.69 is one ratio twice as large), most similar first, ' +
    `of up to ${REACH} entries on each side; scanned is the number read, and certain is true when no entry beyond them could belong in the result.`,
  input: toolInput({
    codename: codenameField,
    by: z.enum(WAYS).default('rank').describe('How peers are chosen.'),
    window: windowField,
    limit: z.int().min(1).max(MAX_PEERS).default(DEFAULT_PEERS).describe('Maximum number of peers to return.'),
  }),
  output: Peers,
  async find({ codename, by, window, limit }, board) {
    const profile = await requireOperator(board, codename);
    const { percentile: _, ...standing } = requireRanked(profile, window);
    const asked = { window, start: { around: codename }, at: null };
    const own = await requirePage(board, { ...asked, limit: 1 });
    const operator = { codename: profile.codename, platform: own.rows[0]?.platform ?? profile.platform, ...standing };
    if (by === 'cascade') {
      const found = { by, operator, ...(await similarTo(board, window, operator, own.offset ?? 0, limit)) };
      return [found, showPeers(window, found)];
    }
    const platform = by === 'rank' ? null : boardOfTool(operator);
    const { rows } = await requirePage(board, { ...asked, limit: limit + 1, platform });
    const others = rows.filter((row) => row.codename !== operator.codename);
    const peers = others.map((row) => ({ ...Line.parse(row), distance: null }));
    const found = { by, operator, peers, scanned: peers.length, certain: true };
    return [found, showPeers(window, found)];
  },
});

function boardOfTool({ platform }: Operator): Platform {
  const known = PLATFORMS.find((each) => each === platform);
  if (known === undefined) throw new ToolError(`${platform} has no board. Call again with by=rank or by=cascade.`);
  return known;
}

/** The operators around a place whose cascades are most similar. */
async function similarTo(board: BoardView, window: Window, operator: Operator, place: number, limit: number) {
  const offset = Math.max(0, place - REACH);
  const end = place + REACH + 1;
  const lines = await board.rows(window, offset, end - offset);
  const candidates = lines.filter((line) => line.codename !== operator.codename);
  const more = { above: offset > 0, below: end < board.view.totals[window] };
  const { similar, certain } = similarCascades(operator, { candidates, more }, limit);
  const peers = similar.map(({ candidate, distance }) => ({ ...candidate, distance }));
  return { peers, scanned: candidates.length, certain };
}

const TITLES: Readonly<Record<Way, (operator: Operator) => string>> = {
  rank: () => 'Neighbours in rank:',
  platform: ({ platform }) => `Neighbours by the counts of ${platform} alone:`,
  cascade: () => 'Most similar in Leverage and Velocity:',
};

type Found = Omit<z.input<typeof Peers>, keyof typeof boardFields>;

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
