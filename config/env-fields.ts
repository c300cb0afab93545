import { createSecretKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { keccak_256 } from '@noble/hashes/sha3';
import { z } from 'zod';
import { isRedisClusterUrl, parseRedisClusterUrl } from './redis-address.ts';
import { parseTrustedProxy, type TrustedProxy } from './trusted-proxy.ts';

/** Longest value of one variable, in characters. */
const MAX_VALUE_LENGTH = 4096;

/** Whether a variable counts as unset. */
export function isAbsent(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

export function text() {
  return z.string().trim().max(MAX_VALUE_LENGTH, `is longer than ${MAX_VALUE_LENGTH} characters`);
}

/** A decimal integer within bounds, both included. */
export function integer(bounds: { min: number; max: number; default: number }) {
  const message = `is not an integer from ${bounds.min} to ${bounds.max}`;
  return text()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message)
    .default(bounds.default);
}

/** `true`, `1`, `on`, `yes`, or `false`, `0`, `off`, `no`. */
export function flag(defaultValue: boolean) {
  return optionalFlag().default(defaultValue);
}

/** A flag without a default: the caller decides what its absence means. */
export function optionalFlag() {
  return text()
    .toLowerCase()
    .pipe(z.enum(['true', '1', 'on', 'yes', 'false', '0', 'off', 'no'], 'is neither true nor false'))
    .transform((value) => ['true', '1', 'on', 'yes'].includes(value));
}

/** An address to listen on: an IP address or a host name. */
export function address(defaultValue: string) {
  return text()
    .refine(
      (value) => isIP(value) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(value),
      'is not an address',
    )
    .default(defaultValue);
}

/** An address that is published to clients. Without credentials, query, fragment and trailing slash. */
export function publicUrl() {
  return issuer().transform((value) => value.replace(/\/+$/, ''));
}

/** As `publicUrl`, with the slash that an issuer may end in. */
export function issuer() {
  return text()
    .refine((value) => hasProtocol(value, ['http:', 'https:']), 'is not an http or https address')
    .refine((value) => isBare(value), 'must have no credentials, query or fragment');
}

/** A package that can be published: without a scope, its name could be somebody else's tomorrow. */
export function npmPackage() {
  const message = 'is not a scoped package, such as @your-scope/upsilon';
  return text().regex(/^@[a-z0-9-][a-z0-9._-]*\/[a-z0-9-][a-z0-9._-]*$/, message);
}

export function mongoUrl() {
  const message = 'is not a mongodb:// or mongodb+srv:// address';
  return text().refine((value) => /^mongodb(\+srv)?:\/\/[^/\s]+/.test(value), message);
}

/** A single server, or nodes of a cluster. */
export function redisUrl() {
  return text().refine(
    (value) =>
      isRedisClusterUrl(value) ? parseRedisClusterUrl(value) !== null : hasProtocol(value, ['redis:', 'rediss:']),
    'is not a redis:// or rediss:// address, nor one such as redis+cluster://host:6379,host:6379',
  );
}

/** The daily archive. */
export interface ArchiveConfig {
  /** The absolute path of its folder. */
  readonly dir: string;
  /** The licence of its data. */
  readonly license: string;
  /** How long lines are kept. */
  readonly days: number;
}

/** A contact as RFC 9116 defines it: a `mailto:`, `https:` or `tel:` address. */
export function contact() {
  return text().regex(
    /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]\S*|tel:\+?[\d-]+)$/,
    'is not a mailto:, https: or tel: address',
  );
}

/** A mail server, with its credentials. */
export function smtpUrl() {
  return text().refine((value) => hasProtocol(value, ['smtp:', 'smtps:']), 'is not an smtp:// or smtps:// address');
}

/** A server whose address may contain a key or credentials: print it only through `redactUrl`. */
export function serverUrl() {
  return text().refine((value) => hasProtocol(value, ['http:', 'https:']), 'is not an http or https address');
}

/** An address of an EVM chain, with a valid checksum if it has one. */
export function evmAddress() {
  return text().refine(isEvmAddress, 'is not an address of an EVM chain, or its checksum is wrong');
}

/** A price in a currency with at most six decimals, above 0. */
export function price(defaultValue: string) {
  return text()
    .regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,6})?$/, 'is not a price such as 0.01')
    .default(defaultValue);
}

/** One key of 32 bytes in base64url, or two separated by a comma. A key object never prints its bytes in logs and errors. */
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

/** Addresses and networks, separated by commas, whose `X-Forwarded-For` is trusted. */
export function trustedProxies() {
  return text()
    .transform((value, context): readonly TrustedProxy[] => {
      const parts = value.split(',').map((part) => part.trim());
      const parsed = parts.filter((part) => part !== '').map((part) => ({ part, proxy: parseTrustedProxy(part) }));
      const bad = parsed.filter(({ proxy }) => proxy === null).map(({ part }) => JSON.stringify(part));
      if (bad.length > 0) {
        context.addIssue({
          code: 'custom',
          message: `has ${bad.join(', ')}, which is not an IP address or CIDR network`,
        });
      }
      return parsed.flatMap(({ proxy }) => proxy ?? []);
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

/** Letters of both cases are a checksum (EIP-55), which must be valid: it protects payments against typing errors. */
export function isEvmAddress(value: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return false;
  const digits = value.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = keccak_256(new TextEncoder().encode(lower));
  return Array.from(lower, (digit, index) => {
    const nibble = (hash[index >> 1]! >> (index % 2 === 0 ? 4 : 0)) & 0xf;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  }).every((digit, index) => digit === digits[index]);
}
