/** For what must survive a kill: acknowledged only when journaled on a majority. */
export const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;
