import { createTransport } from 'nodemailer';

/** One message of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Mails that the outbox page shows at most. */
const OUTBOX_MAILS = 20;

/** Longest wait for a mail server, in milliseconds. */
const SEND_WITHIN_MS = 20_000;

export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** What was not sent anywhere, newest first; null when mail is sent. */
  outbox(): readonly Mail[] | null;
  close(): void;
}

/** Sends mail through the server that the settings name. */
export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  const limits = { connectionTimeout: SEND_WITHIN_MS, greetingTimeout: SEND_WITHIN_MS, socketTimeout: SEND_WITHIN_MS };
  const transport = createTransport({ url: smtpUrl, pool: true, maxConnections: 2, ...limits });
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    },
    outbox: () => null,
    close: () => transport.close(),
  };
}

/** Keeps mail in memory and tells the log: for an installation on one's own machine. */
export function createLocalMailer(tell: (mail: Mail) => void): Mailer {
  const kept: Mail[] = [];
  return {
    async send(mail) {
      kept.unshift(mail);
      kept.length = Math.min(kept.length, OUTBOX_MAILS);
      tell(mail);
    },
    outbox: () => kept,
    close: () => undefined,
  };
}
