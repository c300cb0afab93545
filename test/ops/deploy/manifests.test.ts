import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadServiceConfig } from '../../../config/config.ts';
import { ENV } from '../../../config/env.ts';
import { LIMITS } from '../../../config/limits.ts';
import { parseRedisClusterUrl } from '../../../config/redis-address.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { SERVICE_NODE_ARGS } from '../../../ops/bootstrap/service-node-args.mjs';
import { listenOnFreePort } from '../../support/listen.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEPLOY = join(ROOT, 'ops/deploy');
const KUBERNETES = join(DEPLOY, 'kubernetes');
/** An image with a three-part version, with or without a digest. */
const EXACT_IMAGE = /^[a-z0-9./:_-]*[a-z]:v?\d+\.\d+\.\d+(?:-[a-z0-9.-]+)?(?:@sha256:[0-9a-f]{64})?$/;

const TEXTS = z.record(z.string(), z.string());
const OBJECT = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const PROBE = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const DEPLOYMENT = OBJECT.extend({
  kind: z.literal('Deployment'),
  spec: z.object({
    selector: z.object({ matchLabels: TEXTS }),
    template: z.object({
      metadata: z.object({ labels: TEXTS }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([
          z.object({
            envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }).optional() })),
            command: z.array(z.string()).optional(),
            ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
            startupProbe: PROBE,
            livenessProbe: PROBE,
            readinessProbe: PROBE.optional(),
          }),
        ]),
      }),
    }),
  }),
});
const COMPOSE = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      environment: TEXTS.optional(),
      env_file: z.array(z.string()).optional(),
      command: z.array(z.string()).optional(),
      networks: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
    }),
  ),
});

/** Names of settings that are or contain secrets. */
const SECRET = /PASSWORD|SECRET|KEY|_URL$/;

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

function objects(): z.infer<typeof OBJECT>[] {
  const files = readdirSync(KUBERNETES).filter((name) => name !== 'kustomization.yaml');
  return files.flatMap((name) =>
    parseAllDocuments(read(join('kubernetes', name))).map((document) => {
      expect(document.errors, name).to.deep.equal([]);
      return OBJECT.parse(document.toJS());
    }),
  );
}

const deployments = () =>
  objects().flatMap((object) => (object.kind === 'Deployment' ? [DEPLOYMENT.parse(object)] : []));

const compose = (file = 'compose.yaml') => COMPOSE.parse(parse(read(file), { merge: true })).services;

/** The variables that the documented command writes. */
function madeSecrets(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'upsilon-env-'));
  const files = ['.env', 'settings.env'].map((name) => join(folder, name));
  const make = () => spawnSync(process.execPath, [join(DEPLOY, 'make-env.mjs'), folder], { encoding: 'utf8' });
  try {
    expect(make().status).to.equal(0);
    const texts = () => files.map((file) => readFileSync(file, 'utf8'));
    const made = texts();
    for (const file of files) expect(statSync(file).mode & 0o777).to.equal(0o600);
    const again = make();
    expect(again.status).to.equal(1);
    expect(again.stderr).to.include('already exists');
    expect(texts()).to.deep.equal(made);
    return Object.fromEntries(
      [...made.join('').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The settings that the image sets. */
function imageSettings(): string[] {
  return [...read('Containerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
  );
}

/** A compose file with its required variables substituted. */
function filled(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z_]+)(?::[?-])?\}/g, (_, name: string) => variables[name] ?? '');
}

/** The objects of a file of Kubernetes with the lines that are marked for the archive. */
const switchedOn = (name: string): unknown[] =>
  parseAllDocuments(read(`kubernetes/${name}`).replaceAll('#archive ', '')).map((document) => document.toJS());

