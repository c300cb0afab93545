import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  applySegment,
  applySegments,
  baseYieldOf,
  currentYieldOf,
  type Delta,
  emptyDelta,
  type LevelSizes,
  makeSegment,
  type Segment,
  WINDOW_COUNT,
} from '../../../../../../engine/ranking/core/board/index.ts';
import { runsOf } from '../../../../../support/long-run.ts';
import { aHistory, levelSizes } from '../arbitraries.ts';
import { BoardInMemory } from '../board-in-memory.ts';
import { contentsOf } from '../delta-contents.ts';

const RUNS = runsOf(100, 3_000);
const NEVER_MERGED: LevelSizes = { minOperators: 0, ratio: 0 };

function applyAndCountSteps(start: Delta, segments: readonly Segment[], operatorsPerStep: number, levels?: LevelSizes) {
  const work = applySegments(start, segments, operatorsPerStep, levels);
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done === true) return { delta: value, steps };
  }
}

/** The segments of all commits of a history, ignoring its compactions. */
function segmentsOf(history: ReadonlyArray<Parameters<BoardInMemory['commit']>[0] | null>): readonly Segment[] {
  const board = new BoardInMemory({ orderPageEntries: 7, operatorPageSlots: 16 });
  for (const commit of history) if (commit !== null) board.commit(commit);
  return board.segments;
}

/** The deltas after zero, one, two … of the segments. */
function appliedOneByOne(segments: readonly Segment[], levels: LevelSizes): readonly Delta[] {
  const deltas = [emptyDelta];
  for (const segment of segments) deltas.push(applySegment(deltas.at(-1)!, segment, levels));
  return deltas;
}

/** A commit that raises the Yield of operators by 1 in every window. */
function rise(operators: readonly number[], from: number): Segment {
  const before = Array.from({ length: WINDOW_COUNT }, () => from);
  const after = before.map((y) => y + 1);
  return makeSegment(operators.map((operator) => ({ operator, before, after })));
}

/** Four commits of four operators each, without common operators. */
const FOUR_RISES = [0, 4, 8, 12].map((first) => rise([first, first + 1, first + 2, first + 3], 0));

describe('applySegments', () => {
  it('has the result of applying segments one by one, from any start and with steps of any size', () => {
    let fromLevels = 0;
    const steps = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(aHistory, fc.nat(), steps, levelSizes, (history, pick, operatorsPerStep, levels) => {
        const segments = segmentsOf(history);
        const deltas = appliedOneByOne(segments, levels);
        const from = pick % deltas.length;
        const start = deltas[from]!;
        if (from < segments.length && start.levels.length > 1) fromLevels++;
        const { delta } = applyAndCountSteps(start, segments.slice(from), operatorsPerStep, levels);
        const [result, applied] = [contentsOf(delta), contentsOf(deltas.at(-1)!)];
        expect(result).to.deep.equal(applied);
        const { operators, before, after } = result.changes;
        for (const [index, operator] of operators.entries()) {
          for (let window = 0; window < WINDOW_COUNT; window++) {
            const at = index * WINDOW_COUNT + window;
            expect(baseYieldOf(delta, operator, window)).to.deep.equal(before[at]);
            expect(currentYieldOf(delta, operator, window)).to.deep.equal(after[at]);
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect(fromLevels, 'starts with several levels').to.be.greaterThan(RUNS / 10);
  });

  it('returns the delta itself without segments', () => {
    expect(applyAndCountSteps(emptyDelta, [], 1)).to.deep.equal({ delta: emptyDelta, steps: 1 });
  });

  it('takes one step for a commit, and several for many', () => {
    expect(applyAndCountSteps(emptyDelta, [rise([1, 2, 3, 4], 0)], 4).steps).to.equal(1);
    expect(applyAndCountSteps(emptyDelta, FOUR_RISES, 4).steps).to.be.greaterThan(4);
  });

  it('yields between the windows of a merge of levels', () => {
    const start = applySegment(emptyDelta, rise([1, 2, 3, 4], 0));
    expect(applyAndCountSteps(start, [rise([4, 5, 6, 7], 1)], 4).steps).to.equal(1 + WINDOW_COUNT);
  });

  it('keeps no more memory than the levels need', () => {
    const { levels } = applyAndCountSteps(emptyDelta, FOUR_RISES, 4, NEVER_MERGED).delta;
    expect(levels).to.have.lengthOf(4);
    for (const { changes } of levels) {
      for (const array of [changes.operators, changes.before, changes.after]) {
        expect(array.buffer.byteLength).to.equal(array.byteLength);
      }
    }
  });

  it('rejects segments that do not follow the delta', () => {
    const delta = applySegment(emptyDelta, rise([1], 1));
    expect(() => applyAndCountSteps(delta, [rise([1], 3)], 1)).to.throw('operator 1 had another Yield');
  });
});
