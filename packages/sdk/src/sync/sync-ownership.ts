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

/** The field owner of all that the syncer of a provider applies. */
export const syncManagerOf = (provider: string): string => `sync.${provider}`;

/** Selects what the syncer of a provider made, for everybody or for one owner. */
export const syncedBySelector = (provider: string, instanceId?: string): string =>
  `${syncedByLabel}=${provider}${instanceId === undefined ? '' : `,${instanceLabel}=${instanceId}`}`;

/** What a made object belongs to. */
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

/** The marks of a made object. */
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

/** The merge patch that takes the marks off. */
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

/** The way back from a made object: key of the owner, and role and source in one text. Undefined when it has no marks. */
export function linkedTo({ metadata }: KubeObject): { owner: string; source: string; role: string } | undefined {
  const { annotations = {} } = metadata;
  const { [objectAnnotation]: owner, [sourceAnnotation]: source, [roleAnnotation]: role } = annotations;
  return owner === undefined || source === undefined || role === undefined ? undefined : { owner, source, role };
}

/** Whether an object was made for a link. One whose marks somebody took off is known by its field owner. */
export function isLinked(object: KubeObject, link: Link): boolean {
  const found = linkedTo(object);
  if (found === undefined) return ownedBy(syncManagerOf(link.provider), object) !== undefined;
  return found.owner === link.owner && found.source === link.source && found.role === link.role;
}

/** Whose an object is, for people; other owners are nobody's business. */
export function holderOf(object: KubeObject | undefined, { owner }: Link): string {
  const found = object && linkedTo(object);
  return found?.owner === owner ? `"${found.source}"` : 'somebody else';
}

/** Value of the index by source. */
export const sourceIndexValue = ({ owner, source }: { owner: string; source: string }): string => `${owner} ${source}`;

/** Index of made objects by what they were made for. */
export function bySource(object: KubeObject): readonly string[] {
  const found = linkedTo(object);
  return found === undefined ? [] : [sourceIndexValue(found)];
}

/** Index of made objects by owner. */
export const byOwner = (object: KubeObject): readonly string[] => {
  const found = linkedTo(object);
  return found === undefined ? [] : [found.owner];
};
