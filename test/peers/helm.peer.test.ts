// The chart, rendered by a real Helm and applied to a logical cluster by a real kubectl.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import { findHelm, runProcess, startTestLandscape, whySkipped } from '@chandlery/testing';

const helm = await findHelm();
/** A Helm that was built by Go assumes an old one. */
const kubernetes = ['--kube-version', '1.32.0'];
const chart = join(import.meta.dirname, '../../deploy/helm/chandlery');

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

const set = (...values: readonly string[]): readonly string[] => values.flatMap(value => ['--set', value]);
const everything = set(
  'ingress.enabled=true',
  'ingress.host=chandlery.example.org',
  'serviceMonitor.enabled=true',
  'prometheusRule.enabled=true',
  'config.oidc[0].issuer=https://login.example.org',
);
const alone = set('database.secretName=', 'replicas=1');

async function runHelm(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return runProcess(helm.path ?? '', args, { env: { HELM_CACHE_HOME: '/nonexistent' } });
}

async function render(flags: readonly string[]): Promise<{ text: string; objects: readonly Rendered[] }> {
  const { code, stdout, stderr } = await runHelm(
    'template',
    'shop',
    chart,
    ...kubernetes,
    '--namespace',
    'chandlery',
    ...flags,
  );
  assert.equal(code, 0, stderr);
  return { text: stdout, objects: parseYamlDocuments(stdout, 'chart').filter(Boolean) as unknown as Rendered[] };
}

/** A logical cluster stores what it does not run, and says so. */
const ofLogicalCluster = /^Warning: This cluster has no nodes/;

describe('The Helm chart', { skip: whySkipped(helm) }, () => {
  for (const [name, flags] of [
    ['with PostgreSQL and everything', everything],
    ['with SQLite', alone],
  ] as const) {
    it(`${name} has nothing that Helm complains about`, async () => {
      const { code, stdout, stderr } = await runHelm('lint', '--strict', chart, ...flags);
      assert.equal(code, 0, stdout + stderr);
    });
  }

  it('renders what its values say', async () => {
    const { objects } = await render(everything);
    assert.deepEqual(objects.map(({ kind }) => kind).sort(), [
      'ConfigMap',
      'Deployment',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
    const sqlite = (await render(alone)).objects;
    assert.ok(sqlite.some(({ kind }) => kind === 'PersistentVolumeClaim'));
    assert.ok(!sqlite.some(({ kind }) => kind === 'PodDisruptionBudget'));
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule')?.spec?.['groups'] as readonly unknown[];
    assert.equal(rules.length, 1);
  });

  it('rejects replicas without a database', async () => {
    const { code, stderr } = await runHelm('template', 'shop', chart, ...kubernetes, '--set', 'database.secretName=');
    assert.equal(code, 1);
    assert.match(stderr, /replicas > 1 needs database\.secretName/);
  });

  it('makes objects that a Kubernetes API accepts', async () => {
    await using landscape = await startTestLandscape();
    const cluster = await landscape.createCluster('target');
    await cluster.kubectl(['create', 'namespace', 'chandlery']);
    const withoutOperator = everything.map(flag =>
      flag.replace(/^(serviceMonitor|prometheusRule)\.enabled=true$/, '$1.enabled=false'),
    );
    for (const flags of [withoutOperator, alone]) {
      const { text } = await render(flags);
      for (const more of [['--dry-run=server'], []]) {
        const args = ['apply', '-n', 'chandlery', '--validate=strict', ...more, '-f', '-'];
        const { code, stdout, stderr } = await cluster.kubectl(args, { stdin: text });
        const complaints = stderr.split('\n').filter(line => line !== '' && !ofLogicalCluster.test(line));
        assert.deepEqual([code, complaints], [0, []], stdout);
      }
    }
    const found = await cluster.kubectl([
      'get',
      'deployment,networkpolicy,pdb,ingress,pvc',
      '-n',
      'chandlery',
      '-o',
      'name',
    ]);
    assert.equal(found.stdout.trim().split('\n').length, 5);
  });
});
