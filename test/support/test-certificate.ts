import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../../config/env.ts';
import { findOnPath } from '../../ops/local/find-on-path.ts';

/** Files of a certificate for servers on this machine. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The CA for clients: the certificate itself. */
  readonly ca: string;
}

/** The program `openssl` of this machine; null where there is none. */
export function findOpenssl(): Promise<string | null> {
  return findOnPath(['openssl'], processEnvironment()['PATH'] ?? '');
}

/** Makes a certificate for `127.0.0.1` and `localhost` in a folder; it is valid for some days. */
export async function makeCertificate(openssl: string, folder: string, days = 2): Promise<TestCertificate> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate];
  await promisify(execFile)(openssl, [
    'req',
    '-x509',
    '-days',
    String(days),
    '-subj',
    '/CN=localhost',
    '-addext',
    names,
    ...made,
  ]);
  return { certificate, key, ca: certificate };
}
