import { importCycles } from './import-cycles.ts';
import type { SourceFile } from './source-file.ts';

/** Folders that are top-level folders in every respect but their place: `ops/runtime` is below what the rest of `ops` is above. */
const TOP_LEVEL = ['ops/runtime'];

/** The parts of a path: folders from the top, and the file. */
function partsOf(path: string): string[] {
  const top = TOP_LEVEL.find((folder) => path.startsWith(`${folder}/`));
  return top === undefined ? path.split('/') : [top, ...path.slice(top.length + 1).split('/')];
}

/**
 * Cycles within each folder, between its files and its subfolders, where a subfolder with everything below it is one node. A
 * subfolder and a file beside it thus depend on each other in one direction only.
 */
export function folderCycles(files: ReadonlyMap<string, SourceFile>): readonly (readonly string[])[] {
  const folders = new Map<string, Map<string, { imports: { file: string }[] }>>();
  for (const { path, imports } of files.values()) {
    for (const { file } of imports) {
      if (file === null || file === path || !files.has(file)) continue;
      const [from, to] = [partsOf(path), partsOf(file)];
      const depth = from.findIndex((part, index) => part !== to[index]);
      const folder = from.slice(0, depth).join('/');
      const nodes = folders.get(folder) ?? new Map<string, { imports: { file: string }[] }>();
      folders.set(folder, nodes);
      const user = from.slice(0, depth + 1).join('/');
      const used = to.slice(0, depth + 1).join('/');
      for (const node of [user, used]) if (!nodes.has(node)) nodes.set(node, { imports: [] });
      nodes.get(user)?.imports.push({ file: used });
    }
  }
  return [...folders.values()].flatMap((nodes) => importCycles(nodes));
}
