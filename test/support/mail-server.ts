import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** A mail server in this process that takes everything. */
export interface MailServer {
  readonly mails: readonly string[];
  /** The link in the newest mail to an address, once more mails than `after` have come to it. */
  linkTo(address: string, after?: number): Promise<string>;
  count(address: string): number;
  close(): Promise<void>;
}

export async function openMailServer(port: number): Promise<MailServer> {
  const mails: { readonly to: string; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => {
        // Quoted-printable: soft line breaks and escaped characters.
        const plain = text
          .replace(/=\r?\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text: plain });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const to = (address: string) => mails.filter((mail) => mail.to === address);
  return {
    get mails() {
      return mails.map(({ text }) => text);
    },
    count: (address) => to(address).length,
    async linkTo(address, after = 0) {
      await eventually(`mail to ${address}`, () => to(address).length > after, 10_000);
      const link = /https?:\/\/\S+token=[A-Za-z0-9_-]+/.exec(to(address).at(-1)?.text ?? '');
      if (link === null) throw new Error(`no link in the mail to ${address}`);
      return link[0];
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
