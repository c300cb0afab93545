import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';
import { createLogger } from '../../../ops/runtime/telemetry/index.ts';

/** A process with two open resources; its argument selects its misbehaviour. */
const [, , manner = ''] = process.argv;
const log = createLogger({ logLevel: 'info', name: 'child' });
const lifecycle = createLifecycle({ log, deadlineMs: manner === 'stuck' ? 1_000 : 60_000 });
lifecycle.installSignalHandlers();

const work = setInterval(() => {}, 1_000);
lifecycle.onClose('work', () => clearInterval(work));
lifecycle.onClose('stuck', () => (manner === 'stuck' ? new Promise(() => {}) : undefined), 60_000);
lifecycle.announceReady({ manner });
if (manner === 'throws') setImmediate(() => JSON.parse('not JSON'));
