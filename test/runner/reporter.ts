import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { addDurations } from './durations.ts';

const { EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_HOOK_END } = Mocha.Runner.constants;

const isHook = ({ type }: { readonly type: string }): boolean => type === 'hook';

/**
 * Mocha's `spec` reporter that also stores the duration of each file, and writes the run's counts as JSON to the file in the
 * reporter option `counts`. A run that crashes writes none.
 */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { counts } = options.reporterOptions ?? {};
    const durations = new Map<string, number>();
    const add = ({ file, duration }: Mocha.Runnable): void => {
      if (file !== undefined) durations.set(file, (durations.get(file) ?? 0) + (duration ?? 0));
    };
    runner.on(EVENT_TEST_END, add);
    runner.on(EVENT_HOOK_END, add);
    // Reasons of tests are printed where they fail.
    runner.on(EVENT_TEST_FAIL, (failed) => isHook(failed) && Mocha.reporters.Base.list([failed]));
    runner.once(EVENT_RUN_END, () => {
      addDurations(durations);
      const { passes, failures, pending, duration } = this.stats;
      if (pending > 0) process.stdout.write(`  ${pending} skipped because a tool is missing\n\n`);
      if (typeof counts !== 'string') return;
      writeFileSync(counts, JSON.stringify({ passes, failures, pending, durationMs: duration }));
    });
  }
}
