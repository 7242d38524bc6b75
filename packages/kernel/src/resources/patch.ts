import { apiError, badRequest, isJsonObject, type JsonObject, type JsonValue, type KubeObject } from '@chandlery/api';
import { applyJsonPatch, applyMergePatch, applyStrategicMerge } from '../patch/index.ts';
import { assertJsonLimits } from '../schema/index.ts';
import { mutateObject } from './mutate.ts';
import type { Endpoint } from './ownership.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';
import type { Served } from './served.ts';
import { asKubeObject } from './shape.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchRequest {
  readonly endpoint: Endpoint;
  readonly type: PatchType;
  readonly patch: JsonValue;
}

/** PATCH in all forms but server-side apply. */
export function patchObject(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  request: PatchRequest,
): Promise<Served> {
  const { kind } = target.resource;
  if (request.type === 'strategic' && !(kind.declaration.allowsStrategicMerge ?? false)) {
    throw apiError(
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return mutateObject(deps, target, write, {
    endpoint: request.endpoint,
    change: async (live, pace) => {
      const before = withoutOwners(live);
      const object = patched(target, live, request);
      if (pace.isDue) await pace.rest();
      assertJsonLimits(withoutOwners(object, live.metadata.managedFields), before);
      return object;
    },
  });
}

/** The object without the managedFields that the server has made: they are not what a patch makes of it. */
function withoutOwners(object: KubeObject, made = object.metadata.managedFields): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === made ? { ...object, metadata } : object;
}

function patched(target: Target, live: KubeObject, { type, patch }: PatchRequest): KubeObject {
  const { resourceVersion } = live.metadata;
  const result = applyPatch(target, live, type, patch);
  const object = asKubeObject(result);
  // An untouched resourceVersion is the live one, not a version that the client insists on.
  if (object.metadata.resourceVersion === resourceVersion && !namesVersion(type, patch))
    delete object.metadata.resourceVersion;
  return object;
}

function applyPatch({ resource: { version } }: Target, live: KubeObject, type: PatchType, patch: JsonValue): JsonValue {
  const document = live as unknown as JsonObject;
  switch (type) {
    case 'json':
      return applyJsonPatch(document, patch);
    case 'merge':
      return applyMergePatch(document, objectPatch(patch));
    case 'strategic':
      return applyStrategicMerge(document, objectPatch(patch), version.schema);
  }
}

function objectPatch(patch: JsonValue): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('the patch must be a JSON object');
  return patch;
}

/** Whether a patch insists on a version of the object. */
export function namesVersion(type: PatchType, patch: JsonValue): boolean {
  if (type === 'json') {
    return (
      Array.isArray(patch) &&
      patch.some(operation => isJsonObject(operation) && operation['path'] === '/metadata/resourceVersion')
    );
  }
  const metadata = isJsonObject(patch) ? patch['metadata'] : undefined;
  return isJsonObject(metadata) && metadata['resourceVersion'] !== undefined;
}
