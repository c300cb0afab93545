/** How rows are judged: settled, held or excluded, and why. Pure. */

export * from './judge.ts';
export * from './measures.ts';
export * from './review.ts';
export * from './rule-sets.ts';
export * from './rules.ts';
export * from './window-numbers.ts';
