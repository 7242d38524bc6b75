import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Provider } from '../../kinds/index.ts';
import { problemOf } from './check-spec.ts';
import { buildInitJob } from './init-job.ts';
import { buildMetricsService } from './metrics-service.ts';
import { serviceProviderClass } from './provider-class.ts';
import { namesOf } from './provider-names.ts';
import { buildRunDeployment } from './run-deployment.ts';
import { storedProvider } from './test-provider.ts';

interface Container extends Record<string, unknown> {
  args: string[];
  env: { name: string }[];
}
interface Workload extends KubeObject {
  spec: {
    backoffLimit?: number;
    replicas?: number;
    selector?: unknown;
    template: { metadata: KubeObject['metadata']; spec: Record<string, unknown> & { containers: Container[] } };
  };
}

const initJob = (provider: Provider): Workload => buildInitJob(serviceProviderClass, provider, 'dev') as Workload;
const deployment = (provider: Provider, hasWebhookTls = false): Workload =>
  buildRunDeployment(serviceProviderClass, provider, { environment: 'dev', hasWebhookTls }) as Workload;
const container = ({ spec }: Workload): Container => spec.template.spec.containers[0] as Container;

const labels = {
  'app.kubernetes.io/managed-by': 'chandlery-operator',
  'app.kubernetes.io/name': 'ServiceProvider',
  'app.kubernetes.io/instance': 'foo',
};

describe('The init job', () => {
  it('runs the init command for one generation of the provider', () => {
    const job = initJob(storedProvider({ initCommand: ['setup', '-v'] }));
    assert.equal(job.metadata.name, 'sp-foo-init');
    assert.deepEqual(job.metadata.annotations, {
      'openmcp.cloud/provider-kind': 'ServiceProvider',
      'openmcp.cloud/provider-name': 'foo',
      'openmcp.cloud/provider-generation': '3',
    });
    assert.equal(job.metadata.ownerReferences?.[0]?.uid, 'uid-1');
    assert.deepEqual(job.metadata.labels, { ...labels, 'app.kubernetes.io/component': 'init-job' });
    assert.equal(job.spec.backoffLimit, 4);
    const { restartPolicy, serviceAccountName } = job.spec.template.spec;
    assert.deepEqual([restartPolicy, serviceAccountName], ['Never', 'sp-foo-init']);
    const flags = ['--environment=dev', '--verbosity=INFO', '--provider-name=foo'];
    assert.deepEqual(container(job).args, ['setup', '-v', ...flags]);
  });

  it('is given what the provider wants for its pods', () => {
    const job = initJob(
      storedProvider({
        env: [{ name: 'MODE', value: 'x' }],
        imagePullSecrets: [{ name: 'pull' }],
        extraVolumes: [{ name: 'v', emptyDir: {} }],
        extraVolumeMounts: [{ name: 'v', mountPath: '/v' }],
      }),
    );
    const names = container(job).env.map(({ name }) => name);
    assert.deepEqual(names, ['POD_NAME', 'POD_NAMESPACE', 'POD_IP', 'POD_SERVICE_ACCOUNT_NAME', 'MODE']);
    const { imagePullSecrets, volumes } = job.spec.template.spec;
    assert.deepEqual([imagePullSecrets, volumes], [[{ name: 'pull' }], [{ name: 'v', emptyDir: {} }]]);
    assert.deepEqual(container(job)['volumeMounts'], [{ name: 'v', mountPath: '/v' }]);
  });
});

