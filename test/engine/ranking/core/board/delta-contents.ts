import { changesIn, type Delta } from '../../../../../engine/ranking/core/board/index.ts';
import { EditWalk } from '../../../../../engine/ranking/core/board/slice.ts';

/** The net contents of a delta, independent of its levels. */
export function contentsOf(delta: Delta) {
  const windows = delta.windows.map((window) => {
    const removed: Array<readonly [y: number, operator: number]> = [];
    const added: Array<readonly [y: number, operator: number]> = [];
    for (const edits = new EditWalk(window, null); edits.sign !== 0; edits.next()) {
      (edits.sign > 0 ? added : removed).push([edits.y, edits.operator]);
    }
    return { removed, added };
  });
  return { windows, changes: changesIn(delta), size: delta.size };
}
