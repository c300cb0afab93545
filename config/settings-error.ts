/** Unusable settings. Each problem is a sentence that starts with the variable's name. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    super(`${count} not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, options);
    this.problems = problems;
  }
}
