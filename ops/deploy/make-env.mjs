// `node ops/deploy/make-env.mjs [FILE]` writes new secrets for ops/deploy/compose.yaml to ops/deploy/.env, or to FILE,
// readable by its owner alone. It never replaces an existing file: the stores were created with its passwords.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = process.argv[2] ?? fileURLToPath(new URL('.env', import.meta.url));
const hex = (bytes) => randomBytes(bytes).toString('hex');
const lines = [
  '# Fill in the public addresses. TRUSTED_PROXIES is the address of your reverse proxy only, such as 192.0.2.10.',
  'BASE_URL=',
  'SITE_URL=',
  'LOGIN_URL=',
  'AUTH_URL=',
  '# Where to report vulnerabilities, such as mailto:security@example.org.',
  'CONTACT=',
  'TRUSTED_PROXIES=',
  '# Keep a copy apart from the backups: see ops/docs/runbooks/secrets-key-lost.md.',
  `SECRETS_KEY=${randomBytes(32).toString('base64url')}`,
  `MONGODB_PASSWORD=${hex(24)}`,
  '# Key with which the members of the replica set authenticate each other.',
  `MONGODB_KEYFILE=${hex(64)}`,
  `REDIS_PASSWORD=${hex(24)}`,
  `GRAFANA_PASSWORD=${hex(24)}`,
];
try {
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  process.stdout.write(`Wrote ${file}. Fill in the addresses, then start compose.\n`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  process.stderr.write(`${file} already exists and was not changed.\n`);
  process.exitCode = 1;
}
