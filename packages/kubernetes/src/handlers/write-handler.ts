import {
  apiError,
  badRequest,
  fieldCause,
  invalidOptions,
  isError,
  type JsonValue,
  type KubeObject,
  methodNotAllowed,
} from '@chandlery/api';
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
  const object = objectOf(call, value);
  sendObject(
    call,
    201,
    await decoding(call, () => createObject(kernel.needs, target, writeOptions(call, problems), object)),
  );
}

/**
 * Runs a write of a whole object. Kubernetes cannot decode a built-in kind with a field of the wrong type (a number for a
 * text, text that is not base64) and answers 400; a custom kind is decoded and then refused by its schema.
 */
async function decoding<T>({ target: { resource } }: ResourceCall, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { kind, version } = resource;
    if (version.declaration.protobuf === undefined || !isError(error, 'Invalid')) throw error;
    const cause = error.details.causes?.find(({ reason }) => reason === 'FieldValueTypeInvalid');
    if (cause === undefined) throw error;
    const what = `${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}`;
    throw badRequest(`${what}: ${cause.field}: ${cause.message}`);
  }
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
  const options = writeOptions(call, problems);
  const isCreated = await isCreatedByUpdate(call);
  const served = await decoding(call, () =>
    isCreated
      ? createObject(kernel.needs, target, options, request.body)
      : updateObject(kernel.needs, target, options, request),
  );
  sendObject(call, isCreated ? 201 : 200, served);
}

/** Whether a PUT creates its object: some built-in kinds allow it, and it takes the right to create. */
async function isCreatedByUpdate(call: ResourceCall): Promise<boolean> {
  const { kernel, target, subresource } = call;
  if (subresource !== '' || !(target.resource.kind.declaration.allowsCreateOnUpdate ?? false)) return false;
  if ((await kernel.store.get(keyOfTarget(target))) !== undefined) return false;
  await checkMayCreate(call);
  return true;
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
  if (call.query.has('force'))
    throw invalidOptions('PatchOptions', fieldCause.forbidden('force', 'may not be specified for non-apply patch'));
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
  if ((query.get('fieldManager') ?? '') === '')
    throw invalidOptions('PatchOptions', fieldCause.required('fieldManager', 'is required for apply patch'));
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
