import { commonStatus, defineKind, immutable, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { onOnboarding } from './provider.ts';
import { tenantsGroup } from './tenant.ts';

const kindSchema = Type.Object({
  group: Type.String(),
  version: Type.String(),
  kind: Type.String(),
  plural: Type.String(),
  description: Type.Optional(Type.String({ description: 'What one orders with it.' })),
});

/** A service that a tenant can choose. */
export const components = defineKind({
  group: tenantsGroup,
  version: 'v1alpha1',
  kind: 'Component',
  shortNames: ['comp'],
  scope: 'Cluster',
  description:
    'A service that tenants can pick for their own API, by a ComponentBinding that names it. Written by the platform: one for each ServiceProvider that is open.',
  spec: Type.Object({
    displayName: Type.Optional(Type.String({ description: 'A name for people.' })),
    kinds: keyedList(kindSchema, ['group', 'kind'], 'The kinds that it brings.'),
  }),
  columns: [
    { name: 'Kinds', type: 'string', jsonPath: '.spec.kinds[*].kind', description: 'What one orders with it.' },
    { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onOnboarding,
});

/** A tenant's choice of a component. */
export const componentBindings = defineKind({
  group: tenantsGroup,
  version: 'v1alpha1',
  kind: 'ComponentBinding',
  shortNames: ['cb'],
  description:
    "Serves the kinds of a Component on the tenant's own API. Lives in the namespace of the project; goes when no object of its kinds is left in the project.",
  spec: Type.Object({
    component: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'The name of a Component, which is that of its ServiceProvider.',
      ...immutable,
    }),
    kinds: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 100,
        description: 'Which of its kinds, as Kind or Kind.group. Default: all of them.',
        ...immutable,
      }),
    ),
  }),
  status: Type.Object({
    ...commonStatus,
    resources: Type.Optional(
      keyedList(
        Type.Object({ group: Type.String(), version: Type.String(), kind: Type.String(), plural: Type.String() }),
        ['group', 'kind'],
        "What is served on the tenant's API.",
      ),
    ),
  }),
  columns: [
    { name: 'Component', type: 'string', jsonPath: '.spec.component' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Bound, NotFound, Pending or Unbinding.' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onOnboarding,
});

export type Component = ObjectOf<typeof components>;
export type ComponentBinding = ObjectOf<typeof componentBindings>;
