import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterNames } from '../../kinds/names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { addDefaultPurposes } from './default-purposes.ts';

type Purposes = SchedulerConfig['spec']['purposes'];

const rule = (profile: string): Purposes[string] => ({
  template: { spec: { profile, purposes: ['x'], tenancy: 'Shared' } },
  tenancyCount: 0,
});
const defaults: Purposes = { platform: rule('local'), workload: rule('local'), fleet: rule('local') };

const configOf = (purposes: Purposes, given?: string): SchedulerConfig => ({
  apiVersion: 'clusters.chandlery.io/v1alpha1',
  kind: 'SchedulerConfig',
  metadata: {
    name: 'default',
    ...(given === undefined ? {} : { annotations: { [clusterNames.defaultPurposesAnnotation]: given } }),
  },
  spec: { scope: 'Cluster', strategy: 'Simple', purposes },
});

const rows: readonly { why: string; config: SchedulerConfig; wanted: Purposes | undefined }[] = [
  {
    why: 'an earlier landscape gets what is new, and keeps what its operator changed and removed',
    config: configOf({ workload: rule('external') }),
    wanted: { workload: rule('external'), fleet: rule('local') },
  },
  {
    why: "an operator's own purpose of the name of a new default stays",
    config: configOf({ fleet: rule('external') }),
    wanted: { fleet: rule('external') },
  },
  {
    why: 'a default that was given and removed does not return',
    config: configOf({}, 'platform,workload,fleet'),
    wanted: undefined,
  },
];

for (const { why, config, wanted } of rows) {
  test(why, () => {
    const upgraded = addDefaultPurposes(config, defaults);
    assert.deepEqual(upgraded?.spec.purposes, wanted);
    if (upgraded === undefined) return;
    assert.equal(upgraded.spec.strategy, 'Simple');
    assert.equal(addDefaultPurposes(upgraded, defaults), undefined, 'once is enough');
  });
}
