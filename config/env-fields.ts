import { createSecretKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { isEvmAddress } from './is-evm-address.ts';
import { isRedisClusterUrl, parseRedisClusterUrl } from './redis-address.ts';
import { parseTrustedProxy, type TrustedProxy } from './trusted-proxy.ts';

/** Longest value of one variable, in characters. */
const VALUE_LENGTH_MAX = 4096;

/** Whether a variable is as good as not there. */
export function absent(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

export function text() {
  return z.string().trim().max(VALUE_LENGTH_MAX, `is longer than ${VALUE_LENGTH_MAX} characters`);
}

/** A decimal integer within bounds, both included. */
export function integer(bounds: { least: number; most: number; otherwise: number }) {
  const message = `is not a whole number from ${bounds.least} to ${bounds.most}`;
  return text()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.least && value <= bounds.most, message)
    .default(bounds.otherwise);
}

/** `true`, `1`, `on`, `yes` or their opposites. */
export function flag(otherwise: boolean) {
  return givenFlag().default(otherwise);
}

/** A flag that need not be there: whoever reads it decides what its absence means. */
export function givenFlag() {
  return text()
    .toLowerCase()
    .pipe(z.enum(['true', '1', 'on', 'yes', 'false', '0', 'off', 'no'], 'is neither true nor false'))
    .transform((value) => ['true', '1', 'on', 'yes'].includes(value));
}

/** An address to listen on: an IP address or a host name. */
export function address(otherwise: string) {
  return text()
    .refine(
      (value) => isIP(value) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(value),
      'is no address',
    )
    .default(otherwise);
}

/** An address that clients are told, without a slash at its end. Carries no credentials, query or fragment. */
export function publicUrl() {
  return text()
    .refine((value) => hasProtocol(value, ['http:', 'https:']), 'is no http or https address')
    .refine((value) => isBare(value), 'must have no credentials, query or fragment')
    .transform((value) => value.replace(/\/+$/, ''));
}

export function mongoUrl() {
  const message = 'is no mongodb:// or mongodb+srv:// address';
  return text().refine((value) => /^mongodb(\+srv)?:\/\/[^/\s]+/.test(value), message);
}

/** One server, or some nodes of a cluster. */
export function redisUrl() {
  return text().refine(
    (value) =>
      isRedisClusterUrl(value) ? parseRedisClusterUrl(value) !== null : hasProtocol(value, ['redis:', 'rediss:']),
    'is no redis:// or rediss:// address, nor one such as redis+cluster://host:6379,host:6379',
  );
}

/** A contact as RFC 9116 defines it: a `mailto:`, `https:` or `tel:` address. */
export function contact() {
  return text().regex(
    /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]\S*|tel:\+?[\d-]+)$/,
    'is no mailto:, https: or tel: address',
  );
}

/** A mail server, with the credentials it takes. */
export function smtpUrl() {
  return text().refine((value) => hasProtocol(value, ['smtp:', 'smtps:']), 'is no smtp:// or smtps:// address');
}

/** A server whose address may carry a key or credentials: never printed but through `redactUrl`. */
export function serverUrl() {
  return text().refine((value) => hasProtocol(value, ['http:', 'https:']), 'is no http or https address');
}

/** An address of an EVM chain, whose checksum fits if it has one. */
export function evmAddress() {
  return text().refine(isEvmAddress, 'is no address of an EVM chain, or its checksum does not fit');
}

/** An EVM chain by its CAIP-2 name. */
export function evmNetwork(otherwise: string) {
  return text()
    .regex(/^eip155:[1-9]\d{0,15}$/, 'is no EVM chain such as eip155:8453')
    .default(otherwise);
}

/** A price in whole and decimal units of a currency, above 0. */
export function price(otherwise: string) {
  return text()
    .regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,6})?$/, 'is no price such as 0.01')
    .default(otherwise);
}

/** One key of 32 bytes in base64url, or two separated by a comma. A key object does not print its bytes in logs and errors. */
export function secretsKeys() {
  const [bytes, pattern] = [32, /^[A-Za-z0-9_-]{43}$/];
  return text()
    .transform((value, context): readonly KeyObject[] => {
      const parts = value.split(',').map((part) => part.trim());
      const keys = parts.map((part) => (pattern.test(part) ? Buffer.from(part, 'base64url') : null));
      const [first, second] = keys;
      if (keys.length <= 2 && keys.every((key) => key?.length === bytes) && second?.equals(first ?? second) !== true) {
        return keys.flatMap((key) => (key === null ? [] : [createSecretKey(key)]));
      }
      context.addIssue({
        code: 'custom',
        message: `is not one key of ${bytes} bytes in base64url, nor two different ones that are separated by a comma`,
      });
      return [];
    })
    .default([]);
}

/** Addresses and networks, separated by commas, whose `X-Forwarded-For` is believed. */
export function trustedProxies() {
  return text()
    .transform((value, context) => {
      const parts = value.split(',').map((part) => part.trim());
      const parsed = parts.filter((part) => part !== '').map((part) => ({ part, proxy: parseTrustedProxy(part) }));
      const bad = parsed.filter(({ proxy }) => proxy === null).map(({ part }) => JSON.stringify(part));
      if (bad.length > 0) {
        context.addIssue({ code: 'custom', message: `has ${bad.join(', ')}, which is no IP address or CIDR network` });
      }
      return parsed.flatMap(({ proxy }): TrustedProxy[] => (proxy === null ? [] : [proxy]));
    })
    .default([]);
}

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol) && new URL(value).hostname !== '';
}

function isBare(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { username, password, search, hash } = new URL(value);
  return username === '' && password === '' && search === '' && hash === '';
}
