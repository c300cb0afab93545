/**
 * Raw public keys (base64url) whose private seeds are published: those of this project's test vectors and signing guide, of
 * RFC 8032 (section 7.1; the first is also that of RFC 8037), and that of the seed of zeros.
 */
const PUBLISHED_KEYS: ReadonlySet<string> = new Set([
  'VhswCdQWV9cgvtkz_5ulLuSqv6DqjJ1antHM14UjGKQ',
  'YGuS4WyAeDf5naq7G1lc3FSowNxf9-6Ge1504jx0vgA',
  'mfDrk2S2lDUUMCVZOO_pgsa1BsJ4F8MjDUF0WnqpdkA',
  'Uv3aRfhpb_Q_RCAwOwX4ZGr1n34zVRloExkT6jCQVMA',
  'UlwUaLUcemjx6qRXu8LukyBBex3-MaJM3mEPGxTF18c',
  'DqgZv6cWTkhh_BnWteB4MmWfc_0nwRthJWXI534s5a8',
  'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik',
  '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
  '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU',
  'J4EX_BRMcjQPZ9DyMW6Dhs7_vyskKMnFH-98WX8dQm4',
  '7Bcrk61eVjv0kyxw4SRQNMNUZ-8u_U1k6_gZaDRn4r8',
]);

/** Whether a key's private half is published, so that anyone can sign with it. */
export function isPublishedKey(x: string): boolean {
  return PUBLISHED_KEYS.has(x);
}
