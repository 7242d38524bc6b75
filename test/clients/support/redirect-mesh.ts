import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { chmod, copyFile, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { runProcess, tempFolder } from '@chandlery/testing';
import { allowCalls, setService } from '../../conformance/xds/support/declare-service.ts';
import {
  type MeshLandscape,
  object,
  startMeshLandscape,
  tenant,
} from '../../conformance/xds/support/mesh-landscape.ts';
import { declareMachine } from './declare-machine.ts';
import { type Envoy, startEnvoy } from './envoy.ts';
import { writeBootstrap } from './envoy-bootstrap.ts';
import { type NetworkHost, startNetwork } from './network/start-network.ts';

const meshRef = { group: 'mesh.chandlery.io', version: 'v1alpha1', plural: 'meshes' } as const;

/** Traffic settings of a `Mesh`. */
export type TrafficSettings = { readonly egress: 'passthrough' | 'deny' } | { readonly mtls: 'strict' | 'permissive' };

/**
 * Four hosts: `web` calls `books`, which `books1` and `books2` serve; `outside` is not in the mesh, and its second
 * address is a tap for all traffic to `books1`. The three of the mesh redirect connections as documented.
 */
export interface RedirectMesh extends AsyncDisposable {
  readonly mesh: MeshLandscape;
  readonly hosts: Readonly<Record<'outside' | 'web' | 'books1' | 'books2', NetworkHost>>;
  readonly envoys: Readonly<Record<'web' | 'books1' | 'books2', Envoy>>;
  setTraffic(settings: TrafficSettings): Promise<void>;
}

/** User id of Envoy, whose connections the documented rules leave out. */
const envoyUser = '1337';
const adminPort = 15_000;
const addresses = {
  outside: ['10.77.0.1', '10.77.0.2'],
  web: ['10.77.0.10'],
  books1: ['10.77.0.11'],
  books2: ['10.77.0.12'],
} as const;

/** The virtual address of `books`, which is called on port 80. */
export const booksUrl = 'http://10.96.0.10';
/** The virtual address of `papers`, whose only endpoint is announced by the Envoy of `books2`. */
export const papersUrl = 'http://10.96.0.11';
export const healthPath = '/healthz';
export const ports = {
  ...{ books: 8080, mail: 2525, probe: 8081, metrics: 9090, banner: 2222, undeclared: 9091, outside: 8000 },
} as const;
/** A port of `books` on which the server speaks first. */
export const mailAddress = { host: new URL(booksUrl).hostname, port: 25 } as const;
export const tapAddress = { host: addresses.outside[1], port: ports.books } as const;

const plaintextPorts = [ports.probe, ports.metrics, ports.banner];

/** The accounts of the hosts, and more flags of their bootstraps. */
const members = {
  web: { account: 'web', nodeId: 'web-1', flags: [] },
  books1: { account: 'books', nodeId: 'books-1', flags: ['--plaintext-ports', plaintextPorts.join()] },
  books2: {
    account: 'books',
    nodeId: 'books-2',
    flags: ['--announce', `papers=${addresses.books2[0]}:http=${ports.books}`],
  },
} as const;
type Member = keyof typeof members;
const memberNames = Object.keys(members) as Member[];

/** Starts a landscape, the hosts with what they serve, and their Envoys. */
export async function startRedirectMesh(envoyBinary: string): Promise<RedirectMesh> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-redirect-'));
  // Envoy, as another user, needs access to its program and its files.
  await chmod(folder.path, 0o711);
  const binary = folder.join('envoy');
  await copyFile(envoyBinary, binary, constants.COPYFILE_FICLONE);
  const mesh = stack.use(await startMeshLandscape());
  const { hosts } = stack.use(await startNetwork(addresses));
  await declareShop(mesh);
  await serveAll(hosts);
  const xdsSocket = folder.join('xds.sock');
  stack.use(await bridgeSocket(xdsSocket, mesh.landscape.xdsPort));
  const redirect = await documentedRedirect();
  const envoys: Partial<Record<Member, Envoy>> = {};
  for (const name of memberNames) {
    const host = hosts[name];
    await host.leave({ host: '127.0.0.1', port: mesh.landscape.xdsPort }, xdsSocket);
    await host.run(redirect);
    const dir = folder.join(name);
    const bootstrap = await writeBootstrap(mesh, { ...members[name], dir });
    const { code, stderr } = await runProcess('chown', ['-R', `${envoyUser}:${envoyUser}`, dir]);
    assert.equal(code, 0, stderr);
    const enter = [...host.enter, '--setuid', envoyUser, '--setgid', envoyUser];
    const place = { enter, get: (url: string) => host.get(url) };
    envoys[name] = stack.use(await startEnvoy({ binary, bootstrap, adminPort, place }));
  }
  const owned = stack.move();
  return {
    mesh,
    hosts,
    envoys: envoys as Record<Member, Envoy>,
    setTraffic: async settings => {
      const patch = { type: 'merge', body: { spec: settings } } as const;
      await mesh.clientOf('platform').patch({ ...meshRef, name: tenant }, patch);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The documented redirect rules, as a script. */
async function documentedRedirect(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/mesh.md'), 'utf8');
  const [, script] = /^```sh\n(nft -f - .*?)^```$/ms.exec(text) ?? [];
  assert.ok(script, 'docs/mesh.md has no rules for nft');
  return script;
}

const servicePort = { name: 'http', port: 80 };
const booksPorts = [servicePort, { name: 'smtp', port: mailAddress.port }];

/** Writes `books` again, with another health check. */
export async function setHealthCheck({ client }: MeshLandscape, check: string): Promise<void> {
  const annotations = { 'mesh.chandlery.io/health-check': check };
  await setService(client, { name: 'books', ports: booksPorts, address: mailAddress.host, annotations });
}

async function declareShop(mesh: MeshLandscape): Promise<void> {
  const { client } = mesh;
  const body = object(
    'mesh.chandlery.io/v1alpha1',
    'Mesh',
    { name: tenant },
    { spec: { clusters: [{ name: tenant }] } },
  );
  await mesh.clientOf('platform').create(meshRef, body);
  for (const account of ['web', 'books']) await mesh.certificate({ account });
  await setHealthCheck(mesh, healthPath);
  await setService(client, { name: 'papers', ports: [servicePort], address: new URL(papersUrl).hostname });
  const own = [
    { name: 'http', port: ports.books },
    { name: 'smtp', port: ports.mail },
  ];
  await declareMachine(client, { id: members.books1.nodeId, address: tapAddress.host, ports: own });
  await declareMachine(client, { id: members.books2.nodeId, address: addresses.books2[0], ports: own });
  await allowCalls(client, { name: 'books', from: ['web'], to: 'books', pathRegex: `/open|${healthPath}` });
}

async function serveAll({ outside, books1, books2 }: RedirectMesh['hosts']): Promise<void> {
  await outside.serve({ host: outside.address, port: ports.outside }, 'outside');
  for (const [name, host] of Object.entries({ books1, books2 })) {
    await host.serve({ host: '127.0.0.1', port: ports.books }, name);
    await host.greet({ host: '127.0.0.1', port: ports.mail }, `220 ${name}`);
    await host.greet({ host: '127.0.0.1', port: ports.banner }, 'welcome');
    await host.serve({ host: '127.0.0.1', port: ports.probe }, 'alive');
    await host.serve({ host: '127.0.0.1', port: ports.metrics }, 'up 1\n');
    await host.serve({ host: '127.0.0.1', port: ports.undeclared }, 'private');
  }
  for (const port of [ports.books, ports.mail])
    await outside.tap({ ...tapAddress, port }, { host: books1.address, port });
}

/** A unix socket that forwards to a local port. */
async function bridgeSocket(socketPath: string, port: number): Promise<AsyncDisposable> {
  const server = createServer(socket => {
    const other = connect(port, '127.0.0.1');
    socket.pipe(other).pipe(socket);
    socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    other.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  await new Promise<void>(resolve => server.listen(socketPath, resolve));
  return { [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())) };
}
