/** What a file, or a folder as a whole, imports. */
export interface ImportNode {
  readonly imports: readonly { readonly file: string | null }[];
}

/** Groups of files or folders that import each other, directly or through others (Tarjan). Types and dynamic imports count. */
export function importCycles(files: ReadonlyMap<string, ImportNode>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (path: string): void => {
    const place = order.size;
    order.set(path, place);
    lowest.set(path, place);
    open.push(path);
    for (const { file } of files.get(path)?.imports ?? []) {
      if (file === null || !files.has(file)) continue;
      if (!order.has(file)) visit(file);
      if (open.includes(file)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(file)!));
    }
    if (lowest.get(path) !== place) return;
    const cycle = open.splice(open.indexOf(path));
    if (cycle.length > 1) cycles.push(cycle.sort());
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return cycles;
}
