import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EncodedResource } from '../model/resource.ts';
import { serverListenerPrefix } from '../model/resource-names.ts';
import { createResourceCompiler, type ResourceCompiler } from './create-resource-compiler.ts';
import { loadEnvoyProtos } from './proto/load-envoy-protos.ts';
import { books, envoyScope, grpcScope, match, policy, splitBooks } from './test-samples.ts';
import { problemsOf } from './test-validate.ts';

/** All settings differ from their defaults. */
const open = {
  traffic: { egress: 'deny', mtls: 'permissive' },
  ports: { outbound: 1, inbound: 2, plaintext: [8080, 9090] },
} as const;

function everything(compiler: ResourceCompiler): EncodedResource[] {
  const split = splitBooks({ books: 90, 'books-v2': 10 }, [match({ headers: { 'user-agent': '.*Firefox.*' } })]);
  const resources = [envoyScope, grpcScope].flatMap(strict =>
    [strict, { ...strict, isPermissive: true }, { ...strict, ...open }].flatMap(scope => [
      ...[books, split, splitBooks({ books: 0 })].flatMap(service => compiler.outboundService(service, scope)),
      ...compiler.outboundListener([books], scope),
      compiler.nowhereCluster(scope),
      ...compiler.inbound(policy, scope),
      ...compiler.inbound({ ...policy, rules: [] }, scope),
      compiler.serverListener(`${serverListenerPrefix}0.0.0.0:8080`, policy, scope),
      compiler.serverListener(`${serverListenerPrefix}[::]:5432`, { ...policy, rules: [] }, scope),
    ]),
  );
  return [
    ...resources.filter(resource => resource !== undefined),
    compiler.endpoints('acme/shop/books|80', []),
    compiler.inboundRoots('ROOTS'),
    compiler.outboundRoots(books.service, 'ROOTS', books.principals),
    compiler.outboundRoots(books.service, 'ROOTS', []),
  ];
}

test('every resource follows the validation rules of its protos', async () => {
  const root = await loadEnvoyProtos();
  const resources = everything(createResourceCompiler(root));
  assert.ok(resources.length > 50);
  const problems = resources.flatMap(resource =>
    problemsOf(root, resource).map(problem => `${resource.name}: ${problem}`),
  );
  assert.deepEqual(problems, []);
});

test('equal input gives equal bytes and versions, from one compiler or another', async () => {
  const root = await loadEnvoyProtos();
  assert.deepEqual(everything(createResourceCompiler(root)), everything(createResourceCompiler(root)));
});
