import { WINDOWS } from '../../contract/windows.ts';
import { FLAGGING, RULES, rulesIn } from '../../integrity/index.ts';

/** Flagged operators that are kept for each window: those with the highest Yields. */
const MAX_FLAGGED = 10;

/** An operator that a window's rules flag but do not exclude. */
export interface FlaggedOperator {
  readonly operator: number;
  readonly yield_: number;
  readonly rules: readonly string[];
}

/** Operators that cross each rule in a window, by name of the rule, and the flagged ones with the highest Yields. */
export interface CrossedRules {
  readonly operators: Readonly<Record<string, number>>;
  readonly flagged: readonly FlaggedOperator[];
}

/** Counts who crosses which rule, for each window (WINDOWS). */
export class CrossedRulesCount {
  readonly #operators = WINDOWS.map(() => new Map<string, number>());
  readonly #flagged: FlaggedOperator[][] = WINDOWS.map(() => []);

  /** `yield_`: NaN when the operator is not ranked. */
  add(window: number, operator: number, mask: number, yield_: number): void {
    if (mask === 0) return;
    const rules = rulesIn(mask).map(({ name }) => name);
    for (const rule of rules) this.#count(window, rule, 1);
    if ((mask & FLAGGING) !== 0 && !Number.isNaN(yield_)) this.#offer(window, { operator, yield_, rules });
  }

  /** Adds the counts of other operators. */
  join(windows: readonly CrossedRules[]): void {
    for (const [window, { operators, flagged }] of windows.entries()) {
      for (const [rule, count] of Object.entries(operators)) this.#count(window, rule, count);
      for (const one of flagged) this.#offer(window, one);
    }
  }

  windows(): CrossedRules[] {
    return WINDOWS.map((_, window) => {
      const counts = this.#operators[window]!;
      const inOrder = RULES.flatMap(({ name }) => (counts.has(name) ? [[name, counts.get(name)!] as const] : []));
      return { operators: Object.fromEntries(inOrder), flagged: this.#flagged[window]! };
    });
  }

  #count(window: number, rule: string, count: number): void {
    const counts = this.#operators[window]!;
    counts.set(rule, (counts.get(rule) ?? 0) + count);
  }

  #offer(window: number, one: FlaggedOperator): void {
    const flagged = [...this.#flagged[window]!, one];
    this.#flagged[window] = flagged
      .toSorted((a, b) => b.yield_ - a.yield_ || a.operator - b.operator)
      .slice(0, MAX_FLAGGED);
  }
}
