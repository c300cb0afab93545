import { copyRange } from './copy-range.ts';
import { type BoardKeys, isBefore } from './keys.ts';
import { countKeysBeforeFrom } from './search.ts';

/** Up to this many keys between two edits are copied one by one, which costs less than a search (measured). */
const WALKED_KEYS = 16;

/**
 * Returns `keys` without `dropped` and with `inserted`, all in board order. Throws an Error when a dropped key is not among
 * `keys`; inserted ones must not be. The arguments are not modified.
 *
 * Runs between two edits are block copies, so that few edits of many keys cost little more than a memory copy.
 */
export function editKeys(keys: BoardKeys, dropped: BoardKeys, inserted: BoardKeys): BoardKeys {
  const droppedCount = dropped.yields.length;
  const insertedCount = inserted.yields.length;
  if (droppedCount + insertedCount === 0) return keys;
  const length = keys.yields.length + insertedCount - droppedCount;
  const target = { yields: new Float64Array(length), operators: new Uint32Array(length) };
  let at = 0;
  let to = 0;
  let atDropped = 0;
  let atInserted = 0;
  while (atDropped < droppedCount || atInserted < insertedCount) {
    const isInsert = comesFirst(inserted, atInserted, dropped, atDropped);
    const y = isInsert ? inserted.yields[atInserted]! : dropped.yields[atDropped]!;
    const operator = isInsert ? inserted.operators[atInserted]! : dropped.operators[atDropped]!;
    const near = Math.min(at + WALKED_KEYS, keys.yields.length);
    while (at < near && isBefore(keys.yields[at]!, keys.operators[at]!, y, operator)) {
      target.yields[to] = keys.yields[at]!;
      target.operators[to] = keys.operators[at]!;
      at++;
      to++;
    }
    if (at === near) {
      const next = countKeysBeforeFrom(keys, y, operator, at);
      copyRun(keys, at, next, target, to);
      to += next - at;
      at = next;
    }
    if (isInsert) {
      target.yields[to] = y;
      target.operators[to] = operator;
      to++;
      atInserted++;
    } else {
      if (keys.yields[at] !== y || keys.operators[at] !== operator) throw new Error(`no entry of operator ${operator}`);
      at++;
      atDropped++;
    }
  }
  copyRun(keys, at, keys.yields.length, target, to);
  return target;
}

/** Whether a[atA] is the next edit: it precedes b[atB], or b is exhausted. */
function comesFirst(a: BoardKeys, atA: number, b: BoardKeys, atB: number): boolean {
  if (atA === a.yields.length) return false;
  if (atB === b.yields.length) return true;
  return isBefore(a.yields[atA]!, a.operators[atA]!, b.yields[atB]!, b.operators[atB]!);
}

function copyRun(source: BoardKeys, start: number, end: number, target: BoardKeys, to: number): void {
  copyRange(source.yields, start, end, target.yields, to);
  copyRange(source.operators, start, end, target.operators, to);
}
