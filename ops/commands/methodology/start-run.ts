import type { RerankRequest } from '../../../engine/ranking/index.ts';
import { CommandError } from '../command-error.ts';
import type { Service } from '../service.ts';

/** Begins a run and answers its name. @throws CommandError when it cannot begin. */
export async function startRun({ ranking }: Service, request: RerankRequest): Promise<string> {
  const started = await ranking.rerank.start(request);
  switch (started.kind) {
    case 'started':
      return started.run;
    case 'busy':
      throw new CommandError(
        `run ${started.run} is under way`,
        'Wait for its end (methodology status), or stop it: methodology cancel.',
      );
    case 'current':
      throw new CommandError(
        `the boards are made by methodology ${request.methodology} already`,
        'There is nothing to do.',
      );
    case 'unknown':
      throw new CommandError(`there is no methodology ${request.methodology}`, 'See: methodology list.');
  }
}
