import type { KubeObject } from '@chandlery/api';
import { sdkNames } from '../model/names.ts';
import { ownedBy } from '../objects/owned-fields.ts';
import { contentHashAnnotation } from '../objects/ownership.ts';

const { instanceLabel, objectAnnotation } = sdkNames;

export const syncFinalizer = 'sdk.chandlery.io/sync';
const syncedByLabel = 'sdk.chandlery.io/synced-by';
const sourceAnnotation = 'sdk.chandlery.io/sync-source';
const sourceUidAnnotation = 'sdk.chandlery.io/sync-source-uid';
const roleAnnotation = 'sdk.chandlery.io/sync-role';

/** The field manager of everything that the syncer of a provider applies. */
export const syncManagerOf = (provider: string): string => `sync.${provider}`;

/** Selects what the syncer of a provider created, for all owners or for one. */
export const syncedBySelector = (provider: string, instanceId?: string): string =>
  `${syncedByLabel}=${provider}${instanceId === undefined ? '' : `,${instanceLabel}=${instanceId}`}`;

/** The link from a created object to its source. */
export interface Link {
  readonly provider: string;
  readonly instanceId: string;
  /** Key of the owner. */
  readonly owner: string;
  /** `plural.group` of the definition, and for related objects its name behind a slash. */
  readonly role: string;
  /** Key of the source. */
  readonly source: string;
}

/** Labels and annotations of a created object. */
export function linkMetadata(
  link: Link,
  sourceUid: string,
): Pick<Required<KubeObject['metadata']>, 'labels' | 'annotations'> {
  return {
    labels: { [syncedByLabel]: link.provider, [instanceLabel]: link.instanceId },
    annotations: {
      [objectAnnotation]: link.owner,
      [sourceAnnotation]: link.source,
      [sourceUidAnnotation]: sourceUid,
      [roleAnnotation]: link.role,
    },
  };
}

/** The merge patch that removes the link. */
export const withoutLink = {
  labels: { [syncedByLabel]: null, [instanceLabel]: null },
  annotations: {
    [objectAnnotation]: null,
    [sourceAnnotation]: null,
    [sourceUidAnnotation]: null,
    [roleAnnotation]: null,
    [contentHashAnnotation]: null,
  },
};

/** The key of the owner, and role and source as one text, of a created object. Undefined without a link. */
export function linkedTo({ metadata }: KubeObject): { owner: string; source: string; role: string } | undefined {
  const { annotations = {} } = metadata;
  const { [objectAnnotation]: owner, [sourceAnnotation]: source, [roleAnnotation]: role } = annotations;
  return owner === undefined || source === undefined || role === undefined ? undefined : { owner, source, role };
}

/** Whether an object was created for a link. If its labels were removed, the field manager decides. */
export function isLinked(object: KubeObject, link: Link): boolean {
  const found = linkedTo(object);
  if (found === undefined) return ownedBy(syncManagerOf(link.provider), object) !== undefined;
  return found.owner === link.owner && found.source === link.source && found.role === link.role;
}

/** Describes the owner of an object for messages, without names of other owners. */
export function holderOf(object: KubeObject | undefined, { owner }: Link): string {
  const found = object && linkedTo(object);
  return found?.owner === owner ? `"${found.source}"` : 'another owner';
}

/** The value of the index by source. */
export const sourceIndexValue = ({ owner, source }: { owner: string; source: string }): string => `${owner} ${source}`;

/** The index of created objects by their link. */
export function bySource(object: KubeObject): readonly string[] {
  const found = linkedTo(object);
  return found === undefined ? [] : [sourceIndexValue(found)];
}

/** The index of created objects by owner. */
export const byOwner = (object: KubeObject): readonly string[] => {
  const found = linkedTo(object);
  return found === undefined ? [] : [found.owner];
};
