import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResourceCompiler } from '../create-resource-compiler.ts';
import { loadEnvoyProtos } from '../proto/load-envoy-protos.ts';
import { decodeResource } from '../test-decode.ts';
import { books, principalOf } from '../test-samples.ts';

test('secrets contain the trust bundle, under the names of Envoy', async () => {
  const root = await loadEnvoyProtos();
  const compiler = createResourceCompiler(root);
  assert.deepEqual(decodeResource(root, compiler.inboundRoots('ROOTS')), {
    name: 'root-cert-for-mtls-inbound',
    validation_context: { trusted_ca: { inline_string: 'ROOTS' } },
  });
});

const san = (exact: string) => ({ san_type: 'URI', matcher: { exact } });

test('only the principals of a service are accepted as its servers, and none when there are none', async () => {
  const root = await loadEnvoyProtos();
  const compiler = createResourceCompiler(root);
  const rootsFor = (principals: string[]): unknown =>
    decodeResource(root, compiler.outboundRoots(books.service, 'ROOTS', principals)).validation_context;
  assert.deepEqual(rootsFor([principalOf('b'), principalOf('a')]), {
    trusted_ca: { inline_string: 'ROOTS' },
    match_typed_subject_alt_names: [san(principalOf('a')), san(principalOf('b'))],
  });
  assert.deepEqual(rootsFor([]), {
    trusted_ca: { inline_string: 'ROOTS' },
    match_typed_subject_alt_names: [san('nobody')],
  });
});
