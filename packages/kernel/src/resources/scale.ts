import {
  apiError,
  badRequest,
  formatLabelSelector,
  fromLabelSelectorObject,
  getAtSimplePath,
  type JsonValue,
  type KubeObject,
  type LabelSelectorObject,
  notFound,
  type ScaleSubresource,
  setAtSimplePath,
} from '@chandlery/api';
import { applyJsonPatch, applyMergePatch } from '../patch/index.ts';
import { mutateObject } from './mutate.ts';
import { namesVersion, type PatchType } from './patch.ts';
import { getObject } from './read.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';
import { asKubeObject } from './shape.ts';

/** The `scale` view of an object that declares where its replicas are. */
export async function getScale(deps: ResourceDeps, target: Target): Promise<KubeObject> {
  const { object } = await getObject(deps, target);
  return scaleOf(pathsOf(target), object);
}

/** PUT on `/scale`. */
export function updateScale(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  body: KubeObject,
): Promise<KubeObject> {
  return changeScale(deps, target, write, () => body);
}

/** PATCH on `/scale`. */
export function patchScale(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  patch: { readonly type: PatchType; readonly patch: JsonValue },
): Promise<KubeObject> {
  return changeScale(deps, target, write, scale => {
    const document = scale as unknown as JsonValue;
    const result =
      patch.type === 'json' ? applyJsonPatch(document, patch.patch) : applyMergePatch(document, patch.patch);
    const wanted = asKubeObject(result);
    // An untouched resourceVersion is the live one, not a version that the client insists on.
    if (!namesVersion(patch.type, patch.patch)) delete wanted.metadata.resourceVersion;
    return wanted;
  });
}

async function changeScale(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  change: (scale: KubeObject) => KubeObject,
): Promise<KubeObject> {
  const paths = pathsOf(target);
  const served = await mutateObject(deps, target, write, {
    endpoint: 'scale',
    change: live => {
      const before = scaleOf(paths, live);
      const wanted = change(before);
      setAtSimplePath(live, paths.specReplicasPath, replicasOf(wanted));
      const named = wanted.metadata.resourceVersion;
      if (named === undefined || wanted === before) delete live.metadata.resourceVersion;
      else live.metadata.resourceVersion = named;
      return live;
    },
  });
  return scaleOf(paths, served.object);
}

function pathsOf({ resource: { kind, version }, name }: Target): ScaleSubresource {
  const paths = version.declaration.subresources?.scale;
  if (paths === undefined) throw notFound({ ...kind.groupResource, resource: `${kind.plural}/scale` }, name);
  return paths;
}

function replicasOf(scale: KubeObject): number {
  const spec = scale['spec'] as { replicas?: unknown } | undefined;
  const replicas = spec?.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas of a Scale must be an integer');
  if (replicas < 0)
    throw apiError('Invalid', 'Scale is invalid: spec.replicas: Invalid value: must be greater than or equal to 0');
  return replicas;
}

function scaleOf(paths: ScaleSubresource, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector =
    paths.labelSelectorPath === undefined ? undefined : selectorText(getAtSimplePath(object, paths.labelSelectorPath));
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(object, paths.specReplicasPath) },
    status: { replicas: numberAt(object, paths.statusReplicasPath), ...(selector === undefined ? {} : { selector }) },
  };
}

function numberAt(object: KubeObject, path: string): number {
  const value = getAtSimplePath(object, path);
  return typeof value === 'number' ? value : 0;
}

/** Custom kinds hold the selector as text, workloads as an object. */
function selectorText(selector: unknown): string | undefined {
  if (typeof selector === 'string') return selector;
  if (typeof selector !== 'object' || selector === null) return undefined;
  const isPlainMap = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return formatLabelSelector(
    fromLabelSelectorObject(
      isPlainMap ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelectorObject),
    ),
  );
}
