import type { RerankRequest } from '../../../engine/ranking/index.ts';
import { CommandError } from '../command-error.ts';
import type { Service } from '../service.ts';

/** Starts a run and returns its id. @throws CommandError when it cannot start. */
export async function startRun({ ranking }: Service, request: RerankRequest): Promise<string> {
  const started = await ranking.rerank.start(request);
  switch (started.kind) {
    case 'started':
      return started.run;
    case 'busy':
      throw new CommandError(
        `run ${started.run} is in progress`,
        'Wait for its end (methodology status), or stop it: methodology cancel.',
      );
    case 'current':
      throw new CommandError(`the boards already use methodology ${request.methodology}`, 'There is nothing to do.');
    case 'unknown':
      throw new CommandError(`there is no methodology ${request.methodology}`, 'See: methodology list.');
  }
}
