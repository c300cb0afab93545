/** Everything shared with clients: wire schemas, codes, windows and the signed layout. */
export * from './board-moment.ts';
export * from './display-name.ts';
export * from './problem-codes.ts';
export * from './refusals.ts';
export * from './schemas/index.ts';
export * from './selection.ts';
export * from './share.ts';
export * from './signing/index.ts';
export * from './unranked.ts';
export * from './windows.ts';
