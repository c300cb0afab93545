import type { OperatorState } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import { encodeState } from './state-codec.ts';
import { randomId } from './unique-id.ts';

/** Bytes of marks written by one command at most; a command may carry 16 MiB. */
const MAX_COMMAND_BYTES = 6 * 1024 * 1024;

/** A new standing, to be written only on the revision that it was computed from. */
export interface StateWrite {
  readonly operator: number;
  readonly from: string;
  readonly operatorState: OperatorState;
}

function bytesOf({ operatorState }: StateWrite): number {
  return operatorState.streams.reduce(
    (sum, { series }) => sum + series.counts.byteLength + series.hours.byteLength + 128,
    512,
  );
}

function inCommands(writes: readonly StateWrite[]): StateWrite[][] {
  const commands: StateWrite[][] = [];
  let room = 0;
  for (const write of writes) {
    const bytes = bytesOf(write);
    if (commands.length === 0 || bytes > room) {
      commands.push([]);
      room = MAX_COMMAND_BYTES;
    }
    commands.at(-1)!.push(write);
    room -= bytes;
  }
  return commands;
}

/**
 * Writes standings, each only where the operator's revision is still the one it was computed from. Answers the new revision
 * of those written; operators absent from the answer lost a race or are gone, and nothing of theirs was written.
 *
 * Writes that nothing repeats when their writer dies before it has listed them bear the moment of it in `amendedAt`, so that
 * they are found again; folds of a group, which are repeated until they are listed, spare the index on it.
 *
 * One update maps every operator of a command to its own new fields, which costs about a third of as many single updates.
 */
export async function writeStates(
  { operators }: Collections,
  writes: readonly StateWrite[],
  amendedAt: Date | null,
): Promise<Map<number, string>> {
  const written = new Map<number, string>();
  for (const command of inCommands(writes)) {
    const revision = randomId();
    const stamps = amendedAt === null ? { revision } : { revision, amended_at: amendedAt };
    const next = Object.fromEntries(
      command.map(({ operator, from, operatorState }) => [
        operator,
        { from, set: { ...encodeState(operatorState), ...stamps } },
      ]),
    );
    const ids = command.map(({ operator }) => operator);
    const { modifiedCount } = await operators.updateMany({ _id: { $in: ids } }, [mapped(next)], DURABLE);
    const holders = modifiedCount === ids.length ? ids : await holdersOf(operators, ids, revision);
    for (const operator of holders) written.set(operator, revision);
  }
  return written;
}

function mapped(next: Record<string, unknown>) {
  const own = { $getField: { field: { $toString: '$_id' }, input: { $literal: next } } };
  const merged = { $mergeObjects: ['$$ROOT', '$$own.set'] };
  return {
    $replaceWith: {
      $let: { vars: { own }, in: { $cond: [{ $eq: ['$revision', '$$own.from'] }, merged, '$$ROOT'] } },
    },
  };
}

async function holdersOf(operators: Collections['operators'], ids: number[], revision: string): Promise<number[]> {
  const found = operators.find({ _id: { $in: ids }, revision }, { projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}
