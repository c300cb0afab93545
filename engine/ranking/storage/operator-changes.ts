import type { mongo } from 'mongoose';
import { codenameKey } from '../../contract/signing/index.ts';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import { emptyState, type OperatorState } from '../core/operator-state/index.ts';
import type { OffBoards } from '../types.ts';
import { toBinary } from './binary.ts';
import { idsIn } from './find.ts';
import { encodeState, fieldsToWrite, type OperatorDocument } from './operator-codec.ts';
import { randomId } from './unique-id.ts';

/** The fields to change; absent fields stay. */
export interface RecordAmendment {
  readonly codename?: string;
  readonly displayName?: string | null;
  /** False excludes the operator from every board; its usage is kept. Ends no other reason to be on none, as `suspended` does not. */
  readonly listed?: boolean;
  readonly suspended?: boolean;
  readonly open?: boolean;
  /** Bits of rules (`engine/integrity`) to set and to remove. */
  readonly findings?: BitChange;
  /** As in `Assertions`. */
  readonly waived?: Float64Array;
}

export interface BitChange {
  readonly set: number;
  readonly remove: number;
}

/** A change of a codename, allowed `most` times in `windowMs` milliseconds. */
export interface RenameChange {
  readonly from: string;
  readonly to: string;
  readonly limit: { readonly most: number; readonly windowMs: number };
}

/** Changes names and listing of operators, and erases operators. Every write sets a new revision. */
export function createOperatorChanges(operators: mongo.Collection<OperatorDocument>) {
  return {
    writeStates: (writes: readonly StateWrite[], amendedAt: Date | null) => writeStates(operators, writes, amendedAt),

    /** Changes names or listing; false when the operator does not exist, was erased, or the codename is taken. */
    async amend(number: number, amendment: RecordAmendment, at: Date): Promise<boolean> {
      const live = { _id: number, erased_at: { $exists: false } };
      const stages = [...amendmentStages(amendment), { $set: { revision: randomId(), amended_at: at } }];
      return matches(() => operators.updateOne(live, stages, DURABLE));
    },

    /** Renames an operator; false when its codename is not `from`, `to` is taken, or the rename limit is reached. */
    async rename(number: number, { from, to, limit }: RenameChange, at: Date): Promise<boolean> {
      const oldest = new Date(at.getTime() - limit.windowMs);
      const update = {
        $set: { codename: codenameKey(to), revision: randomId(), amended_at: at },
        $push: { renamed_at: { $each: [at], $slice: -limit.most } },
      };
      const rested = [{ [`renamed_at.${limit.most - 1}`]: { $exists: false } }, { 'renamed_at.0': { $lte: oldest } }];
      const live = { _id: number, codename: codenameKey(from), erased_at: { $exists: false }, $or: rested };
      return matches(() => operators.updateOne(live, update, DURABLE));
    },

    /** Times of an operator's last renames in milliseconds since the epoch, oldest first. */
    async renamesOf(number: number): Promise<readonly number[]> {
      const found = await operators.findOne<Pick<OperatorDocument, 'renamed_at'>>(
        { _id: number },
        { projection: { _id: 0, renamed_at: 1 } },
      );
      return (found?.renamed_at ?? []).map((moment) => moment.getTime());
    },

    /** Hides a row or shows it again; false when it is so already, was changed less than `restMs` ago, or is gone. */
    async setHidden(number: number, hidden: boolean, restMs: number, at: Date): Promise<boolean> {
      const rested = { $not: { $gt: new Date(at.getTime() - restMs) } };
      const isOther: mongo.Condition<OffBoards> = hidden ? { $ne: 'hidden' } : 'hidden';
      const live = { _id: number, off_boards: isOther, hiding_at: rested, erased_at: { $exists: false } };
      const change = { $set: { hiding_at: at, revision: randomId(), amended_at: at } };
      return matches(() => operators.updateOne(live, [...offBoardsStages('hidden', hidden), change], DURABLE));
    },

    /** Whether a row is hidden, and since when it is so, in milliseconds since the epoch (0: always); null when it is gone. */
    async hidingOf(number: number): Promise<{ readonly hidden: boolean; readonly since: number } | null> {
      const live = { _id: number, erased_at: { $exists: false } };
      const found = await operators.findOne(live, { projection: { off_boards: 1, hiding_at: 1 } });
      return found && { hidden: found.off_boards?.includes('hidden') === true, since: found.hiding_at?.getTime() ?? 0 };
    },

    /** Numbers of suspended operators. */
    suspended: () => idsIn(operators, { off_boards: 'suspended' }),

    /**
     * Clears an operator's record except for its number. Returns `renamed` when its codename is not the given one (empty:
     * none); has no effect on an erased operator.
     */
    async erase(number: number, codename: string, at: Date, hour: number): Promise<'erased' | 'unknown' | 'renamed'> {
      const nothing = { ...encodeState(emptyState(hour)), display_name: null, listed: false, erased_at: at };
      const update = {
        $set: { ...nothing, open: false, revision: randomId(), amended_at: at },
        $unset: { codename: true, renamed_at: true, off_boards: true, hiding_at: true, findings: true, waived: true },
      } as const;
      const named = codename === '' ? { $exists: false } : codename;
      const live = { _id: number, codename: named, erased_at: { $exists: false } };
      if ((await operators.updateOne(live, update, DURABLE)).matchedCount === 1) return 'erased';
      const found = await operators.findOne({ _id: number }, { projection: { erased_at: 1 } });
      if (found === null) return 'unknown';
      return found.erased_at === undefined ? 'renamed' : 'erased';
    },
  };
}

