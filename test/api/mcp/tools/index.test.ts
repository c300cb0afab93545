import { expect } from 'chai';
import * as z from 'zod';
import { compareOperators } from '../../../../api/mcp/tools/compare-operators.ts';
import { describePowerUser } from '../../../../api/mcp/tools/describe-power-user.ts';
import { discoverPeers } from '../../../../api/mcp/tools/discover-peers.ts';
import { getBestOperator } from '../../../../api/mcp/tools/get-best-operator.ts';
import { getLeaderboard } from '../../../../api/mcp/tools/get-leaderboard.ts';
import { optimizeEfficiency } from '../../../../api/mcp/tools/optimize-efficiency.ts';
import type { McpTool } from '../../../../api/mcp/tools/tool.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openRankingWorld, WORLD_START } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 1_500;
const PROBES = 8;
const PLATFORMS = ['claude-code', 'codex', 'opencode'];

const Peers = z.object({
  peers: z.array(z.object({ codename: z.string(), distance: z.number().nullable() })),
  certain: z.boolean(),
});

const Best = z.object({ operator: z.object({ codename: z.string() }).nullable(), candidates: z.int() });

const Described = z.object({
  tier: z.object({ name: z.string() }),
  operators: z.int(),
  top: z.object({ operators: z.int(), leverage: z.object({ median: z.number() }) }).nullable(),
  rest: z.object({ operators: z.int(), looked_at: z.int(), velocity: z.object({ median: z.number() }) }).nullable(),
});

const Optimized = z.object({
  steps: z.array(z.object({ lever: z.string(), factor: z.number(), yield_: z.number(), rank: z.int() })),
});

const Page = z.object({ entries: z.array(z.object({ codename: z.string() })), offset: z.int() });

const Compared = z.object({
  operators: z.array(z.object({ codename: z.string(), rank: z.int() })),
  gaps: z.array(z.object({ ranks: z.int(), yield_ratio: z.number().nullable() })),
});

/** An operator of the model: everything from the definitions, sorted in memory. */
interface Modelled {
  readonly codename: string;
  readonly platform: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
}

function model(random: SeededRandom, index: number): Modelled {
  // Small counts make ties and zeros; the others spread over many tiers.
  const small = random.integer(0, 9) === 0;
  const input = small ? random.integer(1, 3) : random.integer(100, 10_000);
  const output = small ? random.integer(0, 2) : Math.round(input * 10 ** (random.next() * 2 - 1));
  const cache_read = small ? random.integer(0, 2) : Math.round(input * 10 ** (random.next() * 3));
  const [leverage, velocity] = [cache_read / input, output / input];
  const yield_ = (cache_read * output) / (input * input);
  const codename = `modelled-${index}`;
  return {
    codename,
    platform: random.pick(PLATFORMS),
    input,
    output,
    cache_read,
    yield_,
    leverage,
    velocity,
  };
}

function distance(a: Modelled, b: Modelled): number {
  return Math.sqrt(logOf(a.leverage, b.leverage) ** 2 + logOf(a.velocity, b.velocity) ** 2);
}

