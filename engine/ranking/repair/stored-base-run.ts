import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import {
  type BuiltBaseRun,
  buildBaseRun,
  isSameYield,
  OPERATOR_PAGE_SLOTS,
  type OperatorPage,
  type OrderPage,
  WINDOW_COUNT,
} from '../core/board/index.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import { type Finding, readPart } from './findings.ts';

/** A base run with all its stored pages; unreadable pages are null. */
export interface StoredBaseRun {
  readonly header: BaseRunHeader;
  /** By window. */
  readonly orderPages: readonly (readonly (OrderPage | null)[])[];
  readonly operatorPages: readonly (OperatorPage | null)[];
  /** Yields in the operator pages: `WINDOW_COUNT` per slot. */
  readonly byOperator: Float64Array;
  /** Yields in the order pages, in the same layout. */
  readonly byOrder: Float64Array;
}

/** Reads a base run completely; adds a finding for each unreadable part. */
export async function readStoredBase(
  parts: BoardParts,
  header: BaseRunHeader,
  findings: Finding[],
): Promise<StoredBaseRun> {
  const byOperator = new Float64Array(header.slots * WINDOW_COUNT).fill(Number.NaN);
  const byOrder = byOperator.slice();
  const operatorPages: (OperatorPage | null)[] = [];
  for (let page = 0; page * OPERATOR_PAGE_SLOTS < header.slots; page++) {
    const place = { part: 'page', name: `${header.id}/operators/${page}` } as const;
    const found = await readPart(findings, place, () => parts.operatorPage(header.id, page));
    const at = page * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
    byOperator.set(found?.yields.subarray(0, byOperator.length - at) ?? [], at);
    operatorPages.push(found);
  }
  const orderPages = await Promise.all(WINDOWS.map((_, window) => readOrder(parts, header, window, byOrder, findings)));
  return { header, orderPages, operatorPages, byOperator, byOrder };
}

async function readOrder(
  parts: BoardParts,
  { id, directories }: BaseRunHeader,
  window: number,
  byOrder: Float64Array,
  findings: Finding[],
): Promise<(OrderPage | null)[]> {
  const { pageEntries, count } = directories[window]!;
  const pages: (OrderPage | null)[] = [];
  for (let page = 0; page * pageEntries < count; page++) {
    const place = { part: 'page', name: `${id}/order/${WINDOWS[window]}/${page}` } as const;
    const found = await readPart(findings, place, () => parts.orderPage(id, window, page));
    found?.operators.forEach((operator, at) => {
      byOrder[operator * WINDOW_COUNT + window] = found.yields[at]!;
    });
    pages.push(found);
  }
  return pages;
}

/** Compares a stored base run, part by part, with one that is built from its sources. */
export function compareBase(stored: StoredBaseRun, built: BuiltBaseRun, findings: Finding[]): void {
  const { header, orderPages, operatorPages } = stored;
  for (const [window, name] of WINDOWS.entries()) {
    let page = 0;
    for (const order of built.orderPages(window)) {
      const found = orderPages[window]![page];
      if (found === undefined || (found !== null && !sameOrder(found, order))) {
        findings.push(differs(`${header.id}/order/${name}/${page}`));
      }
      page += 1;
    }
    for (; page < orderPages[window]!.length; page++) findings.push(differs(`${header.id}/order/${name}/${page}`));
    if (!sameDirectory(header, built.directories, window)) {
      findings.push({ part: 'base', name: header.id, problem: `its directory of ${name} differs from the records` });
    }
  }
  let page = 0;
  for (const operators of built.operatorPages()) {
    const found = operatorPages[page];
    if (
      found !== undefined &&
      found !== null &&
      !(sameYields(found.yields, operators.yields) && sameNumbers(found.ranks, operators.ranks))
    ) {
      findings.push(differs(`${header.id}/operators/${page}`));
    }
    page += 1;
  }
}

const differs = (name: string): Finding => ({ part: 'page', name, problem: 'differs from the records' });

function sameOrder(a: OrderPage, b: OrderPage): boolean {
  return sameYields(a.yields, b.yields) && sameNumbers(a.operators, b.operators);
}

function sameDirectory({ directories }: BaseRunHeader, built: BaseRunHeader['directories'], window: number): boolean {
  const [a, b] = [directories[window]!, built[window]!];
  return (
    a.count === b.count &&
    a.pageEntries === b.pageEntries &&
    sameYields(a.firstYields, b.firstYields) &&
    sameYields(a.lastYields, b.lastYields) &&
    sameNumbers(a.firstOperators, b.firstOperators)
  );
}

function sameYields(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, at) => isSameYield(value, b[at]!));
}

function sameNumbers(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}

/** Reads every kept board except the current one and compares its operator pages with its order pages. */
export async function verifyHistory(
  { stores }: RankingContext,
  onDone: (boards: number, of: number) => void = () => undefined,
): Promise<readonly Finding[]> {
  const manifest = await stores.board.read();
  const findings: Finding[] = [];
  const kept = (manifest?.history ?? []).filter(({ base }) => base !== manifest?.base);
  for (const [at, { base }] of kept.entries()) {
    onDone(at, kept.length);
    findings.push(...(await verifyBase(stores.parts, 'history', base, ({ byOperator }) => buildBaseRun(byOperator))));
  }
  return findings;
}

/** Reads a base run besides the current one, and compares it with the one that `build` makes of it or of its sources. */
export async function verifyBase(
  parts: BoardParts,
  part: Finding['part'],
  base: string,
  build: (stored: StoredBaseRun) => BuiltBaseRun,
): Promise<Finding[]> {
  const problems: Finding[] = [];
  const header = await readPart(problems, { part: 'base', name: base }, () => parts.base(base));
  const stored = header && (await readStoredBase(parts, header, problems));
  if (stored !== null && problems.length === 0) compareBase(stored, build(stored), problems);
  return problems.map(({ name, problem }) => ({ part, name, problem }));
}