describe('The run deployment', () => {
  it('runs the run command with metrics and probes', () => {
    const built = deployment(storedProvider());
    const flags = ['--environment=dev', '--verbosity=INFO', '--provider-name=foo'];
    const metrics = ['--metrics-bind-address=:8080', '--metrics-secure=false'];
    assert.deepEqual(container(built).args, ['run', ...flags, ...metrics]);
    assert.deepEqual(container(built)['ports'], [
      { name: 'health', containerPort: 8081, protocol: 'TCP' },
      { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
    ]);
    const { annotations } = built.spec.template.metadata;
    assert.equal(annotations?.['clusters.chandlery.io/dynamic-ports'], 'metrics,health');
    assert.equal(annotations?.['prometheus.io/scrape'], 'true');
    const matchLabels = { ...labels, 'app.kubernetes.io/component': 'controller' };
    assert.deepEqual(built.spec.selector, { matchLabels });
    assert.deepEqual(built.spec.template.metadata.labels, matchLabels);
  });

  it('elects a leader when there is more than one replica, spread as wanted', () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const built = deployment(storedProvider({ runReplicas: 2, topologySpreadConstraints: [constraint] }));
    assert.ok(container(built).args.includes('--leader-elect=true'));
    assert.deepEqual(built.spec.template.spec['topologySpreadConstraints'], [
      { ...constraint, labelSelector: built.spec.selector },
    ]);
  });

  it('shows no metrics when they are disabled', () => {
    const provider = storedProvider({ metrics: { disabled: true, path: '/metrics', port: 8080 } });
    assert.equal(buildMetricsService(serviceProviderClass, provider), undefined);
    assert.ok(!container(deployment(provider)).args.some(arg => arg.startsWith('--metrics')));
    const { annotations = {} } = deployment(provider).spec.template.metadata;
    assert.equal(annotations['clusters.chandlery.io/dynamic-ports'], 'health');
    assert.ok(!('prometheus.io/scrape' in annotations));
  });

  it('mounts certificates for webhooks beside other volumes', () => {
    const provider = storedProvider({ extraVolumeMounts: [{ name: 'v', mountPath: '/v' }] });
    const built = deployment(provider, true);
    assert.deepEqual(built.spec.template.spec['volumes'], [
      { name: 'webhook-tls', secret: { secretName: 'foo-webhook-tls' } },
    ]);
    assert.deepEqual(container(built)['volumeMounts'], [
      { name: 'v', mountPath: '/v' },
      { name: 'webhook-tls', mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true },
    ]);
  });
});

describe('Names of a provider', () => {
  it('fit everywhere, however long the name of the provider is', () => {
    const { run, init, metrics, webhookTls } = namesOf(serviceProviderClass, 'x'.repeat(200));
    for (const name of [run, init, metrics, webhookTls]) assert.ok(name.length <= 63, name);
  });

  it('have no dots, and differ for providers that differ in dots only', () => {
    const dotted = namesOf(serviceProviderClass, 'a.b').run;
    assert.match(dotted, /^sp-a-b-[a-z2-7]{8}$/);
    assert.equal(namesOf(serviceProviderClass, 'a-b').run, 'sp-a-b');
  });
});

describe('What only the author of a provider can put right', () => {
  const metrics = { disabled: false, path: '/metrics', port: 8081 };
  const table: readonly { why: string; provider: Provider; problem: RegExp | undefined }[] = [
    { why: 'all is well', provider: storedProvider({ env: [{ name: 'A' }] }), problem: undefined },
    {
      why: 'predefined variables',
      provider: storedProvider({ env: [{ name: 'POD_NAME' }, { name: 'POD_IP' }] }),
      problem: /spec\.env sets POD_IP, POD_NAME,/,
    },
    { why: 'the port of probes', provider: storedProvider({ metrics }), problem: /8081/ },
    {
      why: 'no metrics, no clash',
      provider: storedProvider({ metrics: { ...metrics, disabled: true } }),
      problem: undefined,
    },
    { why: "an init job's name", provider: storedProvider({}, { name: 'foo-init' }), problem: /ends in "-init"/ },
  ];
  for (const { why, provider, problem } of table) {
    it(why, () => {
      if (problem === undefined) assert.equal(problemOf(provider), undefined);
      else assert.match(problemOf(provider) ?? '', problem);
    });
  }
});