function logOf(x: number, y: number): number {
  return x === y ? 0 : Math.log(x / y);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

describe('mcp: what tools compute, against a model', () => {
  const random = seededRandom(runSeed());
  const label = `(seed ${random.seed})`;
  const world = useFixture(openRankingWorld);

  let board: readonly Modelled[];

  const rankOf = (yield_: number, without: string): number =>
    1 + board.filter((other) => other.codename !== without && other.yield_ > yield_).length;

  async function ask<O extends z.ZodType>(
    tool: McpTool,
    given: Record<string, unknown>,
    shape: O,
  ): Promise<z.infer<O>> {
    const { structured } = await tool.run(tool.input.parse(given), { ...reader(), leagueBoard: async () => null });
    return shape.parse(tool.output.parse(structured));
  }

  const probes = (): Modelled[] => Array.from({ length: PROBES }, () => random.pick(board));

  before(async () => {
    const field = Array.from({ length: OPERATORS }, (_, index) => model(random, index));
    const asOf = WORLD_START - 3_600_000;
    await world().ranking.operators.import(
      field.map(({ codename, platform, input, output, cache_read }) => {
        const counts = { input, output, cache_read, cache_write: 0 };
        return importedOperator(codename, asOf, counts, platform);
      }),
    );
    await world().ranking.rebuildBoard();
    await world().ranking.platforms.rank(undefined, UNPACED);
    // Sorting is stable: equal Yields stay in the order in which they came.
    board = field.toSorted((a, b) => b.yield_ - a.yield_);
  });
  const reader = useFixture(() => world().ranking.openBoardReader(rethrow));

  it(`ranks every step of every lever ${label}`, async () => {
    for (const { codename, input, output, cache_read } of probes()) {
      const { steps } = await ask(optimizeEfficiency, { codename }, Optimized);
      expect(steps).to.have.length(9);
      for (const { lever, factor, yield_, rank } of steps) {
        const i = lever === 'less_input' ? input * (1 / factor) : input;
        const o = lever === 'more_output' ? output * factor : output;
        const c = lever === 'more_cache_reads' ? cache_read * factor : cache_read;
        expect(yield_).to.equal((c * o) / (i * i));
        expect(rank, `${codename} ${lever} ${factor}`).to.equal(rankOf(yield_, codename));
      }
    }
  });

  it(`finds the likest cascades, where it says that it is certain ${label}`, async () => {
    let certainly = 0;
    for (const own of probes()) {
      const { peers, certain } = await ask(discoverPeers, { codename: own.codename, by: 'cascade', limit: 5 }, Peers);
      if (!certain) continue;
      certainly += 1;
      const nearest = board
        .filter(({ codename }) => codename !== own.codename)
        .map((other) => distance(own, other))
        .filter(Number.isFinite)
        .toSorted((a, b) => a - b);
      expect(peers.length).to.equal(Math.min(5, nearest.length));
      for (const [index, peer] of peers.entries()) expect(peer.distance).to.be.closeTo(nearest[index]!, 1e-9);
    }
    expect(certainly).to.be.above(0);
  });

  it(`finds neighbours on the board of all, and on that of a platform ${label}`, async () => {
    for (const own of [...probes(), board[1]!, board.at(-1)!]) {
      for (const by of ['rank', 'platform']) {
        const { peers } = await ask(discoverPeers, { codename: own.codename, by, limit: 6 }, Peers);
        const among = board.filter(({ platform }) => by === 'rank' || platform === own.platform);
        const position = among.indexOf(own);
        const around = [
          ...among.slice(Math.max(0, position - 3), position),
          ...among.slice(position + 1, position + 4),
        ];
        expect(
          peers.map(({ codename }) => codename),
          by,
        ).to.deep.equal(around.map(({ codename }) => codename));
      }
    }
  });

  it(`finds the best of every tier and platform ${label}`, async () => {
    for (const [index, { name, from }] of methodology1.tiers.entries()) {
      const below = methodology1.tiers[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const tier = board.filter(({ yield_ }) => yield_ >= from && yield_ < below);
      const found = await ask(getBestOperator, { class_tier: name }, Best);
      expect(found.candidates, name).to.equal(tier.length);
      expect(found.operator?.codename, name).to.equal(tier[0]?.codename);
      for (const platform of PLATFORMS) {
        const best = await ask(getBestOperator, { class_tier: name, platform }, Best);
        const onIt = tier.filter((other) => other.platform === platform);
        expect(best.operator?.codename).to.equal(onIt[0]?.codename);
        expect(best.candidates).to.equal(onIt.length);
      }
    }
  });

  it(`describes the top of every tier by its medians ${label}`, async () => {
    for (const [index, { name, from }] of methodology1.tiers.entries()) {
      const below = methodology1.tiers[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const tier = board.filter(({ yield_ }) => yield_ >= from && yield_ < below);
      const found = await ask(describePowerUser, { class_tier: name }, Described);
      expect(found.operators, name).to.equal(tier.length);
      if (tier.length < 10) continue;
      const top = tier.slice(0, Math.max(5, Math.ceil(tier.length / 10)));
      const rest = tier.slice(top.length);
      expect(found.top?.operators, name).to.equal(top.length);
      expect(found.top?.leverage.median).to.be.closeTo(medianOf(top.map(({ leverage }) => leverage)), 1e-9);
      expect(found.rest?.operators, name).to.equal(rest.length);
      expect(found.rest?.looked_at, name).to.equal(Math.min(400, rest.length));
      if (rest.length > 400) continue;
      expect(found.rest?.velocity.median).to.be.closeTo(medianOf(rest.map(({ velocity }) => velocity)), 1e-9);
    }
  });

  it(`reads pages anywhere ${label}`, async () => {
    for (const own of probes()) {
      const position = board.indexOf(own);
      for (const given of [{ offset: position }, { around: own.codename }]) {
        const { entries, offset } = await ask(getLeaderboard, { ...given, limit: 5 }, Page);
        const first = 'offset' in given ? position : position - 2;
        const expected = board.slice(Math.max(0, first), first + 5).map(({ codename }) => codename);
        expect(entries.map(({ codename }) => codename)).to.deep.equal(expected);
        expect(offset).to.equal(Math.max(0, first));
      }
    }
  });

  it(`compares by rank and ratio ${label}`, async () => {
    const [a, b, c] = [board[3]!, board[700]!, board[40]!];
    const codenames = [a, b, c].map(({ codename }) => codename);
    const { operators, gaps } = await ask(compareOperators, { codenames }, Compared);
    expect(operators.map(({ codename }) => codename)).to.deep.equal([a, c, b].map(({ codename }) => codename));
    for (const { codename, rank } of operators) {
      expect(rank).to.equal(rankOf(board.find((other) => other.codename === codename)!.yield_, codename));
    }
    expect(gaps.map(({ yield_ratio }) => yield_ratio)).to.deep.equal([a.yield_ / c.yield_, c.yield_ / b.yield_]);
  });
});
