/** Why nothing was started, in words for people. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
