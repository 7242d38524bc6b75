import { fromLabelSelectorObject, type KubeObject, type LabelSelectorObject, matchesLabels } from '@chandlery/api';

/** The objects that an owner should adopt and release. */
export interface Claims<T extends KubeObject> {
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

const controllerUid = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** Whether the selector selects the object. An empty selector selects none. */
export function isSelected(selector: LabelSelectorObject | undefined, { metadata }: KubeObject): boolean {
  const parsed = fromLabelSelectorObject(selector ?? {});
  return parsed.requirements.length > 0 && matchesLabels(parsed, metadata.labels);
}

/** Decides about objects of the owner and objects without a controller. */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelectorObject | undefined,
  objects: readonly T[],
): Claims<T> {
  const { uid } = owner.metadata;
  const isFree = (object: T): boolean =>
    controllerUid(object) === undefined && object.metadata.deletionTimestamp === undefined;
  return {
    adopt: objects.filter(object => isFree(object) && isSelected(selector, object)),
    release: objects.filter(object => controllerUid(object) === uid && !isSelected(selector, object)),
  };
}
