import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { InboundPolicy, OutboundService } from '../model/proxy-scope.ts';
import type { EncodedResource } from '../model/resource.ts';
import { serverListenerPrefix } from '../model/resource-names.ts';
import { createResourceCompiler } from './create-resource-compiler.ts';
import { loadEnvoyProtos } from './proto/load-envoy-protos.ts';
import { packed, startGrpcClient } from './test-ask-grpc.ts';
import type { GrpcCall } from './test-grpc-client.ts';
import { books, grpcScope, match, policy, principalOf, splitBooks } from './test-samples.ts';

describe('resources in the dialect of gRPC', async () => {
  const root = await loadEnvoyProtos();
  const compiler = createResourceCompiler(root);
  const grpc = startGrpcClient();
  after(() => grpc[Symbol.asyncDispose]());
  const listenerName = `${serverListenerPrefix}0.0.0.0:8080`;

  const only = (resources: readonly EncodedResource[], type: string, name: string): EncodedResource => {
    const found = resources.filter(each => each.type === type && each.name === name);
    assert.equal(found.length, 1, `${type} ${name}`);
    return found[0] as EncodedResource;
  };

  it('the gRPC library accepts every resource of its dialect', async () => {
    const endpoint = { ip: '10.0.0.1', port: 80, portName: '', health: 'healthy', cluster: 'c' } as const;
    const group = { region: 'r', zone: 'z', subZone: '', priority: 0, weight: 1, endpoints: [endpoint] };
    const resources = [false, true].flatMap(isPermissive => {
      const scope = { ...grpcScope, isPermissive };
      return [
        ...compiler.outboundService(books, scope),
        ...compiler.outboundService({ ...books, principals: [] }, scope),
        ...compiler.outboundService(splitBooks({ books: 1, 'books-v2': 0 }, [match({ pathRegex: '/a' })]), scope),
        ...compiler.outboundService(splitBooks({ books: 0 }), scope),
        compiler.deadEndListener('shop/nobody', scope),
        compiler.serverListener(listenerName, policy, scope),
        compiler.serverListener(`${serverListenerPrefix}[::1]:5432`, { ports: [], rules: [] }, scope),
        compiler.endpoints('acme/shop/books|80', [group]),
        compiler.endpoints('acme/shop/books|80', []),
      ].map(resource => resource ?? assert.fail('no listener'));
    });
    const { errors } = await grpc.ask({ resources: resources.map(resource => packed(root, resource)) });
    assert.deepEqual(
      errors.map((error, index) => `${resources[index]?.name}${error}`),
      resources.map(({ name }) => name),
    );
  });

  it('a client finds the service by its names and ports, and nothing for Envoy', () => {
    const resources = compiler.outboundService(books, grpcScope);
    assert.deepEqual(
      resources.map(({ type, name }) => `${type} ${name}`),
      [
        'cluster acme/shop/books|80',
        'cluster acme/shop/books|5432',
        'listener shop/books',
        'listener books.shop',
        'listener shop/books:80',
        'listener books.shop:80',
        'listener shop/books:5432',
        'listener books.shop:5432',
        'route acme/shop/books|80',
        'route acme/shop/books|5432',
      ],
    );
    assert.deepEqual(compiler.outboundListener([books], grpcScope), []);
    assert.deepEqual(compiler.inbound(policy, grpcScope), []);
  });

  const dialled = async (service: OutboundService, asked: readonly GrpcCall[]) => {
    const routes = only(compiler.outboundService(service, grpcScope), 'route', 'acme/shop/books|80');
    return (await grpc.ask({ dials: { routes: packed(root, routes), asked } })).clusters;
  };

  it('calls are divided by the weights of a split', async () => {
    const weights = { 'books-v2': 20, books: 80, 'books-old': 0 };
    assert.deepEqual(await dialled(splitBooks(weights), [{ path: '/pkg.Books/Get' }]), [
      { 'acme/shop/books|80': 80, 'acme/shop/books-v2|80': 20 },
    ]);
  });

  it('without any weight there is no route', async () => {
    assert.deepEqual(await dialled(splitBooks({ books: 0, 'books-v2': 0 }), [{ path: '/pkg.Books/Get' }]), [{}]);
  });

  it('without any weight, calls that a split with matches is about go nowhere and not to the root', async () => {
    const service = splitBooks({ 'books-v2': 0 }, [match({ pathRegex: '/pkg.Books/Get' })]);
    assert.deepEqual(await dialled(service, [{ path: '/pkg.Books/Get' }, { path: '/pkg.Books/Set' }]), [
      { 'acme/nowhere': 1 },
      { 'acme/shop/books|80': 1 },
    ]);
  });

  it('a split with matches concerns only the calls that match', async () => {
    const service = splitBooks({ 'books-v2': 1 }, [
      match({ pathRegex: '/pkg.Books/(Get|List)', methods: ['GET', 'POST'], headers: { 'x-beta': 'yes|on' } }),
      match({ pathRegex: '/pkg.Books/Never', methods: ['GET'] }),
    ]);
    const toRoot = { 'acme/shop/books|80': 1 };
    const toBackend = { 'acme/shop/books-v2|80': 1 };
    const cases: [GrpcCall, object][] = [
      [{ path: '/pkg.Books/Get', headers: { 'x-beta': 'yes' } }, toBackend],
      [{ path: '/pkg.Books/ListAll', headers: { 'x-beta': 'on' } }, toBackend],
      [{ path: '/pkg.Books/Get' }, toRoot],
      [{ path: '/pkg.Books/Get', headers: { 'x-beta': 'yes, but' } }, toRoot],
      [{ path: '/x/pkg.Books/Get', headers: { 'x-beta': 'yes' } }, toRoot],
      [{ path: '/pkg.Books/Never' }, toRoot],
    ];
    assert.deepEqual(
      await dialled(
        service,
        cases.map(([call]) => call),
      ),
      cases.map(([, clusters]) => clusters),
    );
  });

  const mayCall = async (rules: InboundPolicy, asked: readonly (GrpcCall & { peer: string })[], scope = grpcScope) => {
    const listener = compiler.serverListener(listenerName, rules, scope) ?? assert.fail('no listener');
    return (await grpc.ask({ calls: { listener: packed(root, listener), asked } })).allowed;
  };

  it('a server allows callers exactly the calls of a policy', async () => {
    const rules: InboundPolicy['rules'] = [
      { source: 'a/readers', principals: [principalOf('reader')], http: [match({ pathRegex: '/pkg.Books/Get' })] },
      { source: 'a/all', principals: [principalOf('admin')], http: [match({})] },
      {
        source: 'a/beta',
        principals: [principalOf('reader')],
        http: [match({ pathRegex: '/pkg.Beta|/pkg.Gamma', headers: { 'x-beta': 'yes|on' } })],
      },
      { source: 'a/web', principals: [principalOf('web')], http: [match({ methods: ['GET'] })] },
      { source: 'a/tcp', principals: [principalOf('tcp')], http: [], tcpPorts: 'all' },
      { source: 'a/elsewhere', principals: [principalOf('else')], http: [match({})], httpPorts: [9090] },
    ];
    const beta = { headers: { 'x-beta': 'on' } };
    const cases: [string, GrpcCall, boolean][] = [
      ['reader', { path: '/pkg.Books/Get' }, true],
      ['reader', { path: '/pkg.Books/GetAll' }, true],
      ['reader', { path: '/pkg.Books/Set' }, false],
      ['reader', { path: '/x/pkg.Books/Get' }, false],
      ['reader', { path: '/pkg.Gamma/Do', ...beta }, true],
      ['reader', { path: '/pkg.Gamma/Do' }, false],
      ['reader', { path: '/pkg.Gamma/Do', headers: { 'x-beta': 'yes-no' } }, false],
      ['reader', { path: '/pkg.Books/Get/..%2fSet' }, false],
      ['reader', { path: '/pkg.Books/Get/../Set' }, false],
      ['admin', { path: '/pkg.Books/Set' }, true],
      ['admin', { path: '/pkg.Books%5CSet' }, false],
      ['web', { path: '/pkg.Books/Get' }, false],
      ['tcp', { path: '/pkg.Books/Get' }, false],
      ['else', { path: '/pkg.Books/Get' }, false],
      ['stranger', { path: '/pkg.Books/Get' }, false],
    ];
    const allowed = await mayCall(
      { ports: policy.ports, rules },
      cases.map(([name, call]) => ({ ...call, peer: principalOf(name) })),
    );
    assert.deepEqual(
      cases.map(([name, call], index) => [name, call, allowed[index]]),
      cases,
    );
  });

  it('without a policy a server rejects all calls; on a TCP port the port decides', async () => {
    const asked = [{ path: '/pkg.Books/Get', peer: principalOf('cart') }];
    assert.deepEqual(await mayCall({ ports: policy.ports, rules: [] }, asked), [false]);
    const ports = [{ service: books.service, name: '', port: 80, targetPort: 8080, protocol: 'tcp' } as const];
    const rule = { source: 'a/b', principals: [principalOf('cart')], http: [] };
    assert.deepEqual(await mayCall({ ports, rules: [{ ...rule, tcpPorts: [8080] }] }, asked), [true]);
    assert.deepEqual(await mayCall({ ports, rules: [{ ...rule, tcpPorts: [9090] }] }, asked), [false]);
  });

  it('in a permissive mesh a server allows all accounts of its tenant, and none of another', async () => {
    const path = '/pkg.Books/Get';
    const peer = principalOf('anybody');
    const asked = [
      { path, peer },
      { path, peer: peer.replace('mesh.test', 'new.test') },
      { path, peer: peer.replace('/tenant/acme/', '/tenant/evil/') },
      { path, peer: 'spiffe://x/tenant/evil/cluster/tenant/acme/ns/a/sa/b' },
    ];
    assert.deepEqual(await mayCall({ ports: [], rules: [] }, asked, { ...grpcScope, isPermissive: true }), [
      true,
      true,
      false,
      false,
    ]);
  });

  it('there is no listener for names that are not addresses', () => {
    for (const address of ['', 'localhost:80', '0.0.0.0', '0.0.0.0:0', '0.0.0.0:70000', '::1:80', '1.2.3.4.5:80'])
      assert.equal(compiler.serverListener(serverListenerPrefix + address, policy, grpcScope), undefined, address);
    assert.equal(compiler.serverListener('0.0.0.0:80', policy, grpcScope), undefined);
  });
});