/** Runs an update; false when it matches nothing or the codename is taken. */
async function matches(update: () => Promise<mongo.UpdateResult>): Promise<boolean> {
  let matched = 0;
  const done = await insertUnlessTaken(async () => {
    matched = (await update()).matchedCount;
  });
  return done && matched === 1;
}

/** Pipeline stages of an amendment. `$literal` prevents strings that begin with a dollar sign from being evaluated. */
function amendmentStages({ codename, displayName, listed, suspended, open, findings, waived }: RecordAmendment) {
  const stages: { $set: Record<string, unknown> }[] = [];
  if (open !== undefined) stages.push({ $set: { open } });
  if (findings !== undefined) stages.push({ $set: { findings: changedBits('$findings', findings) } });
  if (waived !== undefined) stages.push({ $set: { waived: { $literal: toBinary(waived) } } });
  if (codename !== undefined) stages.push({ $set: { codename: { $literal: codenameKey(codename) } } });
  if (displayName !== undefined) stages.push({ $set: { display_name: { $literal: displayName } } });
  if (listed !== undefined) stages.push(...offBoardsStages('unlisted', !listed));
  if (suspended !== undefined) stages.push(...offBoardsStages('suspended', suspended));
  return stages;
}

/** Adds or removes a reason to be on no board. */
function offBoardsStages(reason: OffBoards, applies: boolean) {
  const change = [{ $ifNull: ['$off_boards', []] }, [reason]];
  const off_boards = applies ? { $setUnion: change } : { $setDifference: change };
  return [{ $set: { off_boards } }, { $set: { listed: { $eq: ['$off_boards', []] } } }];
}

function changedBits(field: string, { set, remove }: BitChange) {
  return { $bitOr: [{ $bitAnd: [{ $ifNull: [field, 0] }, ~remove] }, set] };
}

/** Bytes of samples per command; a command may carry 16 MiB. */
const MAX_COMMAND_BYTES = 6 * 1024 * 1024;

/** A new operator state, written only if the record still has revision `from`. */
export interface StateWrite {
  readonly operator: number;
  readonly from: string;
  /** The state at that revision; null when it was not read. */
  readonly held: OperatorState | null;
  readonly operatorState: OperatorState;
}

function bytesOf({ operatorState }: StateWrite): number {
  return operatorState.streams.reduce(
    (sum, { series, receipts }) =>
      sum + series.counts.byteLength + series.hours.byteLength + receipts.counts.byteLength + 256,
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
 * Writes operator states, each conditional on its revision; operators absent from the result lost a race or are gone.
 * Writes that no job repeats set `amendedAt`, by which reconciliation finds them after a crash; batches save the index update.
 * One update for all operators costs about a third of as many single ones.
 */
async function writeStates(
  operators: mongo.Collection<OperatorDocument>,
  writes: readonly StateWrite[],
  amendedAt: Date | null,
): Promise<Map<number, string>> {
  const written = new Map<number, string>();
  for (const command of splitIntoCommands(writes)) {
    const revision = randomId();
    const common = amendedAt === null ? { revision } : { revision, amended_at: amendedAt };
    const ids = command.map(({ operator }) => operator);
    const { modifiedCount } = await operators.updateMany({ _id: { $in: ids } }, [updateEach(command, common)], DURABLE);
    const updated = modifiedCount === ids.length ? ids : await idsIn(operators, { _id: { $in: ids }, revision });
    for (const operator of updated) written.set(operator, revision);
  }
  return written;
}

const atPlace = (values: readonly unknown[]) => ({ $arrayElemAt: [{ $literal: values }, '$$place'] });

/** Sets each operator's own fields, as a list per field, which MongoDB indexes by the operators' places, and the `common` ones. */
function updateEach(command: readonly StateWrite[], common: Partial<OperatorDocument>) {
  const place = { $indexOfArray: [{ $literal: command.map(({ operator }) => operator) }, '$_id'] };
  const changes = command.map(({ held, operatorState }) => ({ held, next: encodeState(operatorState) }));
  const fields = fieldsToWrite(changes).map((field) => [field, atPlace(changes.map(({ next }) => next[field]))]);
  const merged = { $mergeObjects: ['$$ROOT', { ...Object.fromEntries(fields), ...common }] };
  const isAtRevision = { $eq: ['$revision', atPlace(command.map(({ from }) => from))] };
  return { $replaceWith: { $let: { vars: { place }, in: { $cond: [isAtRevision, merged, '$$ROOT'] } } } };
}
