import { defineProviderConfig, defineService, type ObjectOf, Type } from '@chandlery/sdk';

const crateGroup = 'crates.services.example.org';
const dockGroup = 'docks.services.example.org';
const version = 'v1alpha1';

/** A service that is cheap: some objects on the workload cluster, and a file. */
export const crates = defineService({
  group: crateGroup,
  version,
  kind: 'Crate',
  description: 'A crate with something in it.',
  spec: Type.Object({ content: Type.String() }),
});
export type Crate = ObjectOf<typeof crates>;

export const crateConfigs = defineProviderConfig({ group: crateGroup, version, spec: Type.Object({}) });
export type CrateConfig = ObjectOf<typeof crateConfigs>;

/** A service that needs all there is: a control plane, a workload cluster, and a process on it. */
export const docks = defineService({
  group: dockGroup,
  version,
  kind: 'Dock',
  description: 'A dock of a control plane.',
  spec: Type.Object({}),
});
export type Dock = ObjectOf<typeof docks>;

export const dockConfigs = defineProviderConfig({ group: dockGroup, version, spec: Type.Object({}) });
export type DockConfig = ObjectOf<typeof dockConfigs>;
