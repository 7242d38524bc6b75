import type { GroupVersionKind } from '@chandlery/api';
import type { ComponentBinding, Provider } from '../../kinds/index.ts';
import { providerNames } from '../../kinds/index.ts';
import { serviceKindsOf } from '../tenants/served-kinds.ts';

/** The kinds of a binding, or why it has none now. */
export type Choice =
  | { readonly type: 'kinds'; readonly kinds: readonly GroupVersionKind[] }
  | { readonly type: 'refused'; readonly reason: string; readonly message: string };

/** Whether tenants may choose the provider. */
export const isOpen = ({ metadata }: Provider): boolean =>
  metadata.annotations?.[providerNames.componentAnnotation] !== 'closed';

/** Determines the kinds of a binding. */
export function chooseKinds({ spec }: ComponentBinding, provider: Provider | undefined): Choice {
  const { component, kinds } = spec;
  if (provider === undefined || !isOpen(provider)) return notFound(component);
  if (provider.metadata.deletionTimestamp !== undefined) return leaving(component);
  const all = serviceKindsOf([provider]);
  if (all.length === 0) return noKinds(component);
  if (kinds === undefined) return { type: 'kinds', kinds: all };
  const isNamed = ({ group, kind }: GroupVersionKind, name: string): boolean =>
    name === kind || name === `${kind}.${group}`;
  const missing = kinds.filter(name => !all.some(gvk => isNamed(gvk, name))).sort();
  if (missing.length > 0) return unknownKinds(component, missing, all);
  return { type: 'kinds', kinds: all.filter(gvk => kinds.some(name => isNamed(gvk, name))) };
}

const notFound = (component: string): Choice => ({
  type: 'refused',
  reason: 'NotFound',
  message: `There is no component "${component}"; "kubectl get components" lists those that can be picked.`,
});

const leaving = (component: string): Choice => ({
  type: 'refused',
  reason: 'ComponentLeaving',
  message: `The provider of component "${component}" is being removed; pick another one.`,
});

const noKinds = (component: string): Choice => ({
  type: 'refused',
  reason: 'ComponentNotReady',
  message: `Component "${component}" does not serve its kinds yet; it is bound as soon as it does.`,
});

const unknownKinds = (component: string, missing: readonly string[], all: readonly GroupVersionKind[]): Choice => ({
  type: 'refused',
  reason: 'KindNotFound',
  message: `Component "${component}" has no kind ${missing.join(', ')}; it has ${all.map(({ kind }) => kind).join(', ')}.`,
});
