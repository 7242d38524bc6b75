import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestLandscape, tempFolder } from '@chandlery/testing';
import { openGivenKubernetes } from './support/given-kubernetes.ts';
import { isTrue, personWith, seen } from './support/people.ts';
import { runChandlery, scaffoldProvider } from './support/scaffold.ts';

interface Report {
  readonly isPassed: boolean;
  readonly steps: readonly { readonly id: string; readonly outcome: string; readonly message?: string }[];
}

/** The first tenant's control plane is a Kubernetes that the landscape only knows by its kubeconfig. */
describe('A provider whose first tenant has a control plane on a given Kubernetes', () => {
  it('is valid in every row', async () => {
    await using folder = await tempFolder();
    await using kubernetes = await openGivenKubernetes();
    const place = await scaffoldProvider(folder, 'foo');
    await using landscape = await startTestLandscape();
    const operator = personWith(landscape.kubeconfig, 'platform');
    await operator.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'given', namespace: 'openmcp-system' },
      stringData: { kubeconfig: kubernetes.kubeconfig },
    });
    await operator.apply({
      apiVersion: 'clusters.openmcp.cloud/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'given', namespace: 'openmcp-system' },
      spec: { profile: 'external', clusterConfigs: [{ name: 'given' }], purposes: ['mcp'], tenancy: 'Shared' },
    });
    await seen(operator, ['cluster', 'given', 'openmcp-system'], object => isTrue(object, 'Ready'));
    // One tenant gets the given cluster; further ones get logical clusters, as it has room for one only.
    const mcp = { tenancyCount: 1, template: { spec: { tenancy: 'Shared' } } };
    const patch = JSON.stringify({ spec: { purposes: { mcp } } });
    await operator.run('patch', 'schedulerconfig', 'default', '--type=merge', '-p', patch);

    const imagesBefore = await operator.list('hostimages');
    const args = ['provider', 'validate', 'foo', '-o', 'json', '--data-dir', landscape.dataDir];
    const { code, stdout, stderr } = await runChandlery(place, args);
    const report = JSON.parse(stdout) as Report;
    const untried = report.steps.filter(({ outcome }) => outcome !== 'passed').map(({ id, message }) => [id, message]);
    assert.deepEqual(untried, [['2j', 'the provider shares no Deployment among its tenants']], stderr);
    assert.equal(code, 0);
    assert.notEqual(kubernetes.grantees.size, 0, 'the first tenant was on the given Kubernetes');
    assert.deepEqual(await operator.list('hostimages'), imagesBefore, 'what the validation installed is deleted');
    await operator.run('delete', 'cluster', 'given', '-n', 'openmcp-system');
  });
});
