import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClusterProfile, clusterProfiles } from './kinds/cluster-profile.ts';
import { type SchedulerConfig, schedulerConfigs } from './kinds/scheduler-config.ts';
import { startTestClusters } from './test-clusters.ts';

describe('What a landscape begins with', () => {
  it('has the purpose of the fleet also where an earlier version made it', async () => {
    await using landscape = await startTestClusters();
    const ref = { ...schedulerConfigs.ref, name: 'default' };
    const { metadata, ...config } = await landscape.platform.get<SchedulerConfig>(ref);
    const { fleet: _, mcp: __, ...purposes } = config.spec.purposes;
    const { annotations: ___, ...earlier } = metadata;
    await landscape.platform.update(ref, { ...config, metadata: earlier, spec: { ...config.spec, purposes } });
    await landscape.restart();
    const { spec } = await landscape.platform.get<SchedulerConfig>(ref);
    assert.deepEqual(Object.keys(spec.purposes).sort(), ['fleet', 'onboarding', 'platform', 'workload']);
  });

  it('stays as operators have made it when the landscape starts again', async () => {
    await using landscape = await startTestClusters();
    await landscape.configure(spec => {
      spec.strategy = 'Simple';
    });
    await landscape.restart();
    const { platform } = landscape;
    const config = await platform.get<SchedulerConfig>({ ...schedulerConfigs.ref, name: 'default' });
    assert.equal(config.spec.strategy, 'Simple');
    assert.deepEqual(Object.keys(config.spec.purposes).sort(), ['fleet', 'mcp', 'onboarding', 'platform', 'workload']);
    const profiles = (await platform.list<ClusterProfile>(clusterProfiles.ref)).items;
    assert.deepEqual(
      profiles.map(({ metadata, spec }) => [
        metadata.name,
        spec.supportedVersions.map(({ version }) => version),
        spec.capabilities,
      ]),
      [
        ['external', [], undefined],
        ['local', ['1.34.1'], ['API', 'Run']],
        ['logical', ['1.34.1'], ['API']],
      ],
    );
  });
});
