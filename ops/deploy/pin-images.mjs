#!/usr/bin/env node
/**
 * `node ops/deploy/pin-images.mjs [FOLDER]` appends to every image's tag its digest in the registry, so that a
 * moved tag changes nothing. Run it with access to the registries, and again after changing a tag.
 * It fetches all digests before it writes the first file.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An image with a registry host in a Containerfile or compose file. Images that are built locally have no host. */
const IMAGE = /^(\s*(?:FROM|image:) +)([a-z0-9.-]+(?::\d+)?)\/([a-z0-9._/-]+):([\w.-]+)(?:@sha256:[0-9a-f]{64})?/gm;
const FILE = /^Containerfile$|\.yaml$/;
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** The digest of a tag: of its index for all platforms if the registry has one. */
async function digestOf(host, name, tag) {
  const registry = host === 'docker.io' ? 'registry-1.docker.io' : host;
  const scheme = /^(localhost|127\.0\.0\.1)(:|$)/.test(registry) ? 'http' : 'https';
  const head = (headers) =>
    fetch(`${scheme}://${registry}/v2/${name}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: ACCEPT, ...headers },
    });
  let response = await head({});
  if (response.status === 401) {
    response = await head({ authorization: await anonymousToken(response.headers.get('www-authenticate') ?? '') });
  }
  const digest = response.headers.get('docker-content-digest') ?? '';
  if (!response.ok || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`${host}/${name}:${tag}: the registry returned ${response.status} without a digest`);
  }
  return digest;
}

/** Requests an anonymous token as the registry's challenge demands. */
async function anonymousToken(challenge) {
  const { realm, ...query } = Object.fromEntries(
    Array.from(challenge.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]),
  );
  const response = await fetch(`${realm}?${new URLSearchParams(query)}`);
  const { token, access_token } = await response.json();
  return `Bearer ${token ?? access_token}`;
}

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
const texts = new Map(
  readdirSync(folder)
    .filter((name) => FILE.test(name))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);
const digests = new Map();
for (const [, , host, name, tag] of [...texts.values()].flatMap((text) => [...text.matchAll(IMAGE)])) {
  const image = `${host}/${name}:${tag}`;
  if (!digests.has(image)) digests.set(image, await digestOf(host, name, tag));
}
for (const [file, text] of texts) {
  const pinned = text.replace(IMAGE, (_all, before, host, name, tag) => {
    const image = `${host}/${name}:${tag}`;
    return `${before}${image}@${digests.get(image)}`;
  });
  if (pinned !== text) writeFileSync(join(folder, file), pinned);
}
for (const [image, digest] of digests) process.stdout.write(`${image} ${digest}\n`);