describe('deployment files', () => {
  it('for Kubernetes list every file except the secret, and each object once', () => {
    const { resources } = z
      .object({ resources: z.array(z.string()) })
      .parse(parse(read('kubernetes/kustomization.yaml')));
    const files = readdirSync(KUBERNETES).filter(
      (name) => !['kustomization.yaml', 'secret.example.yaml'].includes(name),
    );
    expect(resources.toSorted()).to.deep.equal(files.toSorted());
    const names = objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).to.equal(names.length);
    expect(deployments()).to.have.length(2);
  });

  it('give processes valid settings', () => {
    const settings = objects().flatMap((object) =>
      Object.entries(TEXTS.parse(object['data'] ?? object['stringData'] ?? {})),
    );
    const given = { ...Object.fromEntries(settings), HOST: '0.0.0.0', NODE_ENV: 'production' };
    expect(() => loadServiceConfig(given)).to.throw('SECRETS_KEY is not one key of 32 bytes');
    const config = loadServiceConfig({ ...given, SECRETS_KEY: madeSecrets()['SECRETS_KEY'] });
    expect(config.trustedProxies.map(({ prefix }) => prefix)).to.deep.equal([29]);
    for (const { spec } of deployments())
      expect(spec.template.spec.containers[0].envFrom).to.deep.include({ secretRef: { name: 'upsilon' } });
    expect(config.signIn.development).to.equal('off');
    const composed = Object.keys(
      COMPOSE.parse(parse(read('compose.yaml'), { merge: true })).services['api']?.environment ?? {},
    );
    expect(ENV.shape).to.include.all.keys(...settings.map(([setting]) => setting), ...composed);
  });

  it('pin every image to an exact version', () => {
    const kustomization = z
      .object({ images: z.tuple([z.object({ name: z.string(), digest: z.string() })]) })
      .parse(parse(read('kubernetes/kustomization.yaml')));
    const [{ name, digest }] = kustomization.images;
    expect(digest).to.match(/^sha256:[0-9a-f]{64}$/);
    const files = [
      ...readdirSync(DEPLOY).filter((file) => /^Containerfile$|\.yaml$/.test(file)),
      ...readdirSync(KUBERNETES).map((file) => `kubernetes/${file}`),
    ];
    const images = files.flatMap((file) =>
      Array.from(read(file).matchAll(/^\s*(?:FROM|(?:- )?image:) +(\S+)/gm), ([, image = '']) => image),
    );
    expect(images).to.have.length.above(8);
    for (const image of images.filter((given) => given !== name)) expect(image).to.match(EXACT_IMAGE);
    const node = Number(/^FROM \S+\/node:(\d+)/m.exec(read('Containerfile'))?.[1]);
    expect(node).to.be.at.least(22);
  });

  it('have the binaries that compile the programs and draw pictures, and no engines', () => {
    const install = /^RUN npm ci .*$/m.exec(read('Containerfile'))?.[0] ?? '';
    expect(install).to.not.include('--omit=optional');
    const { optionalDependencies } = z
      .object({ optionalDependencies: TEXTS })
      .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
    const removed = install.split(' && rm -r ')[1]?.split(' ') ?? [];
    const { '@resvg/resvg-js': pictures, ...engines } = optionalDependencies;
    expect(pictures).to.be.a('string');
    expect(removed.some((folder) => folder.startsWith('node_modules/@resvg'))).to.equal(false);
    for (const engine of Object.keys(engines)) {
      expect(
        removed.some((folder) => `node_modules/${engine}`.startsWith(folder)),
        engine,
      ).to.equal(true);
    }
  });

  it('get the digest of each image appended to its tag', async () => {
    const digest = `sha256:${'5'.repeat(64)}`;
    const registry = createServer(({ url, headers }, response) => {
      const origin = `http://${headers.host}`;
      const known = url === '/v2/library/demo/manifests/1.2.3-slim' && headers.accept?.includes('image.index');
      if (url?.startsWith('/token?') === true) response.end(JSON.stringify({ token: `for ${url}` }));
      else if (headers.authorization === 'Bearer for /token?service=demo&scope=pull') {
        response.writeHead(known === true ? 200 : 404, { 'docker-content-digest': digest }).end();
      } else {
        const challenge = `Bearer realm="${origin}/token",service="demo",scope="pull"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
    });
    const image = `127.0.0.1:${await listenOnFreePort(registry)}/library/demo:1.2.3-slim`;
    const folder = await mkdtemp(join(tmpdir(), 'upsilon-images-'));
    try {
      const write = (name: string, text: string) => writeFile(join(folder, name), text);
      await write('Containerfile', `FROM ${image} AS packages\nFROM ${image}@sha256:${'0'.repeat(64)}\n`);
      await write('compose.yaml', `services:\n  app:\n    image: upsilon:1.0.0\n  demo:\n    image: ${image}\n`);
      const pin = () => promisify(execFile)(process.execPath, [join(DEPLOY, 'pin-images.mjs'), folder]);
      expect((await pin()).stdout).to.equal(`${image} ${digest}\n`);
      const pinned = `${image}@${digest}`;
      const files = await Promise.all(
        ['Containerfile', 'compose.yaml'].map((name) => readFile(join(folder, name), 'utf8')),
      );
      expect(files).to.deep.equal([
        `FROM ${pinned} AS packages\nFROM ${pinned}\n`,
        `services:\n  app:\n    image: upsilon:1.0.0\n  demo:\n    image: ${pinned}\n`,
      ]);
      expect(pinned).to.match(EXACT_IMAGE);
      await write('other.yaml', `image: ${image.replace('1.2.3', '9.9.9')}\n`);
      const failure = await pin().then(() => '', String);
      expect(failure).to.include('the registry returned 404');
      expect(await readFile(join(folder, 'other.yaml'), 'utf8')).to.not.include('@');
    } finally {
      registry.close();
      await rm(folder, { recursive: true });
    }
  });

  it('for compose require generated passwords for both stores and contain none', () => {
    const services = compose();
    const secrets = madeSecrets();
    const addresses = {
      BASE_URL: 'https://board.example/api/v1',
      CONTACT: 'mailto:a@b.example',
    };
    const variables = { ...secrets, ...addresses };
    for (const name of ['api', 'worker']) {
      const environment = Object.entries(services[name]?.environment ?? {}).map(([key, text]) => [
        key,
        filled(text, variables),
      ]);
      const config = loadServiceConfig({ ...Object.fromEntries(environment), NODE_ENV: 'production' });
      expect(new URL(config.mongoUrl)).to.include({ username: 'upsilon', password: secrets['MONGODB_PASSWORD'] });
      expect(new URL(config.redisUrl).password).to.equal(secrets['REDIS_PASSWORD']);
      expect(config.secretsKeys).to.have.length(1);
      for (const url of [config.siteUrl, config.loginUrl, config.authUrl])
        expect(url).to.equal('https://board.example');
    }
    const { mongo, redis } = services;
    expect(mongo?.environment).to.include({ MONGO_INITDB_ROOT_PASSWORD: '${MONGODB_PASSWORD:?}' });
    expect(mongo?.command?.join(' ')).to.match(/ mongod .*--keyFile /);
    expect(secrets['MONGODB_KEYFILE']).to.match(/^[A-Za-z0-9+/]{6,1024}$/);
    expect(redis?.command?.join(' ')).to.include('--requirepass ${REDIS_PASSWORD:?}');
    const required = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+):\?\}/g)].map(([, name]) => name);
    expect(Object.keys(secrets)).to.include.members(required);
    for (const [file, { environment = {} }] of Object.entries(services))
      for (const [name, text] of Object.entries(environment))
        if (SECRET.test(name)) expect(text, `${name} of ${file}`).to.include('${');
  });

  it('for compose take any setting from a file, except those that compose itself determines', () => {
    const services = compose();
    const determined = [...Object.keys(services['api']?.environment ?? {}), ...imageSettings()];
    expect(Object.keys(madeSecrets())).to.include('SMTP_URL');
    for (const name of ['api', 'worker']) expect(services[name]?.env_file).to.deep.equal(['settings.env']);
    const fixed = ['MONGODB_URL', 'REDIS_URL', 'SECRETS_KEY', 'BASE_URL', 'CONTACT', 'NODE_ENV', 'HOST', 'DATA_DIR'];
    const settings = new Set(Object.keys(ENV.shape));
    expect(determined.filter((name) => settings.has(name)).toSorted()).to.deep.equal(fixed.toSorted());
  });

  it('for compose let only the service reach the stores', () => {
    for (const services of [compose(), { ...compose(), ...compose('compose.redis-cluster.yaml') }]) {
      for (const [name, { networks, ports }] of Object.entries(services)) {
        if (/^(mongo|redis)/.test(name))
          expect({ networks, ports }, name).to.deep.equal({ networks: ['stores'], ports: undefined });
        else if (!['api', 'worker'].includes(name)) expect(networks ?? [], name).not.to.include('stores');
      }
    }
    expect(parse(read('compose.yaml'))).to.have.nested.property('networks.stores.internal', true);
  });

  it('keep the file of secrets out of the repository and of images', () => {
    for (const file of ['.gitignore', '.containerignore'])
      expect(
        readFileSync(join(ROOT, file), 'utf8')
          .split('\n')
          .map((line) => line.replace('**/', '')),
        file,
      ).to.include.members(['.env', 'settings.env']);
  });

  it('contain a Redis Cluster URL that processes accept', () => {
    const { services } = COMPOSE.parse(parse(read('compose.redis-cluster.yaml'), { merge: true }));
    const urls = [services['api'], services['worker']].map((service) => service?.environment?.['REDIS_URL'] ?? '');
    for (const url of urls) {
      const cluster = parseRedisClusterUrl(url.replace('${REDIS_PASSWORD:?}', 'sesame'));
      expect(cluster?.nodes.map(({ host }) => host)).to.deep.equal(['redis', 'redis-2', 'redis-3']);
      for (const { host } of cluster?.nodes ?? []) expect(services[host]?.environment?.['NODE_NAME']).to.equal(host);
      expect(cluster?.password).to.equal('sesame');
    }
    expect(urls).to.have.length(2);
    const kubernetes = objects().find(({ kind }) => kind === 'Secret');
    const { REDIS_URL = '' } = TEXTS.parse(kubernetes?.['stringData']);
    expect(parseRedisClusterUrl(REDIS_URL)).to.deep.include({ tls: true, username: 'upsilon', password: 'secret' });
  });

  it('for Kubernetes mount the folder of the archive where the lines that are marked for it are switched on', () => {
    const text = (name: string) => JSON.stringify(switchedOn(name));
    const { ARCHIVE_DIR, ARCHIVE_LICENSE } = TEXTS.parse(OBJECT.parse(switchedOn('config.yaml')[0])['data']);
    const stores = { MONGODB_URL: 'mongodb://a', REDIS_URL: 'redis://a' };
    const { archive } = loadServiceConfig({ ...stores, ARCHIVE_DIR, ARCHIVE_LICENSE });
    const volume = '{"name":"archive","persistentVolumeClaim":{"claimName":"archive"}}';
    const mount = `{"name":"archive","mountPath":"${archive?.dir}"`;
    expect(text('worker.yaml')).to.include(volume).and.to.include(`${mount}}`);
    expect(text('api.yaml')).to.include(volume).and.to.include(`${mount},"readOnly":true}`);
    expect(text('api.yaml')).to.include('"kind":"PersistentVolumeClaim","metadata":{"name":"archive"}');
    expect(JSON.stringify(objects())).to.not.include('archive');
  });

  it('probe ports and paths that exist', () => {
    const probes = readFileSync(join(ROOT, 'api/health/probes.ts'), 'utf8');
    const config = loadServiceConfig({ MONGODB_URL: 'mongodb://mongo', REDIS_URL: 'redis://redis' });
    const expected: Record<string, readonly number[]> = {
      api: [config.port, config.metricsPort],
      worker: [config.workerMetricsPort],
    };
    for (const { metadata, spec } of deployments()) {
      const { template } = spec;
      const [container] = template.spec.containers;
      expect(container.ports.map(({ containerPort }) => containerPort)).to.deep.equal(expected[metadata.name]);
      // What the PodMonitor of ops/monitoring/kubernetes selects and scrapes.
      expect(template.metadata.labels).to.deep.equal({ app: metadata.name });
      expect(container.ports.map(({ name }) => name)).to.include('metrics');
      expect(template.metadata.labels).to.deep.equal(spec.selector.matchLabels);
      for (const { httpGet } of [
        container.startupProbe,
        container.livenessProbe,
        container.readinessProbe ?? container.livenessProbe,
      ]) {
        expect(container.ports.map(({ name }) => name)).to.include(httpGet.port);
        if (httpGet.path !== '/metrics') expect(probes).to.include(`path: '${httpGet.path}'`);
      }
    }
  });

  it('leave the number of processes to the autoscaler, and give them what they need alone', () => {
    const scaled = objects().filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaled.map(({ metadata }) => metadata.name)).to.have.members(
      deployments().map(({ metadata }) => metadata.name),
    );
    for (const deployment of objects().filter(({ kind }) => kind === 'Deployment')) {
      expect(deployment).to.not.have.nested.property('spec.replicas');
      expect(deployment).to.have.nested.property('spec.template.spec.automountServiceAccountToken', false);
      expect(deployment).to.have.nested.property('spec.template.spec.securityContext.fsGroup', 1_000);
    }
  });

  it('lead every host of the settings to the api', () => {
    const { data } = z.object({ data: TEXTS }).parse(objects().find(({ kind }) => kind === 'ConfigMap'));
    const hosts = Object.entries(data).flatMap(([name, url]) => (name.endsWith('_URL') ? [new URL(url).host] : []));
    const { rules, tls } = z
      .object({ rules: z.array(z.looseObject({ host: z.string() })), tls: z.tuple([z.looseObject({})]) })
      .parse(objects().find(({ kind }) => kind === 'Ingress')?.['spec']);
    expect([rules.map(({ host }) => host), tls[0]['hosts']]).to.deep.equal([hosts, hosts]);
    const service = { name: 'api', port: { name: 'http' } };
    for (const rule of rules) expect(rule).to.have.deep.nested.property('http.paths[0].backend', { service });
  });

  it('give processes enough time to close', () => {
    for (const { spec } of deployments()) {
      expect(spec.template.spec.terminationGracePeriodSeconds * MS_PER_SECOND).to.be.above(
        LIMITS.shutdown.processMs + 5_000,
      );
    }
  });

  it('start existing programs with the arguments of npm start', () => {
    const starts = [
      ...deployments().flatMap(({ spec }) => spec.template.spec.containers[0].command ?? []),
      ...(COMPOSE.parse(parse(read('compose.yaml'), { merge: true })).services['worker']?.command ?? []),
      ...z.array(z.string()).parse(JSON.parse(/^CMD (.*)$/m.exec(read('Containerfile'))?.[1] ?? '[]')),
    ];
    const programs = starts.flatMap((word, at) => (word.endsWith('.mjs') ? [[word, starts[at + 1]]] : []));
    expect(programs).to.deep.equal(['worker', 'worker', 'api'].map((role) => ['ops/bootstrap/service.mjs', role]));
    expect(existsSync(join(ROOT, 'ops/bootstrap/service.mjs'))).to.equal(true);
    const { api, worker } = SERVICE_NODE_ARGS;
    expect(starts.filter((word) => word.startsWith('--'))).to.deep.equal([...worker, ...worker, ...api]);
  });
});
