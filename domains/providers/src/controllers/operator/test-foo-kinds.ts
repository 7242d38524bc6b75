import { commonStatus, defineKind, type KubeObject } from '@chandlery/api';
import { Type } from 'typebox';

const group = 'foo.services.example.org';
const anything = Type.Object({ size: Type.Optional(Type.Integer()) });

const foos = defineKind({ group, version: 'v1', kind: 'Foo', description: 'A foo.', spec: anything, status: anything });
const fooConfigs = defineKind({
  group,
  version: 'v1',
  kind: 'ProviderConfig',
  scope: 'Cluster',
  description: 'How foos are made.',
  spec: anything,
  status: Type.Object({ ...commonStatus }),
});

/** What the init of the provider installs, labelled with its name. */
export const fooDefinitions = (provider: string): { readonly api: KubeObject; readonly config: KubeObject } => ({
  api: labelled(foos.crd, provider),
  config: labelled(fooConfigs.crd, provider),
});

const labelled = (crd: KubeObject, provider: string): KubeObject => ({
  ...crd,
  metadata: { ...crd.metadata, labels: { 'openmcp.cloud/managed-by': provider } },
});
