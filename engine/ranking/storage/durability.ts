/**
 * For what must survive a kill: acknowledged only when journaled on a majority. The log needs it. What is derived from the
 * log could do without on a single journal, and has it nevertheless (decision 0010).
 */
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
