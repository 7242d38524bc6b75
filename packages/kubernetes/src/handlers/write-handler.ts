import { apiError, badRequest, type JsonValue, type KubeObject, methodNotAllowed } from '@chandlery/api';
import {
  applyObject,
  asKubeObject,
  createObject,
  type Endpoint,
  forbidden,
  keyOfTarget,
  type PatchType,
  patchObject,
  updateObject,
} from '@chandlery/kernel';
import { mediaTypeOf } from '../body.ts';
import { booleanOf, type ResourceCall, writeOptions } from '../call.ts';
import { sendObject } from '../respond.ts';
import { bodyOf } from './request-body.ts';

/** POST. */
export async function handleCreate(call: ResourceCall): Promise<void> {
  const { kernel, target } = call;
  if (target.resource.kind.isNamespaced && target.namespace === '') throw methodNotAllowed();
  const { value, problems } = await bodyOf(call);
  sendObject(call, 201, await createObject(kernel.needs, target, writeOptions(call, problems), objectOf(call, value)));
}

/** The object of a body. What is built in is known by its address; an object of a custom kind must say what it is. */
function objectOf({ target: { resource } }: ResourceCall, value: JsonValue): KubeObject {
  const { crd, kind, version } = resource;
  return asKubeObject(value, crd === undefined ? { apiVersion: version.apiVersion, kind: kind.kind } : undefined);
}

/** PUT. */
export async function handleUpdate(call: ResourceCall): Promise<void> {
  const { kernel, target } = call;
  const { value, problems } = await bodyOf(call);
  const request = { endpoint: endpointOf(call), body: objectOf(call, value) };
  sendObject(call, 200, await updateObject(kernel.needs, target, writeOptions(call, problems), request));
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** PATCH, of whichever type. */
export async function handlePatch(call: ResourceCall): Promise<void> {
  const type = mediaTypeOf(call.request.headers['content-type']);
  if (type === 'application/apply-patch+yaml') return apply(call);
  const { value, problems } = await bodyOf(call);
  const request = { endpoint: endpointOf(call), type: patchTypeOf(type), patch: value };
  if (call.query.has('force')) throw badRequest('force may only be given for apply patches');
  sendObject(call, 200, await patchObject(call.kernel.needs, call.target, writeOptions(call, problems), request));
}

/** The type of a patch that is not an apply. */
export function patchTypeOf(mediaType: string): PatchType {
  const type = patchTypes[mediaType];
  if (type !== undefined) return type;
  throw apiError(
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
  );
}

async function apply(call: ResourceCall): Promise<void> {
  const { kernel, target, query } = call;
  if ((query.get('fieldManager') ?? '') === '') throw badRequest('fieldManager is required for apply patch');
  const { value, problems } = await bodyOf(call);
  await checkMayCreate(call);
  const request = {
    endpoint: endpointOf(call),
    applied: asKubeObject(value),
    force: booleanOf(query, 'force') ?? false,
  };
  const { served, isCreated } = await applyObject(kernel.needs, target, writeOptions(call, problems), request);
  sendObject(call, isCreated ? 201 : 200, served);
}

/** Applying what does not exist creates it, which takes the right to create. */
async function checkMayCreate({ kernel, target, access, user }: ResourceCall): Promise<void> {
  const { kind } = target.resource;
  const attributes = { verb: 'create', ...kind.groupResource, namespace: target.namespace, name: target.name };
  if (access.authorize(user, attributes).allowed) return;
  if ((await kernel.store.get(keyOfTarget(target))) === undefined) throw forbidden(user, attributes);
}

function endpointOf({ subresource }: ResourceCall): Endpoint {
  if (subresource === '' || subresource === 'status' || subresource === 'finalize') return subresource;
  throw apiError('NotFound', `the server could not find the requested sub-resource "${subresource}"`);
}
