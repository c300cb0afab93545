/** How a row that has a Yield stands: `settled` rows are numbered, `held` ones wait, `excluded` ones are ruled out. */
export const ROW_STATES = ['settled', 'held', 'excluded'] as const;

export type RowState = (typeof ROW_STATES)[number];
