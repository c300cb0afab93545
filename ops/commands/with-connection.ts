import { loadConfig } from '../../config/config.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import type { CommandContext } from './command-context.ts';
import { findService, requireAddress } from './find-service.ts';
import { openConnection } from './mongo/open-connection.ts';

/**
 * Connects to the service's MongoDB for a command that works on the raw database: creates no index and opens no module.
 *
 * @throws CommandError when it is not configured or does not respond; SettingsError when the settings are invalid.
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
