import { connect } from 'node:net';

/** How long a server may stay silent, in milliseconds. */
const SILENCE_MS = 120_000;

/** Sends raw bytes on one connection. Returns everything received until the server closes it. */
export function overTheWire(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let received = '';
    socket.setEncoding('latin1');
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the server neither answered nor closed')));
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.write(text, 'latin1');
  });
}

/** The text of a request; alternating header names and values, so that a name may occur twice. */
export function requestText(method: string, target: string, headers: readonly string[], version = '1.1'): string {
  let text = `${method} ${target} HTTP/${version}\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}

/** Removes what may differ between two responses: the date and the instance of a problem. */
export function withoutMoment(answer: string): string {
  return answer.replace(/^Date: .*\r\n/gm, '').replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn:uuid:0');
}
