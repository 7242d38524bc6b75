import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@chandlery/client';
import {
  eventually,
  longRun,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  tempFolder,
} from '@chandlery/testing';
import {
  conditionOf,
  gone,
  isTrue,
  type LooseObject,
  type Person,
  peopleOf,
  personFromSecret,
  personWith,
  seen,
} from './provider-validation/support/people.ts';
import {
  allIssued,
  allServed,
  askFor,
  certificates,
  checkIssued,
  clientOf,
  countCopies,
  definitionsOn,
  forEachOf,
  isReady,
  listOf,
  namespace,
  order,
  ownClient,
  type Seen,
  secrets,
  services,
  until,
} from './support/certificate-tenants.ts';

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/providers/certificates');
const perTenant = 10;
const others = Array.from({ length: longRun(99, 29) }, (_, index) => `tenant-${index + 1}`);
const whole = `${perTenant} copies, ${perTenant} Secrets`;

/** One issuer on the workload cluster serves many tenants, none of whom can reach it. */
describe('The certificates provider', () => {
  let landscape: TestLandscape;
  let folder: TempFolder;
  let operator: Person;
  let tenant: Person;
  /** The first tenant on its own control plane. */
  let web: Person;
  let onboarding: Client;
  let workload: Client;
  let webPlane: Client;
  const planes = new Map<string, Client>();
  const closing = new AsyncDisposableStack();

  const connect = (cluster: string): Client => closing.use(clientOf(landscape, cluster));
  const planeOf = (name: string): Client => planes.get(name) ?? assert.fail(`no client of ${name}`);
  /** The copy of a certificate of the first tenant, as the operator of the workload cluster finds it. */
  const copyOf = async (name: string): Promise<Seen> => {
    const copies = await listOf(workload, certificates);
    const host = name === 'web' ? 'web.example.com' : `${name}.web.example.com`;
    return copies.find(({ spec }) => spec?.dnsNames?.includes(host)) ?? assert.fail(`no copy of ${name}`);
  };
  /** What the operator of the landscape applies, with folders that are found from anywhere. */
  const installation = async (): Promise<string> =>
    (await readFile(join(example, 'install.yaml'), 'utf8')).replaceAll(
      'folder: examples/',
      `folder: ${root}/examples/`,
    );
  const place = ({ metadata }: Seen) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

  before(async () => {
    folder = closing.use(await tempFolder());
    landscape = closing.use(await startTestLandscape());
    ({ operator, tenant } = peopleOf(landscape));
    onboarding = connect('onboarding');
  });
  after(() => closing.disposeAsync());

  it('is installed, and its issuer once for all tenants', async () => {
    await operator.apply(await installation());
    await seen(operator, ['serviceprovider', 'certificates'], object => isTrue(object, 'Ready'));
    await operator.apply(await readFile(join(example, 'config.yaml'), 'utf8'));
    const kind = 'providerconfigs.certificates.services.open-control-plane.io';
    await seen(operator, [kind, 'certificates'], object => isTrue(object, 'Ready'));
    workload = connect('workload');
  });

  it('gives the first tenant a certificate', async () => {
    await tenant.apply(await readFile(join(example, 'service.yaml'), 'utf8'));
    await seen(tenant, ['certificateservice', 'web', namespace], object => isTrue(object, 'Ready'));
    await seen(tenant, ['controlplane', 'web', namespace], object => isTrue(object, 'Ready'));
    web = await personFromSecret(tenant, {
      name: 'token-admin.web.kubeconfig',
      namespace,
      file: folder.join('web.kubeconfig'),
    });
    webPlane = closing.use(await ownClient(onboarding, 'web'));
    await web.apply(await readFile(join(example, 'certificate.yaml'), 'utf8'));
    await seen(web, ['certificate', 'web', namespace], object => isTrue(object, 'Ready'));
    assert.match(await web.run('get', 'certificates'), /web\s+True\s+web-tls\s+\d{4}-/);
    assert.match(await web.run('get', 'secret', 'web-tls'), /kubernetes\.io\/tls\s+3/);
    await checkIssued(webPlane, await webPlane.get({ ...certificates, namespace, name: 'web' }));
  });

  it('is not ready, and no order is, while the issuer that all share is at 0 of 1', async () => {
    const onWorkload = personWith(landscape.kubeconfig, 'workload');
    const isShared = (reason: string) => (object: LooseObject) => conditionOf(object, 'Ready')?.reason === reason;
    await operator.run('delete', 'hostimage', 'certificate-issuer');
    await onWorkload.run('delete', 'pods', '-A', '-l', 'app=certificate-issuer', '--wait=false');
    const provider = await seen(operator, ['serviceprovider', 'certificates'], object => !isTrue(object, 'Ready'));
    assert.equal(conditionOf(provider, 'SharedReady')?.reason, 'SharedServiceNotReady');
    await seen(tenant, ['certificateservice', 'web', namespace], isShared('SharedServiceNotReady'));
    await operator.apply(await installation());
    await seen(operator, ['serviceprovider', 'certificates'], object => isTrue(object, 'Ready'));
    await seen(tenant, ['certificateservice', 'web', namespace], object => isTrue(object, 'Ready'));
  });

  it(`serves ${others.length + 1} tenants with ten certificates each`, async () => {
    await forEachOf(others, name => order(onboarding, name));
    await allServed(onboarding, others.length + 1);
    await forEachOf(others, async name => planes.set(name, closing.use(await ownClient(onboarding, name))));
    await askFor(webPlane, 'web', perTenant - 1);
    await forEachOf(others, name => askFor(planeOf(name), name, perTenant));
    await allIssued(webPlane, perTenant);
    await forEachOf(others, name => allIssued(planeOf(name), perTenant));
    for (const name of [others[0], others[others.length >> 1], others.at(-1)].map(String)) {
      for (const certificate of await listOf(planeOf(name), certificates))
        await checkIssued(planeOf(name), certificate);
    }
    assert.deepEqual([...new Set((await countCopies(workload)).values())], [whole]);
    assert.equal((await countCopies(workload)).size, others.length + 1);
  });

  it('repairs a changed copy on the workload cluster', async () => {
    const copy = await copyOf('site-1');
    const ref = { ...certificates, ...place(copy) };
    await workload.patch(ref, { type: 'merge', body: { spec: { dnsNames: ['evil.example.com'] } } });
    await until(workload, ref, ({ spec }) => spec?.dnsNames?.join() === 'site-1.web.example.com');
    const name = { ...certificates, namespace, name: 'site-1' };
    await eventually(async () => {
      const certificate = await webPlane.get<Seen>(name);
      await checkIssued(webPlane, certificate);
      return isReady(certificate);
    });
  });

  it('puts a Secret on a control plane right that was changed or deleted', async () => {
    const { data = {} } = (await web.find('secret', 'site-2-tls', namespace)) ?? {};
    const isAsBefore = ({ data: now }: { data?: object }): boolean => JSON.stringify(now) === JSON.stringify(data);
    await web.run('patch', 'secret', 'site-2-tls', '--type=merge', '-p', '{"data":{"tls.crt":"bm9uZQ=="}}');
    await seen(web, ['secret', 'site-2-tls', namespace], isAsBefore);
    await web.run('delete', 'secret', 'site-2-tls');
    await seen(web, ['secret', 'site-2-tls', namespace], isAsBefore);
  });

  it('takes back what a tenant writes into a status', async () => {
    const forged = '{"status":{"serialNumber":"00","notAfter":"2099-01-01T00:00:00Z"}}';
    const { status } = (await web.find('certificate', 'site-3', namespace)) ?? {};
    await web.run('patch', 'certificate', 'site-3', '--subresource=status', '--type=merge', '-p', forged);
    await seen(
      web,
      ['certificate', 'site-3', namespace],
      ({ status: now }) =>
        now?.['serialNumber'] === status?.['serialNumber'] && now?.['notAfter'] === status?.['notAfter'],
    );
    assert.notEqual((await copyOf('site-3')).status?.serialNumber, '00');
  });

  it('lets a tenant neither reach nor see the workload cluster', async () => {
    for (const cluster of ['workload', 'platform']) {
      const server = `--server=${landscape.url}/clusters/${cluster}`;
      for (const path of ['/apis/certificates.example.com/v1/certificates', '/api/v1/secrets', '/api/v1/namespaces']) {
        const { code, stdout, stderr } = await web.attempt('get', '--raw', path, server);
        assert.deepEqual([code === 0, stdout], [false, ''], `${path}: ${stderr}`);
      }
    }
    const kinds = (await web.run('api-resources', '--verbs=list', '-o', 'name')).trim().split('\n');
    const everything = await web.run('get', kinds.join(','), '-A', '-o', 'yaml', '--show-managed-fields');
    const copy = await copyOf('web');
    for (const secret of [copy.metadata.name, copy.metadata.namespace, 'clusters/workload', 'certificate-issuer'])
      assert.ok(!everything.includes(`${secret}`), `${secret} is on the control plane`);
  });

  it('keeps a service while there are certificates, and says so', async () => {
    await tenant.run('delete', 'certificateservice', 'web', '--wait=false');
    const waiting = await seen(tenant, ['certificateservice', 'web', namespace], object =>
      isTrue(object, 'DeletionBlocked'),
    );
    assert.match(conditionOf(waiting, 'DeletionBlocked')?.message ?? '', /10 Certificate \(certificates\./);
    assert.equal((await countCopies(workload)).size, others.length + 1);
  });

  it('takes away all of a tenant that leaves, and nothing of others', async () => {
    const before = await countCopies(workload);
    const home = (await copyOf('web')).metadata.namespace ?? '';
    await web.run('delete', 'certificates', '--all');
    await gone(tenant, ['certificateservice', 'web', namespace]);
    assert.deepEqual(await web.list('secrets', '-n', namespace), []);
    await tenant.run('delete', 'controlplane', 'web');
    const after = await countCopies(workload);
    assert.deepEqual(after, new Map([...before].filter(([name]) => name !== home)));
    assert.equal(after.size, others.length);
    await gone(personWith(landscape.kubeconfig, 'workload'), ['namespace', home]);
  });

  it('leaves nothing when it is removed', async () => {
    await forEachOf(others, async name => {
      const plane = planeOf(name);
      for (const { metadata } of await listOf(plane, certificates))
        await plane.delete({ ...certificates, namespace, name: metadata.name ?? '' });
      await onboarding.delete({ ...services, name });
    });
    await eventually(async () => (await listOf(onboarding, services)).length === 0, { timeoutMs: 300_000 });
    for (const name of others) assert.deepEqual(await listOf(planeOf(name), secrets), []);
    const kind = 'providerconfigs.certificates.services.open-control-plane.io';
    await operator.run('delete', kind, 'certificates');
    await operator.run('delete', 'serviceprovider', 'certificates');
    for (const request of ['accessrequests', 'clusterrequests'])
      assert.deepEqual(await operator.list(request, '-A', '-l', 'openmcp.cloud/managed-by=certificates'), []);
    // The workload cluster is not requested any more.
    await gone(operator, ['cluster', 'workload', 'openmcp-system']);
    for (const cluster of ['platform', 'onboarding']) {
      const person = personWith(landscape.kubeconfig, cluster);
      const left = await person.run('get', 'crds,clusterroles,clusterrolebindings,namespaces', '-o', 'name');
      assert.doesNotMatch(left, /certificate/, cluster);
    }
    for (const name of others) assert.deepEqual(await definitionsOn(planeOf(name)), []);
  });
});
