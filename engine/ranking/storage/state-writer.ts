import type { OperatorState } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import { DURABLE } from './durability.ts';
import { encodeState } from './state-codec.ts';
import { randomId } from './unique-id.ts';

/** Bytes of samples per command; a command may carry 16 MiB. */
const MAX_COMMAND_BYTES = 6 * 1024 * 1024;

/** A new operator state, written only if the record still has revision `from`. */
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

function splitIntoCommands(writes: readonly StateWrite[]): StateWrite[][] {
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
 * Writes operator states, each conditional on its revision. Returns the new revisions; operators absent from the result lost
 * a race or are gone, and were not written.
 *
 * Writes that no job repeats set `amendedAt`, so that reconciliation finds them when their writer crashes before marking them
 * dirty. Batches, which are repeated, pass null and save the index update.
 *
 * One update maps every operator of a command to its new fields, which costs about a third of as many single updates.
 */
export async function writeStates(
  { operators }: Collections,
  writes: readonly StateWrite[],
  amendedAt: Date | null,
): Promise<Map<number, string>> {
  const written = new Map<number, string>();
  for (const command of splitIntoCommands(writes)) {
    const revision = randomId();
    const changed = amendedAt === null ? { revision } : { revision, amended_at: amendedAt };
    const next = Object.fromEntries(
      command.map(({ operator, from, operatorState }) => [
        operator,
        { from, set: { ...encodeState(operatorState), ...changed } },
      ]),
    );
    const ids = command.map(({ operator }) => operator);
    const { modifiedCount } = await operators.updateMany({ _id: { $in: ids } }, [updateEach(next)], DURABLE);
    const updated = modifiedCount === ids.length ? ids : await operatorsAtRevision(operators, ids, revision);
    for (const operator of updated) written.set(operator, revision);
  }
  return written;
}

function updateEach(next: Record<string, unknown>) {
  const own = { $getField: { field: { $toString: '$_id' }, input: { $literal: next } } };
  const merged = { $mergeObjects: ['$$ROOT', '$$own.set'] };
  return {
    $replaceWith: {
      $let: { vars: { own }, in: { $cond: [{ $eq: ['$revision', '$$own.from'] }, merged, '$$ROOT'] } },
    },
  };
}

async function operatorsAtRevision(
  operators: Collections['operators'],
  ids: number[],
  revision: string,
): Promise<number[]> {
  const found = operators.find({ _id: { $in: ids }, revision }, { projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}
