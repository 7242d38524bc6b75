import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import { workloadSecret } from '@chandlery/mesh/agent';
import { startTestMeshServer } from '../../mesh/test-mesh-server.ts';
import { createTestSigner } from '../../mesh/test-signer.ts';

const yamlOf = (text: string): unknown => parseYamlDocuments(text, 'the bootstrap')[0];

/** The value at a path of keys and positions. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);

const tlsPath = ['static_resources', 'clusters', 0, 'transport_socket', 'typed_config'] as const;

describe('mesh bootstrap envoy', () => {
  const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address', 'socket_address'];
  const addressIn = (bootstrap: unknown): unknown => at(bootstrap, 'static_resources', 'clusters', 0, ...endpoint);

  test('prints a bootstrap that trusts the host of the landscape, and writes nothing', async () => {
    const signer = createTestSigner();
    signer.xdsPort = 19_000;
    await using mesh = await startTestMeshServer(signer.script);
    const { code, stdout, stderr } = await mesh.run(
      ...['mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--node-id', 'web-1', '--region', 'eu', '--zone', 'a'],
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(
      mesh.requests.map(({ method }) => method),
      ['GET'],
    );
    const bootstrap = yamlOf(stdout);
    assert.deepEqual(at(bootstrap, 'node'), {
      id: 'web-1',
      cluster: 'shop/web',
      locality: { region: 'eu', zone: 'a' },
      metadata: {
        cluster: 'onboarding',
        dialect: 'envoy',
        'mesh.chandlery.io/certificate-folder': '/etc/chandlery/mesh',
      },
    });
    const cluster = at(bootstrap, 'static_resources', 'clusters', 0);
    const name = at(cluster, 'name');
    assert.equal(
      at(bootstrap, 'dynamic_resources', 'ads_config', 'grpc_services', 0, 'envoy_grpc', 'cluster_name'),
      name,
    );
    assert.equal(at(bootstrap, 'dynamic_resources', 'ads_config', 'api_type'), 'GRPC');
    const loads = at(bootstrap, 'cluster_manager', 'load_stats_config');
    assert.equal(at(loads, 'api_type'), 'GRPC', 'there is no other way to report load');
    assert.equal(at(loads, 'grpc_services', 0, 'envoy_grpc', 'cluster_name'), name);
    assert.doesNotMatch(stdout, /[&*]a\d/);
    assert.deepEqual(addressIn(bootstrap), { address: '127.0.0.1', port_value: 19_000 });
    const tls = at(bootstrap, ...tlsPath);
    assert.equal(at(tls, 'sni'), undefined);
    assert.deepEqual(at(tls, 'common_tls_context', 'combined_validation_context', 'default_validation_context'), {
      match_typed_subject_alt_names: [{ san_type: 'IP_ADDRESS', matcher: { exact: '127.0.0.1' } }],
    });
    assert.equal(at(bootstrap, 'admin', 'address', 'socket_address', 'address'), '127.0.0.1');
  });

  test('says where the workload serves services, and where Envoy listens', async () => {
    await using mesh = await startTestMeshServer(createTestSigner().script);
    const bootstrap = async (...flags: string[]) => {
      const ran = await mesh.run('mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '-o', 'json', ...flags);
      return ran.code === 0 ? (JSON.parse(ran.stdout) as unknown) : ran.stderr;
    };
    const metadata = {
      cluster: 'onboarding',
      dialect: 'envoy',
      'mesh.chandlery.io/certificate-folder': '/etc/chandlery/mesh',
    };
    const usual = await bootstrap();
    assert.deepEqual(at(usual, 'node', 'metadata'), metadata);
    assert.equal(at(usual, 'admin', 'address', 'socket_address', 'port_value'), 15_000);
    const ports = [
      '--admin-port',
      '1',
      '--outbound-port',
      '2',
      '--inbound-port',
      '3',
      '--plaintext-ports',
      '9090,8081',
    ];
    const announce = 'web=10.0.0.1:8080 api=[fd00::1]:grpc=50051,http=80';
    const stated = await bootstrap(...ports, '--announce', announce);
    assert.equal(at(stated, 'admin', 'address', 'socket_address', 'port_value'), 1);
    assert.deepEqual(at(stated, 'node', 'metadata'), {
      ...metadata,
      'mesh.chandlery.io/announce': [
        { service: 'web', ip: '10.0.0.1', ports: { '': 8080 } },
        { service: 'api', ip: 'fd00::1', ports: { grpc: 50_051, http: 80 } },
      ],
      'mesh.chandlery.io/ports': { outbound: 2, inbound: 3, plaintext: [9090, 8081] },
    });
    for (const wrong of ['web', 'web=a:1', 'web=10.0.0.1', 'web=10.0.0.1:0', 'web=10.0.0.1:http'])
      assert.match(String(await bootstrap('--announce', wrong)), /--announce/);
    assert.match(String(await bootstrap('--plaintext-ports', '9090,x')), /--plaintext-ports: "x" is not a port/);
  });

  test('takes the usual port when the landscape names none, as an older one does', async () => {
    await using mesh = await startTestMeshServer(createTestSigner().script);
    const { stdout, stderr } = await mesh.run('mesh', 'bootstrap', 'envoy', '--account', 'shop/web');
    assert.deepEqual([addressIn(yamlOf(stdout)), stderr], [{ address: '127.0.0.1', port_value: 18_000 }, '']);
  });

  test('is printed also when the landscape does not answer, and says that the port is a guess', async () => {
    await using mesh = await startTestMeshServer(() => ({ status: 403, body: { code: 'Forbidden', message: 'no' } }));
    const { code, stdout, stderr } = await mesh.run('mesh', 'bootstrap', 'envoy', '--account', 'shop/web');
    assert.deepEqual([code, addressIn(yamlOf(stdout))], [0, { address: '127.0.0.1', port_value: 18_000 }]);
    assert.match(stderr, /^Port 18000 is a guess: no\. Next: .*--xds-address\.\n$/);
  });

  test('asks nobody for the address when a flag says it', async () => {
    await using mesh = await startTestMeshServer(() => undefined);
    const { stdout } = await mesh.runWith(
      { CHANDLERY_XDS_ADDRESS: 'b:2' },
      ...['mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--xds-address', 'a:1'],
    );
    assert.deepEqual([addressIn(yamlOf(stdout)), mesh.requests.length], [{ address: 'a', port_value: 1 }, 0]);
  });

  test('takes the address for proxies from the environment, and verifies the name', async () => {
    await using mesh = await startTestMeshServer(() => undefined);
    const env = { CHANDLERY_XDS_ADDRESS: 'mesh.example.com:443' };
    const { stdout } = await mesh.runWith(
      env,
      ...['mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--delta', '-o', 'json'],
    );
    const bootstrap: unknown = JSON.parse(stdout);
    const tls = at(bootstrap, ...tlsPath);
    assert.equal(at(tls, 'sni'), 'mesh.example.com');
    const names = ['combined_validation_context', 'default_validation_context', 'match_typed_subject_alt_names', 0];
    assert.deepEqual(at(tls, 'common_tls_context', ...names), {
      san_type: 'DNS',
      matcher: { exact: 'mesh.example.com' },
    });
    assert.equal(at(bootstrap, 'dynamic_resources', 'ads_config', 'api_type'), 'DELTA_GRPC');
    assert.match(String(at(bootstrap, 'node', 'id')), /^web-envoy-\w+$/);
  });

  test('writes everything into a folder, with certificates of this proxy and of the workload for a key made there', async () => {
    const signer = createTestSigner();
    await using mesh = await startTestMeshServer(signer.script);
    const { code, stdout } = await mesh.run(
      ...['mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--cluster', 'eu-1', '--node-id', 'web-1'],
      ...['--dir', 'web', '--ttl', '600'],
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^\S+envoy\.yaml is written, with a certificate of spiffe:.*\/cluster\/eu-1\/ns\/shop\/sa\/web\/proxy\/web-1 until /,
    );
    const folder = mesh.folder.join('web');
    const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
    assert.equal(read('ca.pem'), signer.bundle());
    assert.ok(new X509Certificate(read('cert.pem')).subjectAltName?.endsWith('/sa/web/proxy/web-1'));
    const workload = new X509Certificate(read('workload-cert.pem'));
    assert.ok(workload.subjectAltName?.endsWith('/ns/shop/sa/web'));
    assert.ok(workload.checkPrivateKey(createPrivateKey(read('key.pem'))));
    assert.equal(statSync(`${folder}/key.pem`).mode & 0o777, 0o600);
    assert.equal(at(yamlOf(read('envoy.yaml')), 'node', 'metadata', 'mesh.chandlery.io/certificate-folder'), folder);
    assert.deepEqual(
      mesh.requests.map(({ method, body }) => [method, body['ttlSeconds']]),
      [
        ['GET', undefined],
        ['POST', 600],
      ],
    );
    assert.doesNotMatch(JSON.stringify(mesh.requests) + stdout, /PRIVATE KEY/);

    const tls = at(yamlOf(read('envoy.yaml')), ...tlsPath, 'common_tls_context');
    const sources = [
      at(tls, 'tls_certificate_sds_secret_configs', 0),
      at(tls, 'combined_validation_context', 'validation_context_sds_secret_config'),
    ];
    const filesIn = (path: string, name: unknown) => {
      const secret = at(yamlOf(readFileSync(path, 'utf8')), 'resources', 0);
      assert.equal(at(secret, 'name'), name);
      return [...JSON.stringify(secret).matchAll(/"filename":"([^"]+)"/g)].map(([, file]) => file);
    };
    const named = sources.flatMap(source => {
      const config = at(source, 'sds_config', 'path_config_source');
      assert.equal(at(config, 'watched_directory', 'path'), folder);
      return filesIn(String(at(config, 'path')), at(source, 'name'));
    });
    const paths = (...names: string[]): string[] => names.map(name => `${folder}/${name}`);
    assert.deepEqual(named, paths('cert.pem', 'key.pem', 'ca.pem'));
    const { name, file } = workloadSecret;
    assert.deepEqual(filesIn(`${folder}/${file}`, name), paths('workload-cert.pem', 'key.pem'));
  });

  test('needs a landscape that certifies the keys of workloads, and says so', async () => {
    const { script } = createTestSigner();
    await using mesh = await startTestMeshServer(request => {
      const answer = script(request);
      const { workloadCertificate: _, ...body } = answer?.body as Record<string, unknown>;
      return answer && { ...answer, body };
    });
    const { code, stderr } = await mesh.run('mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--dir', 'web');
    assert.equal(code, 1);
    assert.match(stderr, /does not certify keys of workloads.*\nNext: {2}Upgrade the server first/);
  });

  test('that is refused a certificate leaves nothing behind', async () => {
    await using mesh = await startTestMeshServer(() => ({
      status: 403,
      body: { code: 'Forbidden', message: 'not you' },
    }));
    const { code, stderr } = await mesh.run('mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--dir', 'web');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Error: cannot make a bootstrap for envoy\nWhy: {3}not you\nNext: {2}Use a token of the service account/,
    );
    assert.equal(existsSync(mesh.folder.join('web')), false);
  });
});

describe('mesh bootstrap grpc', () => {
  test("prints a bootstrap that goes by the agent, with the workload's own certificate", async () => {
    await using mesh = await startTestMeshServer(createTestSigner().script);
    writeFileSync(mesh.folder.join('token'), 'of-the-account\n');
    const { code, stdout } = await mesh.run(
      ...['mesh', 'bootstrap', 'grpc', '--account', 'shop/web', '--node-id', 'web-1', '--dir', 'web'],
      ...['--token-file', 'token'],
    );
    assert.equal(code, 0);
    const folder = mesh.folder.join('web');
    assert.deepEqual(JSON.parse(readFileSync(`${folder}/grpc.json`, 'utf8')), {
      xds_servers: [
        {
          server_uri: `unix://${folder}/agent/xds.sock`,
          channel_creds: [{ type: 'insecure' }],
          server_features: ['xds_v3'],
        },
      ],
      node: { id: 'web-1', cluster: 'shop/web', locality: {}, metadata: { cluster: 'onboarding', dialect: 'grpc' } },
      certificate_providers: {
        default: {
          plugin_name: 'file_watcher',
          config: {
            certificate_file: `${folder}/cert.pem`,
            private_key_file: `${folder}/key.pem`,
            ca_certificate_file: `${folder}/ca.pem`,
            refresh_interval: '10s',
          },
        },
      },
      server_listener_resource_name_template: 'grpc/server?xds.resource.listening_address=%s',
    });
    assert.match(stdout, /^\S+grpc\.json is written, with a certificate of .* until .*\.\n$/);
    assert.ok(new X509Certificate(readFileSync(`${folder}/cert.pem`)).subjectAltName?.endsWith('/ns/shop/sa/web'));
    assert.deepEqual(
      [mesh.requests[0]?.authorization, mesh.requests[0]?.body['proxyId']],
      ['Bearer of-the-account', undefined],
    );
  });

  for (const listen of ['unix:///run/mesh/xds.sock', '127.0.0.1:9'])
    test(`leads to an agent that listens on ${listen}`, async () => {
      await using mesh = await startTestMeshServer(createTestSigner().script);
      const { stdout } = await mesh.run('mesh', 'bootstrap', 'grpc', '--account', 'shop/web', '--listen', listen);
      assert.equal(at(JSON.parse(stdout), 'xds_servers', 0, 'server_uri'), listen);
    });
});
