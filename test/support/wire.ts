import { connect } from 'node:net';

/** How long a server may stay silent, in milliseconds. */
const SILENCE_MS = 15_000;

/** Sends bytes as they are on one connection, and answers everything that comes back until the server closes it. */
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

/** A request as it goes over the wire; header names and values in turns, so that a name can be there twice. */
export function requestText(method: string, target: string, headers: readonly string[], version = '1.1'): string {
  let text = `${method} ${target} HTTP/${version}\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}

/** What two answers may differ in: when they were given, and how an occurrence of a problem is called. */
export function withoutMoment(answer: string): string {
  return answer.replace(/^Date: .*\r\n/gm, '').replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn:uuid:0');
}
