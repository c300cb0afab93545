/** Integrity cases: what rules and people found about rows, and what moderators decided. */
export { readCaseText } from './case-text.ts';
export * from './case-types.ts';
export * from './case-words.ts';
export { actionsOf, createCases, isShownToOperator } from './create-cases.ts';
export { EVIDENCE_DELAY_MS, MAX_CASE_TEXT_LENGTH, MAX_REPORTS_PER_DAY } from './limits.ts';
export { createCaseStore, openCaseModels } from './mongo/case-store.ts';
