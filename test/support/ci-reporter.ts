import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Mocha's `spec` reporter that also writes the run's counts, as JSON, to the file named by the reporter option `counts`.
 * A run that breaks off writes none.
 */
export default class CiReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { counts } = options.reporterOptions ?? {};
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending, duration } = this.stats;
      writeFileSync(String(counts), JSON.stringify({ passes, failures, pending, durationMs: duration }));
    });
  }
}
