import { loadConfig } from '../../config/config.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { CommandContext } from './command-context.ts';
import { findService, requireAddress } from './find-service.ts';
import { openConnection } from './mongo/open-connection.ts';

/**
 * Connects to the service's MongoDB for a command that works on the database as it is: no index is created, no door opened.
 *
 * @throws CommandError when it cannot be found or does not answer; SettingsError when the settings cannot be used.
 */
export async function withConnection(
  { environment }: CommandContext,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { mongoUrl } = await findService(loadConfig(environment));
  const connection = await openConnection(requireAddress(mongoUrl, 'MONGODB_URL'));
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
}
