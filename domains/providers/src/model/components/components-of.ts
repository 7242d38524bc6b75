import type { KubeObject } from '@chandlery/api';
import { type Component, components, type Provider, providerNames } from '../../kinds/index.ts';
import { managedByTenants } from '../tenants/role-rules.ts';
import { type ServedKind, serviceKindsOf } from '../tenants/served-kinds.ts';
import { isOpen } from './bind-component.ts';

/** The components that tenants can choose: one for each open provider with served kinds that is not being deleted. */
export function componentsOf(
  providers: readonly Provider[],
  served: (kinds: ReturnType<typeof serviceKindsOf>) => readonly DescribedKind[],
): readonly Component[] {
  return providers
    .filter(provider => isOpen(provider) && provider.metadata.deletionTimestamp === undefined)
    .map(provider => componentOf(provider, served(serviceKindsOf([provider]))))
    .filter(({ spec }) => spec.kinds.length > 0);
}

/** A kind with the description of its definition. */
export interface DescribedKind extends ServedKind {
  readonly description?: string;
}

function componentOf({ metadata }: Provider, kinds: readonly DescribedKind[]): Component {
  const displayName = metadata.annotations?.[providerNames.displayNameAnnotation];
  return components.object(
    { name: metadata.name ?? '', labels: { ...managedByTenants } },
    { ...(displayName === undefined ? {} : { displayName }), kinds: kinds.map(kindOf) },
  );
}

const kindOf = ({ group, version, kind, plural, description }: DescribedKind): Component['spec']['kinds'][number] => ({
  group,
  version,
  kind,
  plural,
  ...(description === undefined ? {} : { description }),
});

/** The existing components that should not exist. */
export const surplusComponents = (
  present: readonly KubeObject[],
  wanted: readonly Component[],
): readonly KubeObject[] =>
  present.filter(({ metadata }) => !wanted.some(component => component.metadata.name === metadata.name));
