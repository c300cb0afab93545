/** The commands that show what is stored on this machine, as one bundle that is loaded on demand, as in `online.ts`. */
export { goalCommand } from './goal.ts';
export { importCommand } from './import-usage.ts';
export { pricesCommand } from './prices.ts';
export { statuslineCommand } from './statusline.ts';
export { topCommand } from './top.ts';
export { viewCommand } from './usage-view.ts';
export { whatIfCommand } from './what-if.ts';
export { whyCommand } from './why.ts';
