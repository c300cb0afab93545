import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { eventually } from '../../support/eventually.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { makeCertificate } from '../../support/test-certificate.ts';
import { runProgram, shortened } from './run-program.ts';
import { MONITORING } from './tools.ts';

const NOTIFICATION = z.object({
  alerts: z.array(z.object({ status: z.enum(['firing', 'resolved']), labels: z.object({ alertname: z.string() }) })),
});

/** What arrived at one of the receivers that an operator fills in. */
export interface Notified {
  readonly receiver: string;
  readonly alert: string;
  readonly status: 'firing' | 'resolved';
}

/** Alertmanager with the product's file and webhooks of this process as its receivers. */
export async function startAlertmanager(program: string, folder: string, faster: number) {
  const notified: Notified[] = [];
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = request.url?.slice(1) ?? '';
    const { alerts } = NOTIFICATION.parse(await json(request));
    notified.push(...alerts.map(({ status, labels }) => ({ receiver, alert: labels.alertname, status })));
    response.end();
  }
  const receivers = createServer((request, response) => void take(request, response));
  const origin = `http://127.0.0.1:${await listenOnFreePort(receivers)}`;
  const shipped = await readFile(join(MONITORING, 'alertmanager.yml'), 'utf8');
  const filledIn = shipped.replaceAll('https://alerts.example', origin);
  await writeFile(join(folder, 'alertmanager.yml'), shortened(filledIn, faster));
  const args = [
    `--config.file=${folder}/alertmanager.yml`,
    `--storage.path=${folder}/alertmanager`,
    '--cluster.listen-address=',
  ];
  const running = await runProgram(program, args, { readyPath: '/-/ready' });
  return {
    port: running.port,
    notified: notified as readonly Notified[],
    /** Waits until a receiver was notified of an alert, after `since` earlier notifications. */
    async hears(wanted: Notified, since: number, withinMs: number): Promise<void> {
      const look = () => notified.slice(since).some((each) => isDeepStrictEqual(each, wanted));
      await eventually('the notification', look, withinMs).catch((error: unknown) => {
        throw new Error(`notified: ${JSON.stringify(notified.slice(since))}`, { cause: error });
      });
    },
    async close(): Promise<void> {
      await running.close();
      receivers.closeAllConnections();
      receivers.close();
    },
  };
}

/** A proxy with TLS in front of a service, and the blackbox exporter with the product's file that trusts its certificates. */
export async function startProbedProxy(
  programs: { readonly blackbox: string; readonly openssl: string },
  folder: string,
  origin: string,
) {
  const made = async (days: number) => {
    const { certificate, key } = await makeCertificate(programs.openssl, folder, days);
    return { cert: await readFile(certificate), key: await readFile(key) };
  };
  const [lasting, ending] = [await made(90), await made(2)];
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, Buffer.concat([lasting.cert, ending.cert]));
  const proxy = createTlsServer(lasting, (request, response) => {
    fetch(`${origin}${request.url}`)
      .then(({ status }) => response.writeHead(status).end())
      .catch(() => response.writeHead(502).end());
  });
  const url = `https://localhost:${await listenOnFreePort(proxy)}/health/live`;
  const args = [`--config.file=${MONITORING}/blackbox.yml`];
  const env = { SSL_CERT_FILE: ca };
  const exporter = await runProgram(programs.blackbox, args, { readyPath: '/-/healthy', env });
  return {
    url,
    exporterPort: exporter.port,
    /** Uses the certificate that ends in two days, or the one of 90 days. */
    endsSoon: (soon: boolean) => proxy.setSecureContext(soon ? ending : lasting),
    async close(): Promise<void> {
      await exporter.close();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
