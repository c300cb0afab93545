import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { base64url, signDetached, snapshotHeader } from '../../../../support/signing.ts';
import { openTestApi } from '../../../../support/test-api.ts';
import { useFixture } from '../../../../support/use-fixture.ts';
import { listAt } from '../../../conformance.ts';

const SNAPSHOTS = '/api/v1/snapshots';

type BodyInit = NonNullable<RequestInit['body']>;

describe('api: validation of bodies', () => {
  const test = useFixture(openTestApi);
  const operator = useFixture(() => test().operator('careful-one'));

  async function refusal(body: BodyInit, headers: Record<string, string> = {}) {
    const { status, json } = await test().send(SNAPSHOTS, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${operator().token}`, ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    expect(status, JSON.stringify(json)).to.equal(400);
    return json;
  }

  const text = (changes: Record<string, unknown>): string =>
    JSON.stringify({ ...test().snapshot(operator()), ...changes });

  describe('of one field', () => {
    const cases: [field: string, written: string, code: string][] = [
      ...['input', 'output', 'cache_read', 'cache_write'].flatMap((field): [string, string, string][] => [
        [field, '-1', 'count_negative'],
        [field, '-0.001', 'count_negative'],
        [field, '0.5', 'count_fractional'],
        [field, '12.000000001', 'count_fractional'],
        [field, '1e-160', 'count_fractional'],
        [field, '5e-324', 'count_fractional'],
        [field, '9007199254740992', 'count_too_large'],
        [field, '1e300', 'count_too_large'],
        [field, '1e999', 'count_not_finite'],
        [field, '"10"', 'count_not_a_number'],
        [field, '""', 'count_not_a_number'],
        [field, 'null', 'count_not_a_number'],
        [field, 'true', 'count_not_a_number'],
        [field, '[]', 'count_not_a_number'],
        [field, '{}', 'count_not_a_number'],
        [field, '', 'field_missing'],
      ]),
      ['codename', '', 'field_missing'],
      ['codename', 'null', 'codename_invalid'],
      ['codename', '7', 'codename_invalid'],
      ['codename', '""', 'codename_invalid'],
      ['codename', '"ab"', 'codename_invalid'],
      ['codename', '"-careful"', 'codename_invalid'],
      ['codename', '"careful one"', 'codename_invalid'],
      ['codename', `"${'c'.repeat(33)}"`, 'codename_invalid'],
      ['codename', '"café-one"', 'codename_invalid'],
      ['platform', 'null', 'platform_invalid'],
      ['platform', '""', 'platform_invalid'],
      ['platform', '"Editor"', 'platform_invalid'],
      ['platform', `"${'p'.repeat(33)}"`, 'platform_invalid'],
      ['signature', '', 'field_missing'],
      ['signature', 'null', 'signature_malformed'],
      ['signature', '{}', 'signature_malformed'],
      ['signature', '""', 'signature_malformed'],
      ['signature', '"not a signature"', 'signature_malformed'],
      ['signature', '"e30..AAAA"', 'signature_malformed'],
    ];
    for (const [field, written, code] of cases) {
      it(`${field} ${written === '' ? 'absent' : written.slice(0, 24)} is ${code}`, async () => {
        const body: Record<string, unknown> = { ...test().snapshot(operator()), platform: 'editor' };
        delete body[field];
        const rest = JSON.stringify(body).slice(1);
        const json = await refusal(written === '' ? `{${rest}` : `{"${field}":${written},${rest}`);
        expect(json?.['code']).to.equal(code);
        const [item] = listAt(json, 'errors');
        expect(item).to.deep.include({ pointer: `/${field}`, code });
      });
    }

    for (const [what, header] of [
      ['alg none', { alg: 'none' }],
      ['alg HS256', { alg: 'HS256' }],
      ['another typ', { typ: 'JWT' }],
      ['no kid', { kid: undefined }],
      ['a short jti', { jti: 'short' }],
      ['a jti that is a number', { jti: 12345678 }],
    ] as const) {
      it(`a signature with ${what} is signature_header_invalid`, async () => {
        const usual = snapshotHeader(operator().key, { iat: test().now / 1000 });
        const signature = signDetached(operator().key, JSON.stringify({ ...usual, ...header }), '{}');
        expect((await refusal(text({ signature })))?.['code']).to.equal('signature_header_invalid');
      });
    }

    it('a signature with its payload attached is signature_malformed', async () => {
      const signature = test()
        .snapshot(operator())
        .signature.replace('..', `.${base64url('{}')}.`);
      expect((await refusal(text({ signature })))?.['code']).to.equal('signature_malformed');
    });
  });

  it('reports everything that is wrong at once, the first as the code', async () => {
    const json = await refusal('{"codename":"x","input":-1,"output":"2","cache_read":1e999,"cache_write":1e17}');
    const errors = listAt(json, 'errors');
    expect(errors.map(({ pointer, code }) => `${String(pointer)} ${String(code)}`)).to.deep.equal([
      '/codename codename_invalid',
      '/input count_negative',
      '/output count_not_a_number',
      '/cache_read count_not_finite',
      '/cache_write count_too_large',
      '/signature field_missing',
    ]);
    expect(json?.['code']).to.equal('codename_invalid');
    expect(json?.['detail']).to.match(/5 more/);
  });

  describe('of the text', () => {
    const cases: [what: string, body: () => BodyInit, code: string][] = [
      ['an empty body', () => '', 'body_missing'],
      ['white space', () => '  ', 'json_malformed'],
      ['NaN', () => text({}).replace('"input":10', '"input":NaN'), 'json_malformed'],
      ['Infinity', () => text({}).replace('"input":10', '"input":Infinity'), 'json_malformed'],
      ['a comment', () => `${text({})}//`, 'json_malformed'],
      ['half of it', () => text({}).slice(0, 40), 'json_malformed'],
      ['two values', () => `${text({})}{}`, 'json_malformed'],
      ['a byte order mark', () => `\uFEFF${text({})}`, 'json_malformed'],
      ['an array', () => '[]', 'body_not_object'],
      ['null', () => 'null', 'body_not_object'],
      ['a text', () => '"text"', 'body_not_object'],
      ['a number', () => '1', 'body_not_object'],
      ['a key twice', () => text({}).replace('{', '{"input":10,'), 'json_duplicate_key'],
      ['a key twice, once escaped', () => text({}).replace('{', String.raw`{"\u0069nput":10,`), 'json_duplicate_key'],
      ['a key twice further in', () => text({}).replace('{', '{"a":[{"b":1,"b":1}],'), 'json_duplicate_key'],
      ['__proto__', () => text({}).replace('{', '{"__proto__":{},'), 'json_forbidden_key'],
      ['__proto__, escaped', () => text({}).replace('{', String.raw`{"\u005f_proto__":{},`), 'json_forbidden_key'],
      ['constructor', () => text({ a: { constructor: 1 } }), 'json_forbidden_key'],
      ['prototype', () => text({ a: [{ prototype: 1 }] }), 'json_forbidden_key'],
      ['nine levels', () => text({ deep: JSON.parse('[[[[[[[[1]]]]]]]]') as unknown }), 'json_too_deep'],
      ['thousands of levels', () => '['.repeat(8_000) + ']'.repeat(8_000), 'json_too_deep'],
      ['half a surrogate pair', () => text({}).replace('{', String.raw`{"note":"\ud800",`), 'json_lone_surrogate'],
      ['bytes that are not UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'json_not_utf8'],
      ['Latin-1', () => Buffer.from('{"codename":"caf\u00e9"}', 'latin1'), 'json_not_utf8'],
      ['overlong UTF-8', () => Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'json_not_utf8'],
      ['more than 16 KiB', () => text({ note: 'x'.repeat(16 * 1024) }), 'body_too_large'],
      ['a megabyte', () => text({ note: 'x'.repeat(1024 * 1024) }), 'body_too_large'],
      ['a stream of more than 16 KiB', () => new Blob([text({ note: 'x'.repeat(50_000) })]).stream(), 'body_too_large'],
    ];
    for (const [what, body, code] of cases) {
      it(`${what} is ${code}`, async () => {
        const json = await refusal(body());
        expect(json?.['code']).to.equal(code);
      });
    }

    it('eight levels and escaped pairs are read', async () => {
      const body = text({ deep: JSON.parse('[[[[[[[1]]]]]]]') as unknown }).replace(
        '{',
        String.raw`{"note":"\ud83d\ude00",`,
      );
      const { status, json } = await test().post(SNAPSHOTS, operator().token, body);
      expect(status).to.equal(200);
      expect(json?.['accepted']).to.equal(true);
    });

    it('exactly 16 KiB is read', async () => {
      const filler = 'x'.repeat(16 * 1024 - text({ note: '' }).length);
      expect((await test().post(SNAPSHOTS, operator().token, text({ note: filler }))).status).to.equal(200);
    });
  });

  describe('of the media type', () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/problem+json',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json; profile=x',
      'application/jsonx',
      'multipart/form-data; boundary=x',
    ]) {
      it(`${type} is media_type_unsupported`, async () => {
        expect((await refusal(text({}), { 'content-type': type }))?.['code']).to.equal('media_type_unsupported');
      });
    }

    it('no type at all is media_type_unsupported', async () => {
      const json = await refusal(new Blob([text({})]), { 'content-type': '' });
      expect(json?.['code']).to.equal('media_type_unsupported');
    });

    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json;']) {
      it(`${type} is read`, async () => {
        const { status } = await test().post(SNAPSHOTS, operator().token, test().snapshot(operator()), {
          'content-type': type,
        });
        expect(status).to.equal(200);
      });
    }

    it('compressed bodies are content_encoding_unsupported', async () => {
      const json = await refusal(gzipSync(text({})), { 'content-encoding': 'gzip' });
      expect(json?.['code']).to.equal('content_encoding_unsupported');
    });
  });

  it('keeps the connection usable for the next request after a refused body', async () => {
    for (let round = 0; round < 3; round += 1) {
      await refusal(text({ note: 'x'.repeat(20_000) }));
      expect((await test().post(SNAPSHOTS, operator().token, test().snapshot(operator()))).status).to.equal(200);
    }
  });

  it('answers what is not HTTP with a problem', async () => {
    const port = Number(new URL(test().origin).port);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket.on('end', () => resolve(received)).on('error', reject);
    });
    expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).to.include('"code":"request_malformed"');
  });
});
