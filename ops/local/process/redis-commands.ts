import { connect } from 'node:net';

/** Time limit for a reply of a Redis on the loopback interface, in milliseconds. */
const REPLY_TIMEOUT_MS = 2_000;

/** Inline commands, with simple strings such as `OK` as replies. @throws Error when one fails or is late. */
export async function redisCommands(port: number, commands: readonly string[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await new Promise<void>((resolve, reject) => {
      let received = '';
      socket.setEncoding('latin1');
      socket.setTimeout(REPLY_TIMEOUT_MS, () => reject(new Error(`no reply from Redis on port ${port}`)));
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`Redis on port ${port} closed the connection`)));
      socket.on('data', (chunk: string) => {
        received += chunk;
        const replies = received.split('\r\n').slice(0, -1);
        const refused = replies.find((reply) => !reply.startsWith('+'));
        if (refused !== undefined) reject(new Error(`Redis replied ${refused}`));
        else if (replies.length >= commands.length) resolve();
      });
      socket.write(commands.map((command) => `${command}\r\n`).join(''));
    });
  } finally {
    socket.destroy();
  }
}
