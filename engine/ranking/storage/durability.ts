/**
 * Write concern for data that must survive a crash: acknowledged only when journaled on a majority. The log requires it. Data
 * derived from the log could do with less, and uses it all the same (decision 0010).
 */
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
