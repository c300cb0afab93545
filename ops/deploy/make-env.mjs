// `node ops/deploy/make-env.mjs [FOLDER]` writes for ops/deploy/compose.yaml, to its folder or to FOLDER: new secrets to .env,
// and settings.env, which takes any setting of the service. Both are readable by their owner alone. It never replaces an
// existing file: the stores were created with its passwords.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
const hex = (bytes) => randomBytes(bytes).toString('hex');
const files = {
  'settings.env': [
    '# Settings of the service: any of ops/docs/SETTINGS.md.',
    '# The address of your reverse proxy only, such as 192.0.2.10.',
    'TRUSTED_PROXIES=',
    '# At least one way to sign in: mail, GitHub, X or an OpenID provider.',
    'SMTP_URL=',
    'GITHUB_CLIENT_ID=',
    'GITHUB_CLIENT_SECRET=',
    '# Publishes the first board of each day under this licence: the volume of /data holds it, with all processes.',
    '# ARCHIVE_DIR=/data/archive',
    '# ARCHIVE_LICENSE=CC-BY-4.0',
  ],
  '.env': [
    '# Fill in the public address, such as https://board.example/api/v1.',
    'BASE_URL=',
    '# Where to report vulnerabilities, such as mailto:security@board.example.',
    'CONTACT=',
    '# Keep a copy apart from the backups: see ops/docs/runbooks/secrets-key-lost.md.',
    `SECRETS_KEY=${randomBytes(32).toString('base64url')}`,
    `MONGODB_PASSWORD=${hex(24)}`,
    '# Key with which the members of the replica set authenticate each other.',
    `MONGODB_KEYFILE=${hex(64)}`,
    `REDIS_PASSWORD=${hex(24)}`,
    `GRAFANA_PASSWORD=${hex(24)}`,
  ],
};
for (const [name, lines] of Object.entries(files)) {
  const file = join(folder, name);
  try {
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    process.stdout.write(`Wrote ${file}.\n`);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    process.stderr.write(`${file} already exists and was not changed.\n`);
    process.exitCode = 1;
  }
}
