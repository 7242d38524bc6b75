import assert from 'node:assert/strict';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import {
  eventually,
  type RunningProcess,
  startProcess,
  startTestLandscape,
  type TestLandscape,
} from '@chandlery/testing';
import {
  hostOf,
  type ListedOptions,
  listedInstance,
  TestControlPlane,
  type TestReport,
} from '../../../apps/agent/src/test-control-plane.ts';
import { dinosaursHostImage, dinosaursProgram } from '../../../domains/fleet/src/products/dinosaurs/program.ts';

const program = join(import.meta.dirname, '../../../apps/agent/bin/chandlery-agent.mjs');
const system = 'openmcp-system';
const clusters = '/clusters/platform/apis/clusters.openmcp.cloud/v1alpha1';
const authority = createCertificateAuthority({ commonName: 'fleet', now: new Date() });

interface Answer {
  readonly name: string;
  readonly version: string;
  readonly born: string;
  readonly visits: number;
}

/** The agent's program on a cluster of a landscape, with the built-in product as processes of this machine. */
describe('The agent of a data-plane cluster', () => {
  let landscape: TestLandscape;
  let controlPlane: TestControlPlane;
  let agent: RunningProcess;
  let cluster: string;

  before(async () => {
    landscape = await startTestLandscape();
    controlPlane = await new TestControlPlane({ program: dinosaursProgram as never }).start();
    cluster = await makeCluster();
    agent = await startAgent();
  });
  after(async () => {
    await agent.kill9();
    await controlPlane[Symbol.asyncDispose]();
    await landscape[Symbol.asyncDispose]();
  });

  async function makeCluster(): Promise<string> {
    const image = {
      apiVersion: 'clusters.chandlery.io/v1alpha1',
      kind: 'HostImage',
      metadata: { name: 'dinosaurs-of-the-test' },
      spec: dinosaursHostImage,
    };
    await landscape.request('/clusters/platform/apis/clusters.chandlery.io/v1alpha1/hostimages', { body: image });
    const body = {
      apiVersion: 'clusters.openmcp.cloud/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'data-plane', namespace: system },
      spec: { purpose: 'fleet' },
    };
    const path = `${clusters}/namespaces/${system}/clusterrequests`;
    assert.equal((await landscape.request(path, { body })).status, 201);
    const name = await eventually(async () => {
      const { status } = (await landscape.request(`${path}/data-plane`)).json<{
        status?: { phase?: string; cluster?: { name: string } };
      }>();
      return status?.phase === 'Granted' && status.cluster?.name;
    });
    await eventually(async () => (await landscape.cluster(name).kubectl(['get', 'namespace', 'default'])).code === 0);
    return name;
  }

  const startAgent = (port = controlPlane.port): Promise<RunningProcess> =>
    startProcess(
      process.execPath,
      [
        program,
        ...['--control-plane', `http://127.0.0.1:${port}`, '--cluster-id', 'c1', '--router-port', '0'],
        ...['--kubeconfig', landscape.kubeconfig, '--kube-context', cluster],
      ],
      { env: { CHANDLERY_AGENT_TOKEN: 'secret' }, ready: /the agent runs/ },
    );

  const put = (id: string, options: Partial<ListedOptions> = {}): void => {
    const { certificatePem: cert, privateKeyPem: key } = issueCertificate(authority, {
      usages: ['server'],
      dnsNames: [hostOf(id)],
      now: new Date(),
    });
    controlPlane.put(listedInstance({ id, tls: { cert, key }, ...options }));
  };
  const reported = (id: string, fits: (report: TestReport) => boolean): Promise<TestReport> =>
    eventually(
      () => {
        const report = controlPlane.reports.get(id);
        return report !== undefined && fits(report) && report;
      },
      { what: `a report of ${id}; the agent said: ${agent.output().slice(-2000)}`, timeoutMs: 60_000 },
    );
  const ready = (id: string, version = '1.0.0'): Promise<TestReport> =>
    reported(id, ({ conditions, versions }) => conditions[0]?.status === 'True' && versions['dinosaur'] === version);
  const reason = ({ conditions }: TestReport): string => conditions[0]?.reason ?? '';

  /** As a client does whom DNS sends to the router. */
  const get = (url = '', path = '/'): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const options = {
        host: '127.0.0.1',
        port,
        path,
        servername: hostname,
        ca: authority.certificatePem,
        agent: false,
      };
      request({ ...options, headers: { host: hostname } }, response => {
        let text = '';
        response.on('data', chunk => (text += String(chunk))).on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
  const visit = async ({ adminServerURI }: TestReport): Promise<Answer> =>
    JSON.parse(await get(adminServerURI)) as Answer;
  const namespaces = async (): Promise<string> =>
    (await landscape.cluster(cluster).kubectl(['get', 'namespaces', '-o', 'name'])).stdout;

  it('makes an instance that is used over HTTPS, by its name, with its certificate', async () => {
    put('rex');
    const report = await ready('rex');
    assert.deepEqual(report.routes, [{ name: 'dinosaur', prefix: '', router: '127.0.0.1' }]);
    const { name, version, visits } = await visit(report);
    assert.deepEqual([name, version, visits], ['name-of-rex', '1.0.0', 1]);
    assert.match(await get(report.adminServerURI, '/metrics'), /dinosaur_visits_total 1/);
  });

  it('upgrades it, and its volume survives', async () => {
    const before = await visit(await ready('rex'));
    put('rex', { version: '1.0.2' });
    const after = await visit(await ready('rex', '1.0.2'));
    assert.deepEqual([after.version, after.born, after.visits], ['1.0.2', before.born, before.visits + 1]);
  });

  it('is killed: the instance is still served as soon as another one runs, with or without the control plane', async () => {
    const { port } = controlPlane;
    const before = await visit(await ready('rex', '1.0.2'));
    await agent.kill9();
    await controlPlane[Symbol.asyncDispose]();
    agent = await startAgent(port);
    const [, routerPort = ''] = /routerPort=(\d+)/.exec(agent.output()) ?? [];
    const alone = JSON.parse(await get(`https://${hostOf('rex')}:${routerPort}`)) as Answer;
    assert.deepEqual([alone.born, alone.visits], [before.born, before.visits + 1]);
    controlPlane = await new TestControlPlane({ program: dinosaursProgram as never, port }).start();
    put('marker', { version: '1.0.2' });
    await ready('marker', '1.0.2');
    assert.match(await namespaces(), /dinosaur-rex/, 'an instance that is not listed stays');
    put('rex', { version: '1.0.2' });
    const { born, visits } = await visit(await ready('rex', '1.0.2'));
    assert.deepEqual([born, visits], [before.born, before.visits + 2]);
  });

  it('reports a version that does not start, and goes back', async () => {
    put('rex', { version: '1.0.1' });
    const { conditions } = await reported('rex', report => reason(report) === 'Error');
    assert.match(conditions[0]?.message ?? '', /Deployment dinosaur/);
    put('rex', { version: '1.0.2' });
    await ready('rex', '1.0.2');
  });

  it('suspends and resumes', async () => {
    put('rex', { version: '1.0.2', isSuspended: true });
    const report = await reported('rex', candidate => reason(candidate) === 'Suspended');
    await assert.rejects(visit(report));
    put('rex', { version: '1.0.2' });
    await visit(await ready('rex', '1.0.2'));
  });

  it('removes it without a trace', async () => {
    for (const id of ['rex', 'marker']) put(id, { version: '1.0.2', isDeleted: true });
    for (const id of ['rex', 'marker']) await reported(id, report => reason(report) === 'Deleted');
    assert.doesNotMatch(await namespaces(), /dinosaur-/);
    const { stdout } = await landscape.cluster(cluster).kubectl(['get', 'pods,pvc,secrets', '-A', '-o', 'name']);
    assert.doesNotMatch(stdout, /dinosaur/);
  });
});
