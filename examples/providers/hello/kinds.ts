import { defineProviderConfig, defineService, type ObjectOf, Type } from '@chandlery/sdk';

const group = 'hello.services.open-control-plane.io';

/** What a tenant asks for, on the onboarding cluster, with the name of a control plane. */
export const hellos = defineService({
  group,
  version: 'v1alpha1',
  kind: 'Hello',
  description: 'A service that greets.',
  spec: Type.Object({
    to: Type.String({ minLength: 1, description: 'Whom to greet.' }),
    runsOn: Type.Enum(['ControlPlane', 'WorkloadCluster', 'Provider'], {
      description: 'Where the domain service runs: on the control plane, on a workload cluster, or in the provider.',
    }),
  }),
  columns: [
    { name: 'Runs-On', type: 'string', jsonPath: '.spec.runsOn' },
    { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  ],
});
export type Hello = ObjectOf<typeof hellos>;

export const helloConfigs = defineProviderConfig({
  group,
  version: 'v1alpha1',
  description: 'What greets.',
  spec: Type.Object({ image: Type.String({ minLength: 1, description: 'The image of the domain service.' }) }),
});
export type HelloConfig = ObjectOf<typeof helloConfigs>;
