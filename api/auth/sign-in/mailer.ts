import { createTransport } from 'nodemailer';

/** A plain-text message. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Maximum number of mails on the outbox page. */
const OUTBOX_MAILS = 20;

/** Timeout of a mail server, in milliseconds. */
const SEND_TIMEOUT_MS = 20_000;

export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Unsent mail, newest first; null when mail is sent. */
  outbox(): readonly Mail[] | null;
  close(): void;
}

export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  const limits = {
    connectionTimeout: SEND_TIMEOUT_MS,
    greetingTimeout: SEND_TIMEOUT_MS,
    socketTimeout: SEND_TIMEOUT_MS,
  };
  const transport = createTransport({ url: smtpUrl, pool: true, maxConnections: 2, ...limits });
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    },
    outbox: () => null,
    close: () => transport.close(),
  };
}

/** Keeps mail in memory and logs it, for local installations. */
export function createLocalMailer(log: (mail: Mail) => void): Mailer {
  const kept: Mail[] = [];
  return {
    async send(mail) {
      kept.unshift(mail);
      kept.length = Math.min(kept.length, OUTBOX_MAILS);
      log(mail);
    },
    outbox: () => kept,
    close: () => undefined,
  };
}
