import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** A mail server in this process that accepts everything, but for mails that it refuses. */
export interface MailServer {
  readonly mails: readonly string[];
  /** The newest link mailed to an address, once more links than `after` have come to it. */
  linkTo(address: string, after?: number): Promise<string>;
  /** Links mailed to an address. */
  count(address: string): number;
  /** Waits for a mail to an address that contains the text. */
  mailWith(address: string, text: string): Promise<string>;
  close(): Promise<void>;
}

const LINK = /https?:\/\/\S+token=[A-Za-z0-9_-]+/;

/** `refuse` returns an SMTP reply, such as `550 no`, by which mails to an address are refused; undefined: they are taken. */
export async function openMailServer(
  port: number,
  refuse: (address: string) => string | undefined = () => undefined,
): Promise<MailServer> {
  const mails: { readonly to: string; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const reply = refuse(address);
      if (reply === undefined) return done();
      done(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }));
    },
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => {
        const body = text.indexOf('\r\n\r\n');
        // Quoted-printable: soft line breaks and escaped characters. Headers may have `=` and two digits in a link.
        const decoded = text
          .slice(body)
          .replace(/=\r?\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        const plain = text.slice(0, body) + decoded;
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text: plain });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const linksTo = (address: string): string[] =>
    mails.flatMap(({ to, text }) => (to === address ? (LINK.exec(text) ?? []) : []));
  return {
    get mails() {
      return mails.map(({ text }) => text);
    },
    count: (address) => linksTo(address).length,
    async linkTo(address, after = 0) {
      await eventually(`a link to ${address}`, () => linksTo(address).length > after);
      return linksTo(address).at(-1) ?? '';
    },
    async mailWith(address, text) {
      const find = () => mails.find((mail) => mail.to === address && mail.text.includes(text));
      await eventually(`a mail to ${address} with ${text}`, () => find() !== undefined);
      return find()?.text ?? '';
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
