import { connect } from 'node:net';

/** How long a loopback Redis may take to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * Runs commands, in the inline form of the Redis protocol, whose answers are simple strings such as `OK` or `PONG`.
 *
 * @throws Error when there is no connection, no answer in time, or an error for an answer.
 */
export async function redisCommands(port: number, commands: readonly string[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await new Promise<void>((resolve, reject) => {
      let received = '';
      socket.setEncoding('latin1');
      socket.setTimeout(ANSWER_WITHIN_MS, () => reject(new Error(`no answer from Redis on port ${port}`)));
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`Redis on port ${port} closed the connection`)));
      socket.on('data', (chunk: string) => {
        received += chunk;
        const answers = received.split('\r\n').slice(0, -1);
        const refused = answers.find((answer) => !answer.startsWith('+'));
        if (refused !== undefined) reject(new Error(`Redis answered ${refused}`));
        else if (answers.length >= commands.length) resolve();
      });
      socket.write(commands.map((command) => `${command}\r\n`).join(''));
    });
  } finally {
    socket.destroy();
  }
}
