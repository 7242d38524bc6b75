import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings } from './model/tenant-limits.ts';
import { readOrdersSettings } from './read-settings.ts';

const s3 = { endpoint: 'https://s3.example.com', region: 'eu-1', bucket: 'b', accessKeyId: 'a', secretAccessKey: 's' };

test('settings that are given replace single defaults', () => {
  assert.deepEqual(readOrdersSettings({}), {
    settings: defaultSettings,
    s3: undefined,
    models: [],
    allowedRanges: [],
    argo: [],
    siteDomains: {},
    siteCertificates: undefined,
  });
  const argo = [{ cluster: 'eu', tenants: ['a'], instanceId: 'blue', server: { url: 'https://argo', token: 't' } }];
  const given = readOrdersSettings({
    records: 5,
    s3,
    models: ['./shell.ts'],
    allowedRanges: ['10.0.0.0/8'],
    argo,
    siteDomains: { 'Acme.example': 'acme', '*': [] },
    siteCertificates: undefined,
  });
  assert.deepEqual(given, {
    settings: { ...defaultSettings, records: 5 },
    s3,
    models: ['./shell.ts'],
    allowedRanges: ['10.0.0.0/8'],
    argo,
    siteDomains: { 'acme.example': ['acme'], '*': [] },
    siteCertificates: undefined,
  });
});

test('settings that are not known, or of another type, are named', () => {
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
    [{ record: 5 }, /"record" .* is not known/],
    [{ records: '5' }, /"records" .* whole number/],
    [{ records: -1 }, /"records" .* whole number/],
    [{ siteDomains: [] }, /"siteDomains" .* map/],
    [{ siteDomains: { 'not a domain': [] } }, /no domain/],
    [{ siteDomains: { 'a.example': [7] } }, /"siteDomains.a.example" .* list of texts/],
    [{ s3: 'x' }, /"s3" .* map/],
    [{ s3: { ...s3, bucket: undefined } }, /"s3.bucket" .* text/],
    [{ s3: { endpoint: 'x' } }, /"s3.region" .* missing/],
    [{ s3: { ...s3, endpoint: 'x' } }, /"s3.endpoint" .* URL/],
    [{ s3: { ...s3, colour: 'red' } }, /"s3.colour" .* not known/],
    [{ argo: {} }, /"argo" .* list of maps/],
    [{ argo: [{}] }, /"argo\[0\].cluster" .* missing/],
    [{ argo: [{ cluster: 'a' }, { cluster: 'a' }] }, /"argo\[1\].cluster" .* twice/],
    [{ argo: [{ cluster: 'a', color: 'b' }] }, /"argo\[0\].color" .* not known/],
    [{ argo: [{ cluster: 'a', tenants: 'b' }] }, /"argo\[0\].tenants" .* list of texts/],
    [{ argo: [{ cluster: 'a', server: { url: 'x' } }] }, /"argo\[0\].server.url" .* URL/],
  ];
  for (const [given, message] of cases)
    assert.throws(() => readOrdersSettings(given), { code: 'InvalidOption', message }, JSON.stringify(given));
});
