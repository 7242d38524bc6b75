import { globalTenant } from './common.ts';

const prefix = 'landscape-';

/** Returns what `spec.internal` says for a source: its name, and after a slash the tenant whose catalog it is. */
export const internalNameOf = (source: string, tenant: string): string =>
  tenant === globalTenant ? source : `${source}/${tenant}`;

/** Reads `spec.internal`. */
export function parseInternalName(internal: string): { readonly source: string; readonly tenant: string } {
  const [source = '', tenant = globalTenant] = internal.split('/');
  return { source, tenant };
}

/** Returns the id of the broker that the landscape itself has for a source: the same in every landscape. */
export const landscapeBrokerId = (internal: string): string => prefix + internal.replace('/', '.');

/** Whether an id is one of brokers and visibilities that the landscape itself has made. No client may choose one of a broker. */
export const isLandscapeId = (id: string): boolean => id.startsWith(prefix);

/** Returns the id of a visibility that the landscape itself has made. */
export const landscapeVisibilityId = (id: string): string => prefix + id;

/** Whether a broker is one that the landscape itself has, and not one that a client has registered. */
export const isLandscapeBroker = ({
  id,
  spec,
}: {
  readonly id: string;
  readonly spec: { readonly internal?: string };
}): boolean => spec.internal !== undefined && id === landscapeBrokerId(spec.internal);
