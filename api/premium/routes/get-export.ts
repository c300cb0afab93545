import { BoardExport, ExportQuery } from '../../../engine/contract/index.ts';
import { BOARD_VERSION_HEADER, definePremiumRoute, premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Additive to the contract: whole boards. */
export const getExport = definePremiumRoute({
  ...premiumRoute('export', 'getBoardExport', ['window_invalid', 'format_invalid']),
  description:
    'Every ranked operator of a window in board order, at one board version, at most a minute old. Board-Version and the ' +
    'JSON contain the version. Paid for by x402.',
  query: ExportQuery,
  successes: [
    {
      status: 200,
      description: 'The board.',
      schema: BoardExport,
      mediaTypes: ['text/csv'],
      headers: { ...RECEIPT_HEADERS, ...BOARD_VERSION_HEADER },
    },
  ],
  handle: ({ query }, { ctx, method, header }) => ctx.premium.export({ method, header }, query.window, query.format),
});
